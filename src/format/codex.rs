//! Codex rollouts: `{"timestamp", "type", "payload"}`. Only `response_item` is
//! the model's history, `event_msg` repeats it for the screen (spec: formats,
//! section 8). A compaction is appended as `compacted` with its whole new history.

use crate::error::RecordError;
use crate::format::codex_history::{CodexHistory, CodexItem, user_item};
use crate::format::insertion::SummaryPlace;
use crate::format::journal::{Journal, JournalReader, JournalThread, append_lines};
use crate::format::recognition::{Certainty, Recognition, Shape};
use crate::format::tree::{JsonNode, JsonTree};
use crate::json::encode_literal;
use crate::json::{JsonKind, Span};
use crate::transcript::Transcript;
use crate::transcript::journal::WriteMode;
use crate::transcript::splice::Splice;
use std::borrow::Cow;

/// Rollouts of Codex since September 2025.
pub(super) struct CodexJournal;

const WRITES: WriteMode = WriteMode::Appended {
    asked: false,
    clears: false,
};
const TYPES: [&str; 8] = [
    "session_meta",
    "response_item",
    "event_msg",
    "turn_context",
    "compacted",
    "world_state",
    "inter_agent_communication",
    "inter_agent_communication_metadata",
];

impl Journal for CodexJournal {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn help_line(&self) -> &'static str {
        "Codex rollouts (~/.codex/sessions/**/rollout-*.jsonl): {\"timestamp\", \"type\", \"payload\"}; its response items"
    }

    fn write_mode(&self) -> WriteMode {
        WRITES
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let own = record
            .get("payload")
            .is_some_and(|payload| payload.is_kind(JsonKind::Object))
            && TYPES.iter().any(|kind| record.has_text("type", kind));
        own.then_some(Recognition {
            shape: Shape::Journal,
            certainty: Certainty::Envelope,
            why: "a payload beside a type of Codex rollouts",
        })
    }

    fn new_reader(&self) -> Box<dyn JournalReader> {
        Box::new(CodexReader::default())
    }

    fn append_summary(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        text: &str,
    ) -> Vec<(usize, Splice)> {
        let items = |indices: std::ops::Range<usize>| {
            let stays = indices.filter(|index| !place.removed.contains(index));
            stays
                .flat_map(|index| transcript.source_bytes(index))
                .map(<[u8]>::to_vec)
                .collect::<Vec<_>>()
        };
        let mut history = items(0..place.first_kept);
        history.push(user_item(text));
        history.extend(items(place.first_kept..transcript.messages.len()));
        let stamp = transcript.records.last().and_then(|record| {
            Some(
                JsonTree::new(record.bytes)
                    .ok()?
                    .root()
                    .get("timestamp")?
                    .bytes()
                    .to_vec(),
            )
        });
        let stamp = stamp.map_or_else(Vec::new, |stamp| {
            [b"\"timestamp\": ".as_slice(), &stamp, b", "].concat()
        });
        let compacted = [
            b"{".as_slice(),
            &stamp,
            b"\"type\": \"compacted\", \"payload\": {\"message\": ",
            &encode_literal(text),
            b", \"replacement_history\": [",
            &history.join(b", ".as_slice()),
            b"]}}",
        ];
        let event = [
            b"{".as_slice(),
            &stamp,
            b"\"type\": \"event_msg\", \"payload\": {\"type\": \"context_compacted\"}}",
        ];
        append_lines(transcript, &[compacted.concat(), event.concat()])
    }
}

/// A rollout while it is read.
#[derive(Default)]
struct CodexReader {
    history: CodexHistory,
    /// What a log says that keeps no response items.
    completed: CodexHistory,
    has_items: bool,
    id: Option<String>,
    model: Option<String>,
    limit: Option<u64>,
    instructions: Option<(usize, Span)>,
}

fn text_at(node: JsonNode<'_>, key: &str) -> Option<String> {
    node.get(key)
        .and_then(JsonNode::as_text)
        .filter(|text| !text.is_empty())
        .map(Cow::into_owned)
}

fn number(node: JsonNode<'_>) -> Option<u64> {
    std::str::from_utf8(node.bytes()).ok()?.parse().ok()
}

impl JournalReader for CodexReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<(), RecordError> {
        let (Some(kind), Some(payload)) = (
            record.get("type").and_then(JsonNode::as_text),
            record.get("payload"),
        ) else {
            return Ok(());
        };
        match kind.as_ref() {
            // A fork repeats what it came from, with that one's head behind its own.
            "session_meta" => {
                self.id = self.id.take().or_else(|| text_at(payload, "id"));
                let own = payload
                    .get_path(&["base_instructions", "text"])
                    .and_then(JsonNode::as_literal);
                self.instructions = self.instructions.or(own.map(|span| (at, span)));
            }
            "turn_context" => self.model = text_at(payload, "model").or(self.model.take()),
            "response_item" => {
                self.has_items = true;
                self.history.items.extend(CodexItem::of(
                    at,
                    payload.must_be(JsonKind::Object, "payload")?,
                ));
            }
            "compacted" => {
                let message = text_at(payload, "message").unwrap_or_default();
                match payload
                    .get("replacement_history")
                    .filter(|list| list.is_kind(JsonKind::Array))
                {
                    Some(list) => {
                        let item = |node: JsonNode<'_>| {
                            Some(CodexItem::of(at, node)?.or_summary(node, &message))
                        };
                        self.history.items = list.items().filter_map(item).collect();
                    }
                    None => {
                        if let Some(literal) = payload.literal_at("message") {
                            self.history.compact(CodexItem::summary(at, literal));
                        }
                    }
                }
            }
            "event_msg" => self.event(at, payload),
            _ => {}
        }
        Ok(())
    }

    fn into_threads(mut self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread> {
        let Some(last) = records.len().checked_sub(1) else {
            return Vec::new();
        };
        let history = std::mem::take(if self.has_items {
            &mut self.history
        } else {
            &mut self.completed
        });
        let mut thread = history.tell(records, WRITES, self.instructions, last);
        (thread.id, thread.model, thread.input_limit) = (self.id, self.model, self.limit);
        if thread.len() == 0 {
            Vec::new()
        } else {
            vec![thread]
        }
    }
}

impl CodexReader {
    fn event(&mut self, at: usize, payload: JsonNode<'_>) {
        match payload.get("type").and_then(JsonNode::as_text).as_deref() {
            Some("token_count") => {
                let Some(info) = payload.get("info") else {
                    return;
                };
                self.limit = info
                    .get("model_context_window")
                    .and_then(number)
                    .filter(|limit| *limit > 0)
                    .or(self.limit);
                if let Some(usage) = info
                    .get("last_token_usage")
                    .filter(|usage| usage.is_kind(JsonKind::Object))
                {
                    self.history.usage(at, usage.span());
                }
            }
            Some("thread_rolled_back") => {
                let turns = payload.get("num_turns").and_then(number).unwrap_or(0);
                self.history
                    .roll_back(usize::try_from(turns).unwrap_or(usize::MAX));
            }
            Some("item_completed") => {
                let item = payload
                    .get("item")
                    .filter(|item| item.is_kind(JsonKind::Object));
                self.completed
                    .items
                    .extend(item.and_then(|item| CodexItem::of(at, item)));
            }
            _ => {}
        }
    }
}
