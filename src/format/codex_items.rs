//! Codex rollouts to early September 2025: a head, then bare items of the
//! Responses API, between them lines of state. No record of a compaction.

use crate::error::RecordError;
use crate::format::codex_history::{CodexHistory, CodexItem};
use crate::format::journal::{Journal, JournalReader, JournalThread};
use crate::format::recognition::{Certainty, Recognition, Shape};
use crate::format::tree::JsonNode;
use crate::json::Span;
use crate::transcript::journal::WriteMode;
use std::borrow::Cow;

/// Rollouts of Codex before they had an envelope.
pub(super) struct CodexItemsJournal;

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
        } else {
            "record_type"
        };
        (is_head || record.has_text("record_type", "state")).then_some(Recognition {
            shape: Shape::Journal,
            certainty: Certainty::Envelope,
            why,
        })
    }

    fn new_reader(&self) -> Box<dyn JournalReader> {
        Box::new(CodexItemsReader::default())
    }
}

#[derive(Default)]
struct CodexItemsReader {
    history: CodexHistory,
    id: Option<String>,
    instructions: Option<(usize, Span)>,
}

impl JournalReader for CodexItemsReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<(), RecordError> {
        if record.has_key("instructions") && !record.has_key("type") {
            self.id = record
                .get("id")
                .and_then(JsonNode::as_text)
                .filter(|id| !id.is_empty())
                .map(Cow::into_owned)
                .or(self.id.take());
            self.instructions = record
                .literal_at("instructions")
                .map(|literal| (at, literal))
                .or(self.instructions);
        } else if !record.has_key("record_type") {
            self.history.items.extend(CodexItem::of(at, record));
        }
        Ok(())
    }

    fn into_threads(self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread> {
        let Some(last) = records.len().checked_sub(1) else {
            return Vec::new();
        };
        let mut thread = self
            .history
            .tell(records, WriteMode::Nowhere, self.instructions, last);
        thread.id = self.id;
        if thread.len() == 0 {
            Vec::new()
        } else {
            vec![thread]
        }
    }
}
