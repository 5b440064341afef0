//! Codex rollouts to early September 2025: a head, then bare items of the Responses API, and lines
//! of state between them. They have no record of a compaction.

use crate::error::RecordError;
use crate::format::codex_history::{CodexHistory, CodexItem};
use crate::format::journal::{EventPlace, Journal, JournalReader, JournalThread};
use crate::format::recognition::{Certainty, Recognition, Shape};
use crate::format::tree::JsonNode;
use crate::transcript::journal::WriteMode;

/// Rollouts of Codex before they had an envelope.
pub(super) struct CodexItemsJournal;

/// The types of bare items.
const ITEM_TYPES: [&str; 6] = [
    "message",
    "reasoning",
    "function_call",
    "function_call_output",
    "local_shell_call",
    "custom_tool_call",
];

impl Journal for CodexItemsJournal {
    fn name(&self) -> &'static str {
        "codex-items"
    }

    fn help_line(&self) -> &'static str {
        "Codex rollouts up to September 2025: a line {\"id\", \"timestamp\", \"instructions\"}, then one response item a line"
    }

    fn write_mode(&self) -> WriteMode {
        WriteMode::Nowhere
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let is_head = ["id", "timestamp", "instructions"]
            .iter()
            .all(|key| record.has_key(key))
            && !["type", "messages", "input", "output"]
                .iter()
                .any(|key| record.has_key(key));
        let why = if is_head {
            "a head of id, timestamp and instructions"
        } else if record.has_text("record_type", "state") {
            "record_type"
        } else {
            // The items between these events; a list of nothing else is of the Responses API.
            let is_item = ITEM_TYPES.iter().any(|kind| record.has_text("type", kind));
            // The entries of other agents hold their message below a key.
            return (is_item && !record.has_key("message")).then_some(Recognition {
                shape: Shape::Journal,
                certainty: Certainty::Fits,
                why: "an item of the Responses API",
            });
        };
        Some(Recognition::journal_event(why))
    }

    fn new_reader(&self) -> Box<dyn JournalReader> {
        Box::new(CodexItemsReader::default())
    }
}

#[derive(Default)]
struct CodexItemsReader {
    history: CodexHistory,
    id: Option<String>,
    /// The literal of the instructions.
    instructions: Option<EventPlace>,
}

impl JournalReader for CodexItemsReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<(), RecordError> {
        if record.has_key("instructions") && !record.has_key("type") {
            self.id = record.non_empty_text("id").or(self.id.take());
            self.instructions = record
                .literal_at("instructions")
                .map(|literal| EventPlace::new(at, literal))
                .or(self.instructions);
        } else if !record.has_key("record_type") {
            self.history.items.extend(CodexItem::from_node(at, record));
        }
        Ok(())
    }

    fn into_threads(self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread> {
        let mut thread = self
            .history
            .into_thread(records, WriteMode::Nowhere, self.instructions);
        thread.id = self.id;
        thread.into_only_thread()
    }
}
