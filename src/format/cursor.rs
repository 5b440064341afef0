//! Transcripts of Cursor's agent: `{"role", "message": {"content": [Anthropic blocks]}}`, and lines
//! that say how a turn ended. Calls often have no ids, and the results of tools are mostly missing.

use crate::error::RecordError;
use crate::format::dialects::ANTHROPIC;
use crate::format::journal::{EventPlace, Journal, JournalReader, JournalThread};
use crate::format::recognition::Recognition;
use crate::format::tree::{JsonNode, JsonTree};
use crate::json::JsonKind;
use crate::transcript::journal::WriteMode;

/// Transcripts of Cursor.
pub(super) struct CursorJournal;

/// Keys of lines of other programs that also have a role and a message.
const FOREIGN_KEYS: [&str; 5] = ["type", "content", "uuid", "parentUuid", "session_id"];

impl Journal for CursorJournal {
    fn name(&self) -> &'static str {
        "cursor"
    }

    fn help_line(&self) -> &'static str {
        "Cursor agent transcripts (~/.cursor/projects/*/agent-transcripts): {\"role\", \"message\": {\"content\": [...]}}"
    }

    fn write_mode(&self) -> WriteMode {
        WriteMode::Nowhere
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        if is_turn(record) {
            return Some(Recognition::journal_event(
                "a role beside a message with content",
            ));
        }
        let is_end = record.has_text("type", "turn_ended") && record.has_key("status");
        is_end.then(|| Recognition::journal_event("turn_ended with a status"))
    }

    fn new_reader(&self) -> Box<dyn JournalReader> {
        Box::new(CursorReader::default())
    }
}

/// Returns true if a line holds a message of the conversation.
fn is_turn(record: JsonNode<'_>) -> bool {
    let has_role = record.has_text("role", "user") || record.has_text("role", "assistant");
    let content = record.get_path(&["message", "content"]);
    has_role
        && content
            .is_some_and(|content| matches!(content.kind(), JsonKind::String | JsonKind::Array))
        && !FOREIGN_KEYS.iter().any(|key| record.has_key(key))
}

/// A transcript, read line by line.
#[derive(Default)]
struct CursorReader {
    turns: Vec<EventPlace>,
}

impl JournalReader for CursorReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<(), RecordError> {
        if record.has_key("role") {
            if !is_turn(record) {
                let message = record.get("message").unwrap_or(record);
                return Err(message.missing_key("message.content of a user or an assistant"));
            }
            self.turns.push(EventPlace::new(at, record.span()));
        }
        Ok(())
    }

    fn into_threads(self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread> {
        let last = records.len().saturating_sub(1);
        let mut thread = JournalThread::new(ANTHROPIC, "messages", WriteMode::Nowhere, last);
        for place in self.turns {
            if let Ok(tree) = JsonTree::new(place.bytes(records)) {
                let turn = tree.root();
                let message = turn.get("message").unwrap_or(turn);
                thread.push_message(
                    place,
                    &[
                        b"{\"role\": ",
                        turn.bytes_or_null("role"),
                        b", \"content\": ",
                        message.bytes_or_null("content"),
                        b"}",
                    ],
                );
            }
        }
        thread.into_only_thread()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::journal::{recognizes, tell_threads};

    #[test]
    fn messages_and_ends_of_turns_are_recognized_and_nothing_else() {
        for record in [
            r#"{"role": "user", "message": {"content": [{"type": "text", "text": "Why?"}]}}"#,
            r#"{"role": "assistant", "message": {"content": "It is hot."}}"#,
            r#"{"type": "turn_ended", "status": "success"}"#,
        ] {
            assert!(recognizes(&CursorJournal, record), "{record}");
        }
        for record in [
            r#"{"role": "user", "content": "x", "message": {"content": "y"}}"#,
            r#"{"type": "user", "role": "user", "message": {"content": "y"}}"#,
            r#"{"role": "tool", "message": {"content": "y"}}"#,
            r#"{"role": "user", "message": "y"}"#,
            r#"{"type": "turn_ended", "outcome": "success"}"#,
        ] {
            assert!(!recognizes(&CursorJournal, record), "{record}");
        }
    }

    #[test]
    fn calls_without_ids_and_results_are_read() {
        let log = r#"{"role": "user", "message": {"content": [{"type": "text", "text": "Why?"}]}}
{"role": "assistant", "message": {"content": [{"type": "text", "text": "I look."}, {"type": "tool_use", "name": "Read", "input": {"path": "a"}}]}}
{"role": "assistant", "message": {"content": [{"type": "text", "text": "It is hot."}]}}
{"type": "turn_ended", "status": "success"}"#;
        let threads = tell_threads(&CursorJournal, log);
        assert_eq!(
            threads[0].messages,
            [
                "user: Why?",
                "assistant: I look. [Read]",
                "assistant: It is hot."
            ]
        );
        assert_eq!(threads[0].omitted, ["records of type turn_ended"]);
    }
}
