//! Sessions of Goose: one message a line, or an export with all of them (`conversation`). Calls and
//! results are blocks of their own kind (`toolRequest`, `toolResponse`).

use crate::error::RecordError;
use crate::format::dialects::ANTHROPIC;
use crate::format::goose_blocks::{is_goose_block, render_blocks};
use crate::format::journal::{EventPlace, Journal, JournalReader, JournalThread};
use crate::format::recognition::{Certainty, Recognition, Shape};
use crate::format::tree::JsonNode;
use crate::json::JsonKind;
use crate::transcript::journal::WriteMode;

/// Sessions of Goose.
pub(super) struct GooseJournal;

impl Journal for GooseJournal {
    fn name(&self) -> &'static str {
        "goose"
    }

    fn help_line(&self) -> &'static str {
        "Goose sessions: {\"role\", \"created\", \"content\"} a line with toolRequest and toolResponse blocks, or an export with conversation"
    }

    fn write_mode(&self) -> WriteMode {
        WriteMode::Nowhere
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let is_export = record.has_key("working_dir")
            && record
                .items_of("conversation")
                .next()
                .is_some_and(is_message);
        if is_export {
            let why = "a conversation beside working_dir";
            return Some(Recognition::by_envelope(Shape::Conversation, why));
        }
        if record.has_key("working_dir") && record.has_key("message_count") {
            let why = "message_count beside working_dir";
            return Some(Recognition::journal_event(why));
        }
        let has_own_block = record.items_of("content").any(is_goose_block);
        let is_marked = record
            .get("metadata")
            .is_some_and(|metadata| metadata.has_key("agentVisible"));
        is_message(record).then_some(Recognition {
            shape: Shape::Journal,
            // A message of text alone is also one of other formats.
            certainty: if has_own_block || is_marked {
                Certainty::Envelope
            } else {
                Certainty::Fits
            },
            why: "a message with toolRequest, toolResponse or agentVisible",
        })
    }

    fn new_reader(&self) -> Box<dyn JournalReader> {
        Box::new(GooseReader::default())
    }
}

fn is_message(record: JsonNode<'_>) -> bool {
    let has_role = record.has_text("role", "user") || record.has_text("role", "assistant");
    has_role && record.has_key("created") && record.get_kind("content", JsonKind::Array).is_some()
}

/// The sessions of a file.
#[derive(Default)]
struct GooseReader {
    id: Option<String>,
    model: Option<String>,
    /// The messages that are records of their own.
    lines: Vec<(Vec<u8>, EventPlace)>,
    exports: Vec<JournalThread>,
}

impl JournalReader for GooseReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<(), RecordError> {
        if let Some(list) = record.get("conversation") {
            let list = list.must_be(JsonKind::Array, "conversation")?;
            let mut thread = JournalThread::new(ANTHROPIC, "messages", WriteMode::Nowhere, at);
            thread.id = record.non_empty_text("id");
            thread.model = model_of(record);
            for message in list.items() {
                if let Some(json) = render_message(message)? {
                    thread.push_message(EventPlace::new(at, message.span()), &[&json]);
                }
            }
            self.exports.extend(thread.into_only_thread());
        } else if record.has_key("role") {
            let json = render_message(record)?;
            let place = EventPlace::new(at, record.span());
            self.lines.extend(json.map(|json| (json, place)));
        } else {
            self.id = record.non_empty_text("id").or(self.id.take());
            self.model = model_of(record).or(self.model.take());
        }
        Ok(())
    }

    fn into_threads(self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread> {
        let last = records.len().saturating_sub(1);
        let mut thread = JournalThread::new(ANTHROPIC, "messages", WriteMode::Nowhere, last);
        (thread.id, thread.model) = (self.id, self.model);
        for (json, place) in self.lines {
            thread.push_message(place, &[&json]);
        }
        let mut threads = self.exports;
        threads.extend(thread.into_only_thread());
        threads
    }
}

fn model_of(session: JsonNode<'_>) -> Option<String> {
    let config = session.get("model_config").unwrap_or(session);
    config.non_empty_text("model_name")
}

/// Renders a message, unless the agent does not see it.
fn render_message(message: JsonNode<'_>) -> Result<Option<Vec<u8>>, RecordError> {
    if !is_message(message) {
        let wanted = "created, or the content of a user or an assistant,";
        return Err(message.missing_key(wanted));
    }
    let visible = message.get_path(&["metadata", "agentVisible"]);
    if visible.is_some_and(|visible| visible.bytes() == b"false") {
        return Ok(None);
    }
    let content = render_blocks(message.items_of("content"));
    let json = [
        b"{\"role\": ".as_slice(),
        message.bytes_or_null("role"),
        b", \"content\": ",
        &content,
        b"}",
    ];
    Ok(Some(json.concat()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::journal::{recognizes, tell_threads};

    const CALL: &str = r#"{"role": "assistant", "created": 1, "content": [{"type": "thinking", "thinking": "hm", "signature": ""}, {"type": "toolRequest", "id": "t", "toolCall": {"status": "success", "value": {"name": "shell", "arguments": {"command": "ls"}}}}]}"#;
    const RESULT: &str = r#"{"role": "user", "created": 1, "content": [{"type": "toolResponse", "id": "t", "toolResult": {"status": "success", "value": [{"type": "text", "text": "a.txt"}, {"type": "text", "text": "for the screen", "annotations": {"audience": ["user"]}}]}}]}"#;
    const ERROR: &str = r#"{"role": "user", "created": 1, "content": [{"type": "toolResponse", "id": "t", "toolResult": {"status": "error", "error": "denied"}}]}"#;
    const HIDDEN: &str = r#"{"role": "user", "created": 1, "content": [{"type": "text", "text": "old"}], "metadata": {"userVisible": true, "agentVisible": false}}"#;

    #[test]
    fn messages_and_exports_are_recognized() {
        for record in [
            CALL,
            RESULT,
            HIDDEN,
            r#"{"working_dir": "/p", "message_count": 3}"#,
        ] {
            assert!(recognizes(&GooseJournal, record), "{record}");
        }
        for record in [
            r#"{"role": "user", "content": [{"type": "text", "text": "x"}]}"#,
            r#"{"role": "user", "created": 1, "content": "x"}"#,
        ] {
            assert!(!recognizes(&GooseJournal, record), "{record}");
        }
    }

    #[test]
    fn what_the_agent_sees_is_read() {
        let wanted = ["assistant: [shell]", "tool: a.txt", "tool: denied"];
        let lines = [HIDDEN, CALL, RESULT, ERROR].join("\n");
        assert_eq!(tell_threads(&GooseJournal, &lines)[0].messages, wanted);
        let export = format!(
            r#"{{"id": "20260302_1", "working_dir": "/p", "conversation": [{HIDDEN}, {CALL}, {RESULT}, {ERROR}]}}"#
        );
        let threads = tell_threads(&GooseJournal, &export);
        assert_eq!(threads[0].messages, wanted);
        assert_eq!(threads[0].id.as_deref(), Some("20260302_1"));
    }
}
