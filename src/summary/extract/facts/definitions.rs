//! Lists what the files that the agent wrote define: whoever goes on calls it by these names.

use super::call_effects::CallWeight;
use super::call_form::CallForm;
use super::definition_lines::{FoundDefinition, MOST_DEFINITIONS, definitions_in};
use super::exchanges::Exchange;
use super::fact::{Fact, FactKind};
use super::file_changes::FileChange;
use super::inline_commands::split_tagged_call;
use super::path_ends::{file_name, is_scratch};
use super::touched_files::TouchedFiles;
use crate::summary::extract::lex::argument_leaves::visit_leaves;
use crate::summary::extract::lex::clip::CLIP_MARK;
use crate::summary::extract::lex::frame::has_frame_tag;
use crate::summary::extract::lexicon::argument_names::WHOLE_TEXT_KEYS;
use crate::summary::extract::lexicon::code_words::TEXT_ENDINGS;
use hashbrown::{HashMap, HashSet};

/// Maximum length in bytes of the definitions of a file.
const LONGEST_LINE: usize = 170;
/// Maximum number of bytes of a file that are searched.
const LONGEST_SEARCHED: usize = 24 * 1024;
/// The worth of the definitions of a file, and what the newest file is worth more.
const DEFINITIONS_WORTH: i32 = 900;
const RECENCY_WORTH: i32 = 600;
/// What those of a file are worth less that was written for an older request.
const PAST_LOSS: i32 = 700;
/// Minimum length in bytes of the name of a definition that others use.
const LEAST_NAME: usize = 4;
/// Between the definitions of a file.
const BETWEEN: &str = "; ";

/// Returns what the files define that the agent wrote as a whole, the newest text of each, at most
/// `most` files, without what later edits name. `message_count` is the number of messages of the conversation,
/// and `phase` the index of the one that begins the work for the newest request.
pub(crate) fn written_definitions(
    exchanges: &[Exchange<'_>],
    files: &TouchedFiles<'_>,
    message_count: usize,
    phase: usize,
    most: usize,
) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut seen = HashSet::new();
    let mut edits = LaterEdits::default();
    let calls = exchanges.iter().rev();
    let worked = calls.filter(|call| !call.failed && call.result.is_some());
    for exchange in worked.filter(|call| call.weight() == CallWeight::Changes) {
        if facts.len() >= most {
            break;
        }
        let Some(change) = FileChange::of(exchange.call).filter(|change| change.is_whole) else {
            edits.observe(exchange);
            continue;
        };
        // One path may be spelled in several ways.
        let name = file_name(&change.path);
        if !seen.insert(name.to_owned()) || !is_shown(name) || files.is_gone(name) {
            continue;
        }
        let Some(definitions) = definitions_of(exchange.call, name, &edits) else {
            continue;
        };
        let recency = (exchange.message + 1) * RECENCY_WORTH as usize / message_count.max(1);
        facts.push(Fact {
            kind: FactKind::Definition,
            text: format!("{name}: {definitions}"),
            worth: DEFINITIONS_WORTH + i32::try_from(recency).unwrap_or(0)
                - if exchange.message < phase || is_scratch(name) {
                    PAST_LOSS
                } else {
                    0
                },
            order: exchange.message,
            heading: None,
            is_pinned: false,
            longer: None,
        });
    }
    facts
}

/// The edits of files that newer calls made, by the names of the files.
#[derive(Default)]
struct LaterEdits<'r> {
    calls: HashMap<String, Vec<CallForm<'r>>>,
}

impl<'r> LaterEdits<'r> {
    fn observe(&mut self, exchange: &Exchange<'r>) {
        if let Some(path) = exchange.changed_file() {
            let name = file_name(path).to_owned();
            self.calls.entry(name).or_default().push(exchange.call);
        }
    }

    /// Returns true if an edit of a file names what it defined: that may be another thing since.
    fn touch(&self, file: &str, name: &str) -> bool {
        let mut edits = self.calls.get(file).into_iter().flatten();
        edits.any(|edit| edit.text().contains(name))
    }
}

/// Returns true for the name of a file of code that can stand in a line.
fn is_shown(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    !TEXT_ENDINGS.contains(&ending) && !name.contains(char::is_whitespace) && !has_frame_tag(name)
}

/// Returns what the file that a call writes defines, on a line. Returns `None` if that is nothing.
fn definitions_of(call: CallForm<'_>, file: &str, edits: &LaterEdits<'_>) -> Option<String> {
    let stem = file.split('.').next().unwrap_or(file);
    let mut definitions = definitions_in(&whole_text_of(call)?, stem);
    definitions.retain(|definition| {
        definition.name.len() >= LEAST_NAME
            && !definition.name.starts_with('_')
            && !edits.touch(file, &definition.name)
    });
    (!definitions.is_empty()).then(|| join_definitions(&definitions))
}

/// Returns the beginning of the text that a call writes to a file.
pub(super) fn whole_text_of(call: CallForm<'_>) -> Option<String> {
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
        let (old, new) = (write("def older(a):"), write("def set_speed(pump, speed):"));
        for (message, arguments) in [&old, &new].into_iter().enumerate() {
            let name = "write_file";
            let call = CallForm::Tool(CalledTool { name, arguments });
            let index = exchanges.push_call(message, call);
            exchanges.set_result(index, "ok", false);
        }
        let facts = written_definitions(&exchanges.all, &TouchedFiles::default(), 2, 0, 8);
        let texts: Vec<&str> = facts.iter().map(|fact| fact.text.as_str()).collect();
        assert_eq!(texts, ["pump.py: def set_speed(pump, speed)"]);
        let edit = r#"{"path": "src/pump.py", "old_string": "def set_speed(pump, speed):", "new_string": "def set_speed(pump):"}"#;
        let edit = CallForm::Tool(CalledTool {
            name: "edit_file",
            arguments: edit,
        });
        let index = exchanges.push_call(2, edit);
        exchanges.set_result(index, "ok", false);
        let facts = written_definitions(&exchanges.all, &TouchedFiles::default(), 3, 0, 8);
        assert!(facts.is_empty(), "an edit changed it: {facts:?}");
        exchanges.all.pop();
        exchanges.all[1].failed = true;
        let facts = written_definitions(&exchanges.all, &TouchedFiles::default(), 2, 0, 8);
        assert_eq!(facts[0].text, "pump.py: def older(a)");
    }
}
