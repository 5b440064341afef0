//! Finds what the agent wrote into documents: an agent that says little puts what it found there.

use super::call_effects::CallWeight;
use super::definitions::whole_text_of;
use super::exchanges::Exchange;
use super::fact::{Fact, FactKind};
use super::file_changes::FileChange;
use super::finding_sentences::document_sentences;
use super::path_ends::file_name;
use crate::summary::extract::lex::wrapped_lines::join_paragraphs;
use hashbrown::HashSet;

/// Endings of documents.
pub(super) const DOCUMENT_ENDINGS: [&str; 3] = [".md", ".txt", ".rst"];
/// Maximum number of documents that are read, the newest, and of sentences of each.
const MOST_DOCUMENTS: usize = 6;
/// The worth of a sentence, what that of the newest call is more, and what each sentence of a document
/// that says less is worth less.
const SENTENCE_WORTH: i32 = 500;
const RECENCY_WORTH: usize = 900;
const FURTHER_LOSS: i32 = 250;
/// An item of a plan that is open, and how many of them make a plan.
const OPEN_BOX: &str = "- [ ]";
const LEAST_BOXES: usize = 3;
/// Between the name of a document and its sentence.
const AFTER_NAME: &str = ": ";

/// Returns sentences of the newest text of documents that the agent wrote as a whole, behind the names of the
/// documents. `message_count` is the number of messages of the conversation.
pub(crate) fn document_findings(exchanges: &[Exchange<'_>], message_count: usize) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut seen = HashSet::new();
    let worked = exchanges
        .iter()
        .rev()
        .filter(|call| !call.failed && call.result.is_some());
    for exchange in worked.filter(|call| call.weight() == CallWeight::Changes) {
        let Some(change) = FileChange::of(exchange.call).filter(|change| change.is_whole) else {
            continue;
        };
        let name = file_name(&change.path).to_owned();
        if !DOCUMENT_ENDINGS.iter().any(|ending| name.ends_with(ending))
            || !seen.insert(name.clone())
        {
            continue;
        }
        if seen.len() > MOST_DOCUMENTS {
            break;
        }
        let Some(text) = whole_text_of(exchange.call) else {
            continue;
        };
        // A plan says what is to be done and to be seen.
        if text.matches(OPEN_BOX).count() >= LEAST_BOXES {
            continue;
        }
        let recency = (exchange.message + 1) * RECENCY_WORTH / message_count.max(1);
        for sentence in document_sentences(&join_paragraphs(&text)) {
            facts.push(Fact {
                kind: FactKind::Finding,
                text: format!("{name}{AFTER_NAME}{}", sentence.plain()),
                worth: SENTENCE_WORTH + i32::try_from(recency).unwrap_or(0) + sentence.worth()
                    - FURTHER_LOSS * i32::try_from(sentence.rank).unwrap_or(0),
                order: message_count - exchange.message,
                heading: None,
                is_pinned: false,
                longer: None,
            });
        }
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::facts::call_form::{CallForm, CalledTool};
    use crate::summary::extract::facts::exchanges::Exchanges;

    #[test]
    fn a_document_tells_what_was_found() {
        let text = "# Pumps\n\nVerdict: the pump_7 leaks, because its\nvalve was never closed.\n\n| a | found |\n- it runs";
        let arguments = format!(
            r#"{{"path": "/srv/REPORT.md", "content": {}}}"#,
            serde_json::json!(text)
        );
        let mut exchanges = Exchanges::default();
        for arguments in [
            &arguments,
            r#"{"path": "/srv/pump.rs", "content": "// the bug_7 was found here because"}"#,
        ] {
            let call = CalledTool {
                name: "write_file",
                arguments,
            };
            let index = exchanges.push_call(1, CallForm::Tool(call));
            exchanges.set_result(index, "ok", false);
        }
        let facts = document_findings(&exchanges.all, 2);
        let texts: Vec<&str> = facts.iter().map(|fact| fact.text.as_str()).collect();
        assert_eq!(
            texts,
            ["REPORT.md: Verdict: the pump_7 leaks, because its valve was never closed."]
        );
        // The same in a plan is yet to be seen.
        let plan = format!("{text}\n- [ ] Mend it\n- [ ] Test it\n- [ ] Oil it\n");
        let arguments = format!(
            r#"{{"path": "/srv/PLAN.md", "content": {}}}"#,
            serde_json::json!(plan)
        );
        let call = CalledTool {
            name: "write_file",
            arguments: &arguments,
        };
        let mut exchanges = Exchanges::default();
        let index = exchanges.push_call(1, CallForm::Tool(call));
        exchanges.set_result(index, "ok", false);
        assert!(document_findings(&exchanges.all, 2).is_empty());
    }
}
