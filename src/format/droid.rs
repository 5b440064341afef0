//! Sessions of Factory Droid (`~/.factory/sessions/**/*.jsonl`): a start, then messages with
//! Anthropic blocks that hang on each other by `parentId`, and lines of state between them.

use crate::error::RecordError;
use crate::format::dialects::ANTHROPIC;
use crate::format::journal::{ElementMark, EventPlace, Journal, JournalReader, JournalThread};
use crate::format::recognition::{Certainty, Recognition, Shape};
use crate::format::tree::{JsonNode, JsonTree};
use crate::json::JsonKind;
use crate::transcript::journal::WriteMode;
use std::collections::HashMap;

/// Sessions of Factory Droid.
pub(super) struct DroidJournal;

/// Types of lines that only these sessions have.
const OWN_TYPES: [&str; 4] = [
    "todo_state",
    "session_settings",
    "agent_turn_outcome",
    "compaction_state",
];
/// Keys of the messages of other programs whose entries look alike.
const FOREIGN_KEYS: [&str; 4] = ["timestamp", "api", "provider", "stopReason"];

impl Journal for DroidJournal {
    fn name(&self) -> &'static str {
        "droid"
    }

    fn help_line(&self) -> &'static str {
        "Factory Droid sessions (~/.factory/sessions): session_start, then messages with Anthropic blocks, linked by parentId"
    }

    fn write_mode(&self) -> WriteMode {
        WriteMode::Nowhere
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let is_start = record.has_text("type", "session_start")
            && ["cwd", "session", "owner", "title"]
                .iter()
                .any(|key| record.has_key(key));
        let is_state = OWN_TYPES.iter().any(|kind| record.has_text("type", kind));
        if is_start || is_state {
            return Some(Recognition::journal_event(
                "session_start, or a line of state",
            ));
        }
        let message = message_of(record)?;
        let is_plain = record.has_key("id") && !FOREIGN_KEYS.iter().any(|key| message.has_key(key));
        let has_calls = message.items_of("content").any(|block| {
            block.has_text("type", "tool_use") || block.has_text("type", "tool_result")
        });
        is_plain.then_some(Recognition {
            shape: Shape::Journal,
            certainty: if has_calls {
                Certainty::Message
            } else {
                Certainty::Fits
            },
            why: "an entry with a message of Anthropic blocks",
        })
    }

    fn new_reader(&self) -> Box<dyn JournalReader> {
        Box::new(DroidReader::default())
    }
}

/// Returns the message of a line, if it is of a user or an assistant and has content.
fn message_of(record: JsonNode<'_>) -> Option<JsonNode<'_>> {
    let message = record
        .get("message")
        .filter(|_| record.has_text("type", "message"))?;
    let has_role = message.has_text("role", "user") || message.has_text("role", "assistant");
    let content = message.get("content")?;
    (has_role && matches!(content.kind(), JsonKind::String | JsonKind::Array)).then_some(message)
}

/// A message, or a compaction.
struct DroidLine {
    place: EventPlace,
    /// The index of the line that it hangs on.
    parent: Option<usize>,
    /// For a compaction, the index of the last line that it summarizes.
    summarized: Option<usize>,
}

/// A session, read line by line.
#[derive(Default)]
struct DroidReader {
    id: Option<String>,
    model: Option<String>,
    lines: Vec<DroidLine>,
    /// The index of each line, by its id.
    by_id: HashMap<String, usize>,
}

impl JournalReader for DroidReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<(), RecordError> {
        let settings = record.get("settings").unwrap_or(record);
        match record.get("type").and_then(JsonNode::as_text).as_deref() {
            Some("session_start") => {
                let session = record.get_kind("session", JsonKind::Object);
                self.id = session.unwrap_or(record).non_empty_text("id");
            }
            Some("session_settings") => {
                self.model = settings.non_empty_text("model").or(self.model.take());
            }
            Some("message") => {
                let message = record
                    .get("message")
                    .ok_or_else(|| record.missing_key("message"))?;
                if message_of(record).is_none() {
                    let wanted = "message.content of a user or an assistant";
                    return Err(message.missing_key(wanted));
                }
                self.push_line(at, record, None);
            }
            Some("compaction_state") if summary_text(record).is_some() => {
                let anchor = record
                    .get_path(&["anchorMessage", "id"])
                    .or_else(|| record.get("anchorMessageId"))
                    .and_then(JsonNode::as_text);
                let known = anchor.and_then(|id| self.by_id.get(id.as_ref()).copied());
                let last = self.lines.len().checked_sub(1);
                self.push_line(at, record, known.or(last));
            }
            _ => {}
        }
        Ok(())
    }

    fn into_threads(self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread> {
        let last = records.len().saturating_sub(1);
        let mut thread = JournalThread::new(ANTHROPIC, "messages", WriteMode::Nowhere, last);
        let path = self.live_path();
        let left = self.lines.len() - path.len();
        if left > 0 {
            thread.warnings.push(format!(
                "{left} of its {} lines lie on branches that were left: they are not sent",
                self.lines.len()
            ));
        }
        (thread.id, thread.model) = (self.id.clone(), self.model.clone());
        for index in self.after_compaction(path) {
            let place = self.lines[index].place;
            if let Ok(tree) = JsonTree::new(place.bytes(records)) {
                push_record(&mut thread, tree.root(), place);
            }
        }
        thread.into_only_thread()
    }
}

impl DroidReader {
    /// Adds a line. One whose parent is not in the file follows the line before it.
    fn push_line(&mut self, at: usize, record: JsonNode<'_>, summarized: Option<usize>) {
        let index = self.lines.len();
        let parent = record.get("parentId").and_then(JsonNode::as_text);
        let known = parent.and_then(|id| self.by_id.get(id.as_ref()).copied());
        if let Some(id) = record.non_empty_text("id") {
            self.by_id.insert(id, index);
        }
        self.lines.push(DroidLine {
            place: EventPlace::new(at, record.span()),
            parent: known.or_else(|| index.checked_sub(1)),
            summarized,
        });
    }

    /// Returns the lines from the first to the last, without branches that were left.
    fn live_path(&self) -> Vec<usize> {
        let mut path = Vec::new();
        let mut next = self.lines.len().checked_sub(1);
        // A parent always stands before its line.
        while let Some(index) = next {
            path.push(index);
            next = self.lines[index].parent;
        }
        path.reverse();
        path
    }

    /// Returns the last compaction of a path, if it has any, and the lines that it does not
    /// summarize.
    fn after_compaction(&self, path: Vec<usize>) -> Vec<usize> {
        let is_compaction = |index: &usize| self.lines[*index].summarized.is_some();
        let Some(compaction) = path.iter().copied().rfind(is_compaction) else {
            return path;
        };
        let summarized = self.lines[compaction].summarized;
        let kept = path
            .into_iter()
            .filter(|index| Some(*index) > summarized && !is_compaction(index));
        std::iter::once(compaction).chain(kept).collect()
    }
}

/// Returns the literal of the summary that a compaction holds.
fn summary_text(record: JsonNode<'_>) -> Option<&[u8]> {
    let summary = record.get("summary");
    record
        .literal_bytes("summaryText")
        .or_else(|| record.literal_bytes("summary"))
        .or_else(|| summary?.literal_bytes("body"))
        .or_else(|| summary?.literal_bytes("text"))
}

fn push_record(thread: &mut JournalThread, record: JsonNode<'_>, place: EventPlace) {
    if let Some(message) = message_of(record) {
        thread.model = message.non_empty_text("model").or(thread.model.take());
        thread.push_message(
            place,
            &[
                b"{\"role\": ",
                message.bytes_or_null("role"),
                b", \"content\": ",
                message.bytes_or_null("content"),
                b"}",
            ],
        );
    } else if let Some(summary) = summary_text(record) {
        thread.push_element(
            ElementMark::Summary,
            vec![place],
            &[b"{\"role\": \"user\", \"content\": ", summary, b"}"],
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::journal::{recognizes, tell_threads};

    fn line(id: &str, parent: &str) -> String {
        format!(
            r#"{{"type": "message", "id": "{id}", "parentId": "{parent}", "timestamp": "t", "message": {{"role": "user", "content": [{{"type": "text", "text": "{id}"}}]}}}}"#
        )
    }

    fn messages(log: &[String]) -> Vec<String> {
        let mut threads = tell_threads(&DroidJournal, &log.join("\n"));
        threads.remove(0).messages
    }

    #[test]
    fn entries_of_pi_are_not_taken() {
        assert!(recognizes(&DroidJournal, &line("a", "s")));
        for record in [
            r#"{"type": "message", "id": "a", "timestamp": "t", "message": {"role": "user", "content": "x", "timestamp": 1}}"#,
            r#"{"type": "message", "id": "a", "message": {"role": "toolResult", "content": []}}"#,
            r#"{"type": "session", "id": "s", "cwd": "/x"}"#,
            r#"{"type": "message", "role": "user", "content": []}"#,
        ] {
            assert!(!recognizes(&DroidJournal, record), "{record}");
        }
    }

    #[test]
    fn a_branch_that_was_left_is_not_sent() {
        let mut log = vec![line("a", "s"), line("b", "a"), line("c", "a")];
        assert_eq!(messages(&log), ["user: a", "user: c"]);
        // Without parents, the lines are in order.
        log[2] = line("c", "unknown");
        assert_eq!(messages(&log), ["user: a", "user: b", "user: c"]);
    }

    #[test]
    fn a_compaction_stands_for_the_lines_up_to_its_anchor() {
        let mut log = vec![
            line("a", "s"),
            line("b", "a"),
            r#"{"type": "compaction_state", "id": "k", "summaryText": "In short.", "anchorMessage": {"id": "a"}}"#.to_owned(),
            line("c", "b"),
        ];
        assert_eq!(messages(&log), ["user: a", "user: b", "user: c"]);
        log[3] = line("c", "k");
        assert_eq!(messages(&log), ["user: In short.", "user: b", "user: c"]);
        log[2] = r#"{"type": "compaction_state", "id": "k", "summary": {"title": "t", "body": "In short."}}"#.to_owned();
        assert_eq!(messages(&log), ["user: In short.", "user: c"]);
    }
}
