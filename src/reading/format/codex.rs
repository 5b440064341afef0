//! Codex rollouts: `{"timestamp", "type", "payload"}`. Only `response_item` is the model's history;
//! `event_msg` repeats it for the screen. A compaction is appended as `compacted`, with the whole
//! new history. See `docs/reference/formats.md`.

use crate::reading::format::codex_history::{CodexHistory, CodexItem, render_user_item};
use crate::reading::format::row::prelude::*;
use std::ops::Range;

/// Rollouts of Codex since September 2025.
#[rustfmt::skip]
pub(super) const CODEX: LogRow = LogRow {
    name: "codex",
    help: "Codex rollouts (~/.codex/sessions/**/rollout-*.jsonl): {\"timestamp\", \"type\", \"payload\"}; its response items",
    evidence: &[event("a payload beside a type of Codex rollouts", &[kind("payload", OBJECT), is("type", TYPES)])],
    reads: Reads::Written(&WrittenRow {
        mode: WRITE_MODE,
        known_types: KNOWN_TYPES,
        new_finder: || Box::new(CompactionRecords(|record| record.has_text("type", "compacted"))),
        ..WrittenRow::new(|| Box::new(CodexReader::default()), append_summary)
    }),
};

const WRITE_MODE: WriteMode = WriteMode::Appended { asked: false, clears: false, lists: true };
const TYPES: &str = "session_meta|response_item|event_msg|turn_context|compacted|world_state\
    |inter_agent_communication|inter_agent_communication_metadata";
const KNOWN_TYPES: &str = "session_meta|response_item|event_msg|turn_context|compacted|world_state\
    |inter_agent_communication|inter_agent_communication_metadata|token_usage_record|realtime_item\
    |security_risk_score";

fn append_summary(place: &SummaryPlace<'_>, text: &str) -> Vec<(usize, Splice)> {
    let transcript = place.transcript;
    let mut history = kept_items(place, 0..place.first_kept);
    history.push(render_user_item(&encode_literal(text)));
    let behind = place.first_kept..transcript.messages.len();
    history.extend(kept_items(place, behind));
    let last = transcript.records.last();
    let tree = last.and_then(|record| JsonTree::new(record.bytes).ok());
    let entries = |steps| {
        let last = tree.as_ref().map(JsonTree::root);
        last.map(|last| entries_of_follower(last, steps)).unwrap_or_default()
    };
    let compacted = fill_json(
        r#"{$"type": "compacted", "payload": {"message": $, "replacement_history": [$]}}"#,
        &[&entries(1), &encode_literal(text), &history.join(b", ".as_slice())],
    );
    let event = fill_json(
        r#"{$"type": "event_msg", "payload": {"type": "context_compacted"}}"#,
        &[&entries(2)],
    );
    append_lines(transcript, &[compacted, event])
}

/// Returns the items of the messages in a range that stay.
fn kept_items(place: &SummaryPlace<'_>, range: Range<usize>) -> Vec<Vec<u8>> {
    range
        .filter(|index| !place.removed.contains(index))
        .flat_map(|index| match place.cut {
            Some(cut) if cut.message == index => vec![render_user_item(&encode_literal(&cut.text))],
            _ => place.transcript.source_bytes(index).map(<[u8]>::to_vec).collect(),
        })
        .collect()
}

/// Renders the first entries of the line that follows a line `steps` lines later, each with a comma
/// behind it: its time, and its number. Paginated rollouts (Codex 0.169 and newer) number all lines,
/// and Codex resumes none in which a number is missing.
fn entries_of_follower(line: JsonNode<'_>, steps: u64) -> Vec<u8> {
    let mut entries = Vec::new();
    if let Some(timestamp) = line.get("timestamp") {
        push_json(&mut entries, r#""timestamp": $, "#, &[timestamp.bytes()]);
    }
    let ordinal = at("ordinal").count(line);
    if let Some(ordinal) = ordinal.and_then(|ordinal| ordinal.checked_add(steps)) {
        entries.extend_from_slice(format!("\"ordinal\": {ordinal}, ").as_bytes());
    }
    entries
}

/// A rollout, read line by line.
#[derive(Default)]
struct CodexReader {
    history: CodexHistory,
    /// The history of a log without response items.
    completed: CodexHistory,
    has_items: bool,
    id: Option<String>,
    model: Option<String>,
    input_limit: Option<u64>,
    /// The literal of the instructions.
    instructions: Option<EventPlace>,
}

impl JournalReader for CodexReader {
    fn observe_record(&mut self, record: JsonNode<'_>) -> Result<()> {
        let (Some(kind), Some(payload)) = (record.get_text("type"), record.get("payload")) else {
            return Ok(());
        };
        match kind.as_ref() {
            // A fork repeats the rollout that it comes from, including the head of that.
            "session_meta" => {
                self.id = self.id.take().or_else(|| payload.non_empty_text("id"));
                let instructions = payload
                    .get_path(&["base_instructions", "text"])
                    .filter(|text| text.is_kind(JsonKind::String))
                    .map(JsonNode::place);
                self.instructions = self.instructions.or(instructions);
            }
            "turn_context" => {
                self.model = payload.non_empty_text("model").or(self.model.take());
            }
            "response_item" => {
                self.has_items = true;
                let item = payload.must_be(JsonKind::Object, "payload")?;
                self.history.items.extend(CodexItem::from_node(item));
            }
            "inter_agent_communication" => {
                self.history.items.extend(CodexItem::from_agent(payload));
            }
            "compacted" => self.observe_compaction(payload),
            "event_msg" => self.observe_event(payload),
            _ => {}
        }
        Ok(())
    }

    fn threads_so_far(&mut self, records: &[&[u8]]) -> Vec<JournalThread> {
        let history = if self.has_items { &self.history } else { &self.completed };
        let mut thread = history.build_thread(records, WRITE_MODE, self.instructions);
        thread.id.clone_from(&self.id);
        thread.model.clone_from(&self.model);
        thread.input_limit = self.input_limit;
        thread.into_only_thread()
    }
}

impl CodexReader {
    fn observe_compaction(&mut self, payload: JsonNode<'_>) {
        if let Some(list) = payload.get_kind("replacement_history", JsonKind::Array) {
            let summary = payload.non_empty_text("message").unwrap_or_default();
            self.history.items = list
                .items()
                .filter_map(|node| {
                    Some(CodexItem::from_node(node)?.mark_if_summary(node, &summary))
                })
                .collect();
        } else if let Some(literal) = payload.get_kind("message", JsonKind::String) {
            let summary = CodexItem::from_summary(literal.place());
            self.history.apply_compaction(summary);
        }
    }

    fn observe_event(&mut self, payload: JsonNode<'_>) {
        match payload.get_text("type").as_deref() {
            Some("token_count") => {
                let Some(info) = payload.get("info") else {
                    return;
                };
                let limit = at("model_context_window").count(info);
                self.input_limit = limit.filter(|limit| *limit > 0).or(self.input_limit);
                if let Some(usage) = info.get_kind("last_token_usage", JsonKind::Object) {
                    self.history.assign_usage(usage.place());
                }
            }
            Some("thread_rolled_back") => {
                let turns = usize::try_from(at("num_turns").count(payload).unwrap_or(0));
                self.history.roll_back(turns.unwrap_or(usize::MAX));
            }
            Some("item_completed") => {
                let item = payload.get_kind("item", JsonKind::Object);
                let item = item.and_then(|item| CodexItem::from_node(item));
                self.completed.items.extend(item);
            }
            _ => {}
        }
    }
}
