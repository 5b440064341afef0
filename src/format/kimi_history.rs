//! Context files of older versions of Kimi CLI (`context.jsonl`): OpenAI chat messages, one a line,
//! with notes between them whose roles begin with `_`.

use crate::error::RecordError;
use crate::format::dialects::OPENAI;
use crate::format::journal::{EventPlace, Journal, JournalReader, JournalThread};
use crate::format::recognition::{Certainty, Recognition, Shape};
use crate::format::tree::{JsonNode, JsonTree, key_equals};
use crate::transcript::journal::WriteMode;

/// Context files of Kimi CLI.
pub(super) struct KimiHistoryJournal;

/// The roles of notes, each with a key that it has.
const NOTES: [(&str, &str); 3] = [
    ("_checkpoint", "id"),
    ("_usage", "token_count"),
    ("_system_prompt", "content"),
];
/// The keys of messages.
const MESSAGE_KEYS: [&str; 6] = [
    "role",
    "content",
    "tool_calls",
    "tool_call_id",
    "name",
    "partial",
];

impl Journal for KimiHistoryJournal {
    fn name(&self) -> &'static str {
        "kimi-context"
    }

    fn help_line(&self) -> &'static str {
        "older Kimi CLI contexts (context.jsonl): OpenAI messages one per line, with _checkpoint and _usage between them"
    }

    fn write_mode(&self) -> WriteMode {
        WriteMode::Nowhere
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let is_note = NOTES
            .iter()
            .any(|(role, key)| record.has_text("role", role) && record.has_key(key));
        let is_message = is_message(record)
            && record.has_key("content")
            && record.entries().all(|(key, _)| {
                let key = key.slice(record.record_bytes());
                MESSAGE_KEYS.iter().any(|known| key_equals(key, known))
            });
        (is_note || is_message).then_some(Recognition {
            shape: Shape::Journal,
            // The messages alone are OpenAI's.
            certainty: if is_note {
                Certainty::Envelope
            } else {
                Certainty::Fits
            },
            why: "a role _checkpoint, _usage or _system_prompt",
        })
    }

    fn new_reader(&self) -> Box<dyn JournalReader> {
        Box::new(KimiHistoryReader::default())
    }
}

fn is_message(record: JsonNode<'_>) -> bool {
    ["system", "user", "assistant", "tool"]
        .iter()
        .any(|role| record.has_text("role", role))
}

/// A context file, read line by line.
#[derive(Default)]
struct KimiHistoryReader {
    /// The literal of the last system prompt.
    prompt: Option<EventPlace>,
    messages: Vec<EventPlace>,
}

impl JournalReader for KimiHistoryReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<(), RecordError> {
        if record.has_text("role", "_system_prompt") {
            let literal = record.literal_at("content");
            self.prompt = literal
                .map(|literal| EventPlace::new(at, literal))
                .or(self.prompt);
        } else if is_message(record) {
            self.messages.push(EventPlace::new(at, record.span()));
        } else if record.non_empty_text("role").is_none() {
            return Err(record.missing_key("role"));
        }
        Ok(())
    }

    fn into_threads(self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread> {
        let last = records.len().saturating_sub(1);
        let mut thread = JournalThread::new(OPENAI, "messages", WriteMode::Nowhere, last);
        if self.messages.is_empty() {
            return Vec::new();
        }
        if let Some(place) = self.prompt {
            let literal = place.bytes(records);
            thread.push_message(
                place,
                &[b"{\"role\": \"system\", \"content\": ", literal, b"}"],
            );
        }
        for place in self.messages {
            if let Ok(tree) = JsonTree::new(place.bytes(records)) {
                thread.push_message(place, &[tree.root().bytes()]);
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
    fn notes_are_no_messages() {
        let log = r#"{"role": "_system_prompt", "content": "Help."}
{"role": "_checkpoint", "id": 0}
{"role": "user", "content": "Why?"}
{"role": "assistant", "content": [{"type": "think", "think": "Hm."}, {"type": "text", "text": "I look."}], "tool_calls": [{"type": "function", "id": "c", "function": {"name": "Read", "arguments": "{}"}}]}
{"role": "_usage", "token_count": 9}
{"role": "tool", "content": [{"type": "text", "text": "61 C"}], "tool_call_id": "c"}"#;
        for line in log.lines() {
            assert!(recognizes(&KimiHistoryJournal, line), "{line}");
        }
        let threads = tell_threads(&KimiHistoryJournal, log);
        assert_eq!(
            threads[0].messages,
            [
                "system: Help.",
                "user: Why?",
                "assistant: I look. [Read]",
                "tool: 61 C"
            ]
        );
        assert!(!recognizes(
            &KimiHistoryJournal,
            r#"{"role": "user", "content": "x", "timestamp": 1}"#
        ));
    }
}
