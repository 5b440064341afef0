//! Codex rollouts to early September 2025: a head, then bare items of the
//! Responses API, between them lines of state. No record of a compaction.

use crate::error::RecordError;
use crate::format::codex_history::{History, Item};
use crate::format::journal::{Journal, Reader, Thread};
use crate::format::tree::Node;
use crate::format::{Certainty, Hit, Shape};
use crate::json::Span;
use crate::transcript::journal::Writes;
use std::borrow::Cow;

/// Rollouts of Codex before they had an envelope.
pub(super) struct CodexItems;

impl Journal for CodexItems {
    fn name(&self) -> &'static str {
        "codex-items"
    }

    fn about(&self) -> &'static str {
        "Codex rollouts up to September 2025: a line {\"id\", \"timestamp\", \"instructions\"}, then one response item a line"
    }

    fn writes(&self) -> Writes {
        Writes::Nowhere
    }

    fn recognise(&self, record: Node<'_>) -> Option<Hit> {
        let is_head = ["id", "timestamp", "instructions"]
            .iter()
            .all(|key| record.has(key))
            && !["type", "messages", "input", "output"]
                .iter()
                .any(|key| record.has(key));
        let why = if is_head {
            "a head of id, timestamp and instructions"
        } else {
            "record_type"
        };
        (is_head || record.says("record_type", "state")).then_some(Hit {
            shape: Shape::Journal,
            certainty: Certainty::Envelope,
            why,
        })
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(Rollout::default())
    }
}

#[derive(Default)]
struct Rollout {
    history: History,
    id: Option<String>,
    instructions: Option<(usize, Span)>,
}

impl Reader for Rollout {
    fn see(&mut self, at: usize, record: Node<'_>) -> Result<(), RecordError> {
        if record.has("instructions") && !record.has("type") {
            self.id = record
                .get("id")
                .and_then(Node::text)
                .filter(|id| !id.is_empty())
                .map(Cow::into_owned)
                .or(self.id.take());
            self.instructions = record
                .literal_at("instructions")
                .map(|literal| (at, literal))
                .or(self.instructions);
        } else if !record.has("record_type") {
            self.history.items.extend(Item::of(at, record));
        }
        Ok(())
    }

    fn threads(self: Box<Self>, records: &[&[u8]]) -> Vec<Thread> {
        let Some(last) = records.len().checked_sub(1) else {
            return Vec::new();
        };
        let mut thread = self
            .history
            .tell(records, Writes::Nowhere, self.instructions, last);
        thread.id = self.id;
        if thread.len() == 0 {
            Vec::new()
        } else {
            vec![thread]
        }
    }
}
