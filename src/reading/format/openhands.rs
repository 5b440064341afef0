//! OpenHands events: a list of actions and observations, by itself or below `history` in the output
//! of an evaluation. A compaction is a `condensation` event that lists the events to forget. See
//! `docs/reference/formats.md`.

use crate::reading::format::openhands_messages::{OpenHandsEvent, build_thread, is_event};
use crate::reading::format::row::prelude::*;

#[rustfmt::skip]
pub(super) const OPENHANDS: LogRow = LogRow {
    name: "openhands",
    help: "OpenHands events: a list of actions and observations, or {\"history\": [...]} of an evaluation; without what was condensed",
    evidence: &[
        conversation("a list of events with a source and an action or observation", &[If::Of(at("0"), &[If::Own(is_complete_event)])]),
        // The oldest evaluations pair each action with its observation.
        conversation("a history of actions and observations", &[If::Of(at("history.0.0|history.0"), &[If::Own(is_event)])]),
        event("an event with a source and an action or observation", &[If::Own(is_complete_event)]),
    ],
    reads: Reads::Written(&WrittenRow::new(
        || Box::new(OpenHandsReader::default()),
        |place, text| append_condensation(place, text).unwrap_or_default(),
    )),
};

/// Keys of a record that name the conversation; the first that it has wins.
const ID_KEYS: [&str; 4] = ["instance_id", "conversation_id", "sid", "id"];

/// Returns true if an event has a source and an object of fields, as no event of another log does.
fn is_complete_event(node: JsonNode<'_>) -> bool {
    const FIELDS: If = If::Any(&[kind("args", OBJECT), kind("extras", OBJECT)]);
    is_event(node) && hold(&[has("source"), FIELDS], node)
}

fn event_list(root: JsonNode<'_>) -> Option<JsonNode<'_>> {
    if root.is_kind(JsonKind::Array) {
        Some(root)
    } else {
        root.get_kind("history", JsonKind::Array)
    }
}

/// Returns the splices that append a condensation. What an earlier condensation forgot stays
/// forgotten. The earlier condensation itself is forgotten, as its summary is part of the new one.
fn append_condensation(place: &SummaryPlace<'_>, text: &str) -> Option<Vec<(usize, Splice)>> {
    let transcript = place.transcript;
    let last = transcript.records.len().checked_sub(1)?;
    let tree = JsonTree::of_record(transcript.records[last].bytes, last).ok()?;
    let list = event_list(tree.root())?;
    let mut forgotten = event_ids(transcript, place.removed);
    forgotten.sort_unstable();
    forgotten.dedup();
    let forgotten: Vec<String> = forgotten.iter().map(u64::to_string).collect();
    let stays: Vec<usize> =
        (0..place.first_kept).filter(|index| !place.removed.contains(index)).collect();
    let summary_offset = event_ids(transcript, &stays).len();
    let newest = list.items().filter_map(|event| event.get("id")?.as_u64());
    let next_id = newest.max().map_or(0, |id| id + 1);
    let timestamp = list
        .items()
        .rev()
        .find_map(|event| event.get("timestamp"))
        .map_or_else(Vec::new, |timestamp| fill_json(r#""timestamp": $, "#, &[timestamp.bytes()]));
    let event = fill_json(
        r#"{"id": $, $"source": "agent", "message": "Summary", "action": "condensation", "args": {"forgotten_event_ids": [$], "forgotten_events_start_id": null, "forgotten_events_end_id": null, "summary": $, "summary_offset": $}}"#,
        &[
            next_id.to_string().as_bytes(),
            &timestamp,
            forgotten.join(", ").as_bytes(),
            &encode_literal(text),
            summary_offset.to_string().as_bytes(),
        ],
    );
    Some(append_elements(list, &[event]))
}

/// Returns the ids of the events from which messages were built.
fn event_ids(transcript: &Transcript<'_>, indices: &[usize]) -> Vec<u64> {
    indices
        .iter()
        .flat_map(|&index| transcript.source_bytes(index))
        .filter_map(|event| JsonTree::new(event).ok()?.root().get("id")?.as_u64())
        .collect()
}

/// Events, read record by record.
#[derive(Default)]
struct OpenHandsReader {
    threads: Vec<JournalThread>,
    /// Events that are separate records.
    lines: Vec<EventPlace>,
}

impl JournalReader for OpenHandsReader {
    fn observe_record(&mut self, record: JsonNode<'_>) -> Result<()> {
        let Some(list) = event_list(record) else {
            if is_event(record) {
                self.lines.push(record.place());
                return Ok(());
            }
            return Err(record.missing_key("history"));
        };
        let has_pairs = list.items().any(|event| event.is_kind(JsonKind::Array));
        let events: Vec<OpenHandsEvent<'_>> = list
            .items()
            .flat_map(|event| {
                if event.is_kind(JsonKind::Array) { event.items().collect() } else { vec![event] }
            })
            .map(OpenHandsEvent)
            .collect();
        // A condensation lists events by their ids.
        let has_ids = events.iter().all(|event| event.0.has_key("id"));
        let write_mode =
            if has_ids && !has_pairs { WriteMode::APPENDED } else { WriteMode::Nowhere };
        let mut thread = build_thread(&events, write_mode);
        let id =
            ID_KEYS.iter().find_map(|key| record.get(key)?.as_text()).filter(|id| !id.is_empty());
        thread.id = id.map(Cow::into_owned);
        self.threads.push(thread);
        Ok(())
    }

    fn into_threads(mut self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread> {
        let trees = self.lines.iter().filter_map(|line| line.tree(records).ok());
        let trees: Vec<JsonTree<'_>> = trees.collect();
        if !trees.is_empty() {
            let events: Vec<OpenHandsEvent<'_>> =
                trees.iter().map(|tree| OpenHandsEvent(tree.root())).collect();
            self.threads.push(build_thread(&events, WriteMode::Nowhere));
        }
        self.threads.into_iter().filter(|thread| thread.len() > 0).collect()
    }
}
