//! Lists what the files that the agent wrote define: whoever goes on calls it by these names.

use super::call_effects::CallWeight;
use super::call_form::CallForm;
use super::definition_lines::{FoundDefinition, MOST_DEFINITIONS, definitions_in};
use super::exchanges::Exchange;
use super::fact::{Fact, FactKind};
use super::file_changes::FileChange;
use super::inline_commands::split_tagged_call;
use super::touched_files::TouchedFiles;
use crate::summary::extract::lex::argument_leaves::visit_leaves;
use crate::summary::extract::lex::clip::CLIP_MARK;
use crate::summary::extract::lex::frame::has_frame_tag;
use crate::summary::extract::lexicon::argument_names::WHOLE_TEXT_KEYS;
use hashbrown::{HashMap, HashSet};

/// Maximum length in bytes of the definitions of a file.
const LONGEST_LINE: usize = 170;
/// Maximum number of bytes of a file that are searched.
const LONGEST_SEARCHED: usize = 24 * 1024;
/// The worth of the definitions of a file, and what the newest file is worth more.
const DEFINITIONS_WORTH: i32 = 900;
const RECENCY_WORTH: i32 = 600;
/// Between the definitions of a file.
const BETWEEN: &str = "; ";
/// The endings of files that hold text or data, no code.
pub(super) const TEXT_ENDINGS: [&str; 16] = [
    "", "md", "mdx", "txt", "rst", "adoc", "json", "jsonl", "yaml", "yml", "toml", "html", "css",
    "csv", "xml", "lock",
];

/// Returns what the files define that the agent wrote as a whole, the newest text of each, at most
/// `most` files, without what later edits name. `message_count` is the number of messages of the conversation.
pub(crate) fn written_definitions(
    exchanges: &[Exchange<'_>],
    files: &TouchedFiles<'_>,
    message_count: usize,
    most: usize,
) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut seen = HashSet::new();
    let mut edits: HashMap<String, Vec<CallForm<'_>>> = HashMap::new();
    let worked = exchanges
        .iter()
        .rev()
        .filter(|exchange| !exchange.failed && exchange.result.is_some());
    for exchange in worked.filter(|exchange| exchange.weight() == CallWeight::Changes) {
        if facts.len() >= most {
            break;
        }
        let Some(change) = FileChange::of(exchange.call).filter(|change| change.is_whole) else {
            // What an edit names may be another thing since.
            if let Some(path) = exchange.changed_file() {
                edits
                    .entry(name_of(path).to_owned())
                    .or_default()
                    .push(exchange.call);
            }
            continue;
        };
        let Some(text) = whole_text_of(exchange.call) else {
            continue;
        };
        // One path may be spelled in several ways.
        if !seen.insert(name_of(&change.path).to_owned()) {
            continue;
        }
        let name = name_of(&change.path);
        let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
        let is_shown = !name.contains(char::is_whitespace) && !has_frame_tag(name);
        if TEXT_ENDINGS.contains(&ending) || !is_shown || files.is_gone(name) {
            continue;
        }
        let mut definitions = definitions_in(&text, stem);
        if let Some(edits) = edits.get(name) {
            definitions.retain(|definition| {
                !edits
                    .iter()
                    .any(|edit| edit.text().contains(definition.name.as_str()))
            });
        }
        if definitions.is_empty() {
            continue;
        }
        let recency = (exchange.message + 1) * RECENCY_WORTH as usize / message_count.max(1);
        facts.push(Fact {
            kind: FactKind::Definition,
            text: format!("{name}: {}", join_definitions(&definitions)),
            worth: DEFINITIONS_WORTH + i32::try_from(recency).unwrap_or(0),
            order: exchange.message,
            heading: None,
            is_pinned: false,
        });
    }
    facts
}

/// Returns the beginning of the text that a call writes to a file.
fn whole_text_of(call: CallForm<'_>) -> Option<String> {
    let mut text = None;
    match call {
        CallForm::Tool(call) => visit_leaves(call.arguments, &mut |key, leaf| {
            if WHOLE_TEXT_KEYS.contains(&key.name) && text.is_none() {
                text = leaf.decode_start(LONGEST_SEARCHED).map(String::from);
            }
        }),
        CallForm::Command(command) => {
            let (_, parameters) = split_tagged_call(command)?;
            let value = parameters
                .iter()
                .find(|(key, _)| WHOLE_TEXT_KEYS.contains(key));
            text = value.map(|(_, value)| (*value).to_owned());
        }
        CallForm::Heading(_) => {}
    }
    text
}

/// Returns the name of a file without its folders.
fn name_of(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Joins definitions, as many as a line has room for.
fn join_definitions(definitions: &[FoundDefinition]) -> String {
    let mut line = String::new();
    for (number, definition) in definitions.iter().enumerate() {
        let text = &definition.text;
        if !line.is_empty() {
            let is_full = line.len() + BETWEEN.len() + text.len() > LONGEST_LINE;
            if is_full || number >= MOST_DEFINITIONS {
                line.push_str(CLIP_MARK);
                break;
            }
            line.push_str(BETWEEN);
        }
        line.push_str(text);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::facts::call_form::CalledTool;
    use crate::summary::extract::facts::exchanges::Exchanges;

    #[test]
    fn the_newest_text_of_a_file_counts() {
        let mut exchanges = Exchanges::default();
        let write = |text: &str| format!(r#"{{"path": "src/pump.py", "content": "{text}"}}"#);
        let (old, new) = (write("def old(a):"), write("def set_speed(pump, speed):"));
        for (message, arguments) in [&old, &new].into_iter().enumerate() {
            let name = "write_file";
            let call = CallForm::Tool(CalledTool { name, arguments });
            let index = exchanges.push_call(message, call);
            exchanges.set_result(index, "ok", false);
        }
        let facts = written_definitions(&exchanges.all, &TouchedFiles::default(), 2, 8);
        let texts: Vec<&str> = facts.iter().map(|fact| fact.text.as_str()).collect();
        assert_eq!(texts, ["pump.py: def set_speed(pump, speed)"]);
        let edit = r#"{"path": "src/pump.py", "old_string": "def set_speed(pump, speed):", "new_string": "def set_speed(pump):"}"#;
        let edit = CallForm::Tool(CalledTool {
            name: "edit_file",
            arguments: edit,
        });
        let index = exchanges.push_call(2, edit);
        exchanges.set_result(index, "ok", false);
        let facts = written_definitions(&exchanges.all, &TouchedFiles::default(), 3, 8);
        assert!(facts.is_empty(), "an edit changed it: {facts:?}");
        exchanges.all.pop();
        exchanges.all[1].failed = true;
        let facts = written_definitions(&exchanges.all, &TouchedFiles::default(), 2, 8);
        assert_eq!(facts[0].text, "pump.py: def old(a)");
    }
}
