//! OpenHands events: a list of actions and observations, by itself or below
//! `history` of an evaluation's output. An observation answers the action that
//! is its `cause`; actions of one answer share its `model_response` (spec:
//! formats, section 11). A compaction is a `condensation` that names the events
//! to forget.

use crate::error::RecordError;
use crate::format::dialects::OPENAI;
use crate::format::insertion::SummaryPlace;
use crate::format::journal::{ElementMark, Journal, JournalReader, JournalThread, append_elements};
use crate::format::recognition::{Certainty, Recognition, Shape};
use crate::format::tree::{JsonNode, JsonTree};
use crate::json::JsonKind;
use crate::json::{encode_literal, encode_wtf8_literal};
use crate::transcript::Transcript;
use crate::transcript::journal::WriteMode;
use crate::transcript::splice::Splice;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Events of OpenHands.
pub(super) struct OpenHandsJournal;

const WRITES: WriteMode = WriteMode::Appended {
    asked: false,
    clears: false,
};
/// Actions and observations that the model never sees.
const UNSENT: [&str; 6] = [
    "change_agent_state",
    "agent_state_changed",
    "null",
    "recall",
    "condensation",
    "condensation_request",
];

impl Journal for OpenHandsJournal {
    fn name(&self) -> &'static str {
        "openhands"
    }

    fn help_line(&self) -> &'static str {
        "OpenHands events: a list of actions and observations, or {\"history\": [...]} of an evaluation; without what was condensed"
    }

    fn write_mode(&self) -> WriteMode {
        WRITES
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let hit = |shape, why| {
            Some(Recognition {
                shape,
                certainty: Certainty::Envelope,
                why,
            })
        };
        if record.is_kind(JsonKind::Array) {
            let own = record.items().next().is_some_and(is_whole_event);
            return if own {
                hit(
                    Shape::Conversation,
                    "a list of events with a source and an action or observation",
                )
            } else {
                None
            };
        }
        let history = record.items_of("history").next();
        // The oldest evaluations pair each action with its observation.
        if history
            .is_some_and(|event| is_event(event) || event.items().next().is_some_and(is_event))
        {
            return hit(Shape::Conversation, "a history of actions and observations");
        }
        // One event of many: its list is the journal.
        if is_whole_event(record) {
            hit(
                Shape::Journal,
                "an event with a source and an action or observation",
            )
        } else {
            None
        }
    }

    fn new_reader(&self) -> Box<dyn JournalReader> {
        Box::new(OpenHandsReader::default())
    }

    fn append_summary(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        text: &str,
    ) -> Vec<(usize, Splice)> {
        let Some(last) = transcript.records.len().checked_sub(1) else {
            return Vec::new();
        };
        let Ok(tree) = JsonTree::new(transcript.records[last].bytes) else {
            return Vec::new();
        };
        let Some(list) = list_of(tree.root()) else {
            return Vec::new();
        };
        let id_of = |event: &[u8]| number(JsonTree::new(event).ok()?.root().get("id")?);
        let ids = |indices: &[usize]| -> Vec<u64> {
            indices
                .iter()
                .flat_map(|&index| transcript.source_bytes(index).filter_map(id_of))
                .collect()
        };
        let mut forgotten = ids(place.removed);
        // What an earlier condensation forgot stays forgotten by its own event; that event goes, as its summary is in this one.
        forgotten.sort_unstable();
        forgotten.dedup();
        let stays: Vec<usize> = (0..place.first_kept)
            .filter(|index| !place.removed.contains(index))
            .collect();
        let next = list
            .items()
            .filter_map(|event| number(event.get("id")?))
            .max()
            .map_or(0, |id| id + 1);
        let stamp = list
            .items()
            .rev()
            .find_map(|event| Some(event.get("timestamp")?.bytes().to_vec()));
        let stamp = stamp.map_or_else(Vec::new, |stamp| {
            [b"\"timestamp\": ".as_slice(), &stamp, b", "].concat()
        });
        let forgotten: Vec<String> = forgotten.iter().map(u64::to_string).collect();
        let event = [
            format!("{{\"id\": {next}, ").as_bytes(),
            &stamp,
            b"\"source\": \"agent\", \"message\": \"Summary\", \"action\": \"condensation\", \"args\": {\"forgotten_event_ids\": [",
            forgotten.join(", ").as_bytes(),
            b"], \"forgotten_events_start_id\": null, \"forgotten_events_end_id\": null, \"summary\": ",
            &encode_literal(text),
            format!(", \"summary_offset\": {}}}}}", ids(&stays).len()).as_bytes(),
        ]
        .concat();
        append_elements(list, last, &[event])
    }
}

fn is_event(node: JsonNode<'_>) -> bool {
    let is_text = |key: &str| {
        node.get(key)
            .is_some_and(|kind| kind.is_kind(JsonKind::String))
    };
    // The oldest events are flat: what an action needs stands beside it.
    (is_text("action") || is_text("observation"))
        && !["role", "messages", "parts"]
            .iter()
            .any(|key| node.has_key(key))
}

/// Whether an event says who it is of, and what it does: no other log does in this way.
fn is_whole_event(node: JsonNode<'_>) -> bool {
    is_event(node)
        && node.has_key("source")
        && ["args", "extras"].iter().any(|key| {
            node.get(key)
                .is_some_and(|value| value.is_kind(JsonKind::Object))
        })
}

fn list_of(root: JsonNode<'_>) -> Option<JsonNode<'_>> {
    let list = if root.is_kind(JsonKind::Array) {
        Some(root)
    } else {
        root.get("history")
    };
    list.filter(|list| list.is_kind(JsonKind::Array))
}

fn number(node: JsonNode<'_>) -> Option<u64> {
    std::str::from_utf8(node.bytes()).ok()?.parse().ok()
}

/// Events while they are read.
#[derive(Default)]
struct OpenHandsReader {
    threads: Vec<JournalThread>,
    /// Events that are records of their own.
    lines: Vec<(usize, Vec<u8>)>,
}

impl JournalReader for OpenHandsReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<(), RecordError> {
        let Some(list) = list_of(record) else {
            if is_event(record) {
                self.lines.push((at, record.bytes().to_vec()));
                return Ok(());
            }
            return Err(record.missing_key("history"));
        };
        // Pairs are events side by side.
        let events: Vec<(usize, JsonNode<'_>)> = list
            .items()
            .flat_map(|event| {
                if event.is_kind(JsonKind::Array) {
                    event.items().collect()
                } else {
                    vec![event]
                }
            })
            .map(|event| (at, event))
            .collect();
        let mut thread = tell(&events, WRITES);
        let id = ["instance_id", "conversation_id", "sid", "id"]
            .iter()
            .find_map(|key| record.get(key)?.as_text())
            .filter(|id| !id.is_empty());
        thread.id = id.map(Cow::into_owned);
        // A condensation names events by their ids.
        if events.iter().any(|(_, event)| !event.has_key("id"))
            || list.items().any(|event| event.is_kind(JsonKind::Array))
        {
            thread.write_mode = WriteMode::Nowhere;
        }
        self.threads.push(thread);
        Ok(())
    }

    fn into_threads(mut self: Box<Self>, _: &[&[u8]]) -> Vec<JournalThread> {
        let trees: Vec<(usize, JsonTree<'_>)> = self
            .lines
            .iter()
            .filter_map(|(at, bytes)| Some((*at, JsonTree::new(bytes).ok()?)))
            .collect();
        if !trees.is_empty() {
            let events: Vec<(usize, JsonNode<'_>)> =
                trees.iter().map(|(at, tree)| (*at, tree.root())).collect();
            self.threads.push(tell(&events, WriteMode::Nowhere));
        }
        self.threads
            .into_iter()
            .filter(|thread| thread.len() > 0)
            .collect()
    }
}

/// Tells events that are not forgotten.
fn tell(events: &[(usize, JsonNode<'_>)], writes: WriteMode) -> JournalThread {
    let last = events.last().map_or(0, |(at, _)| *at);
    let mut thread = JournalThread::new(OPENAI, "messages", writes, last);
    let id_of = |event: JsonNode<'_>| event.get("id").and_then(number);
    let is = |event: JsonNode<'_>, kind: &str| {
        event.has_text("action", kind) || event.has_text("observation", kind)
    };
    let mut forgotten: HashSet<u64> = HashSet::new();
    let mut summary: Option<(usize, JsonNode<'_>, u64)> = None;
    for &(at, event) in events
        .iter()
        .filter(|(_, event)| event.has_text("action", "condensation"))
    {
        let Some(arguments) = event.get("args") else {
            continue;
        };
        forgotten.extend(arguments.items_of("forgotten_event_ids").filter_map(number));
        if let (Some(start), Some(end)) = (
            arguments.get("forgotten_events_start_id").and_then(number),
            arguments.get("forgotten_events_end_id").and_then(number),
        ) {
            forgotten.extend(
                events
                    .iter()
                    .filter_map(|(_, event)| id_of(*event))
                    .filter(|id| (start..=end).contains(id)),
            );
        }
        if let Some(literal) = arguments
            .get("summary")
            .filter(|summary| summary.is_kind(JsonKind::String))
        {
            summary = Some((
                at,
                literal,
                arguments
                    .get("summary_offset")
                    .and_then(number)
                    .unwrap_or(0),
            ));
        }
    }
    let mut telling = OpenHandsWriter {
        responses: HashMap::new(),
        is_first: true,
    };
    let mut offset = 0;
    let mut place_summary = |thread: &mut JournalThread, offset: Option<u64>| {
        if summary.is_some_and(|(_, _, at)| offset.is_none_or(|offset| offset >= at))
            && let Some((at, literal, _)) = summary.take()
        {
            thread.push_element(
                ElementMark::Summary,
                vec![(at, literal.span())],
                &[b"{\"role\": \"user\", \"content\": ", literal.bytes(), b"}"],
            );
        }
    };
    let system = events
        .iter()
        .find(|(_, event)| event.has_text("action", "system"));
    let tools = system
        .and_then(|(_, event)| event.get_path(&["args", "tools"]))
        .filter(|tools| tools.items().next().is_some());
    tools
        .into_iter()
        .for_each(|tools| thread.add_entry("tools", tools.bytes()));
    thread.model = events.iter().rev().find_map(|(_, event)| {
        Some(
            event
                .get_path(&["tool_call_metadata", "model_response", "model"])?
                .as_text()?
                .into_owned(),
        )
    });
    for (number, &(at, event)) in events.iter().enumerate() {
        let is_recall = is(event, "recall")
            && event.has_key("observation")
            && text_at(event, "content").is_some();
        let is_sent = is_event(event) && (is_recall || !UNSENT.iter().any(|kind| is(event, kind)));
        if !is_sent || id_of(event).is_some_and(|id| forgotten.contains(&id)) {
            thread.note_left_out(
                if is_sent {
                    "events that were forgotten"
                } else {
                    "events that are not sent"
                }
                .to_owned(),
                at,
            );
            continue;
        }
        if event.has_key("extras") {
            thread.note_left_out("extras of events".to_owned(), at);
        }
        place_summary(&mut thread, Some(offset));
        offset += 1;
        telling.event(&mut thread, at, event, number);
    }
    place_summary(&mut thread, None);
    thread
}

fn text_at(node: JsonNode<'_>, key: &str) -> Option<String> {
    node.get(key)
        .and_then(JsonNode::as_text)
        .filter(|text| !text.is_empty())
        .map(Cow::into_owned)
}

struct OpenHandsWriter {
    /// Answers that were told with their first action: the element.
    responses: HashMap<String, usize>,
    is_first: bool,
}

impl OpenHandsWriter {
    fn event(
        &mut self,
        thread: &mut JournalThread,
        at: usize,
        event: JsonNode<'_>,
        number_in_list: usize,
    ) {
        let place = |event: JsonNode<'_>| vec![(at, event.span())];
        let message = |role: &str, content: &[u8]| {
            [
                format!("{{\"role\": \"{role}\", \"content\": ").as_bytes(),
                content,
                b"}",
            ]
            .concat()
        };
        let is_first = std::mem::take(&mut self.is_first);
        let arguments = event
            .get("args")
            .filter(|arguments| arguments.is_kind(JsonKind::Object));
        let fields = arguments.unwrap_or(event);
        let literal = |node: JsonNode<'_>, key: &str| {
            node.get(key)
                .filter(|value| value.is_kind(JsonKind::String))
                .map_or_else(|| b"\"\"".to_vec(), |value| value.bytes().to_vec())
        };
        if event.has_key("observation") {
            let content = literal(event, "content");
            match self.call_of(event, number_in_list) {
                Some(id) => thread.push_element(
                    ElementMark::Message,
                    place(event),
                    &[
                        b"{\"role\": \"tool\", \"tool_call_id\": ",
                        &id,
                        b", \"content\": ",
                        &content,
                        b"}",
                    ],
                ),
                None => thread.push_element(
                    ElementMark::Message,
                    place(event),
                    &[&message("user", &content)],
                ),
            }
            return;
        }
        let metadata = event
            .get("tool_call_metadata")
            .filter(|metadata| metadata.is_kind(JsonKind::Object));
        if let Some(answer) = metadata.and_then(answer_of) {
            let response = metadata
                .and_then(|metadata| metadata.get_path(&["model_response", "id"])?.as_text())
                .map(Cow::into_owned);
            // Calls at once: the answer was told with the first, the event still is a part of it.
            if let Some(id) = response
                && let known = *self.responses.entry(id).or_insert(thread.len())
                && known < thread.len()
            {
                return thread.add_place(known, (at, event.span()));
            }
            return thread.push_element(ElementMark::Message, place(event), &[answer.bytes()]);
        }
        let kind = event
            .get("action")
            .and_then(JsonNode::as_text)
            .unwrap_or_default();
        let thought = literal(fields, "thought");
        match kind.as_ref() {
            "system" => thread.push_element(
                ElementMark::Message,
                place(event),
                &[&message("system", &literal(fields, "content"))],
            ),
            "message" => {
                // Old logs name no source: what waits for an answer is said by the agent.
                let asks = event
                    .get("wait_for_response")
                    .is_some_and(|value| value.bytes() == b"true");
                let by_agent = event.has_text("source", "agent")
                    || (!event.has_key("source") && asks && !is_first);
                thread.push_element(
                    ElementMark::Message,
                    place(event),
                    &[&message(
                        if by_agent { "assistant" } else { "user" },
                        &literal(fields, "content"),
                    )],
                );
            }
            "finish" => {
                let said = ["final_thought", "thought", "content"]
                    .iter()
                    .map(|key| literal(fields, key))
                    .find(|text| text.len() > 2);
                thread.push_element(
                    ElementMark::Message,
                    place(event),
                    &[&message(
                        "assistant",
                        &said.unwrap_or_else(|| b"\"\"".to_vec()),
                    )],
                );
            }
            "think" => thread.push_element(
                ElementMark::Message,
                place(event),
                &[&message("assistant", &thought)],
            ),
            name => {
                let id = encode_literal(&format!(
                    "event-{}",
                    event
                        .get("id")
                        .and_then(number)
                        .unwrap_or(number_in_list as u64)
                ));
                let own = |key: &[u8]| {
                    !matches!(
                        key,
                        b"\"action\""
                            | b"\"thought\""
                            | b"\"id\""
                            | b"\"source\""
                            | b"\"timestamp\""
                            | b"\"message\""
                    )
                };
                let entries = fields
                    .entries()
                    .filter(|(key, _)| own(key.slice(fields.record_bytes())));
                let entries: Vec<Vec<u8>> = entries
                    .map(|(key, value)| {
                        [key.slice(fields.record_bytes()), b": ", value.bytes()].concat()
                    })
                    .collect();
                let json = [b"{".as_slice(), &entries.join(b", ".as_slice()), b"}"].concat();
                let call = [
                    b"{\"id\": ".as_slice(),
                    &id,
                    b", \"type\": \"function\", \"function\": {\"name\": ",
                    &encode_literal(name),
                    b", \"arguments\": ",
                ];
                let parts = [
                    b"{\"role\": \"assistant\", \"content\": ".as_slice(),
                    &thought,
                    b", \"tool_calls\": [",
                    &call.concat(),
                    &encode_wtf8_literal(&json),
                    b"}}]}",
                ];
                thread.push_element(ElementMark::Message, place(event), &parts);
            }
        }
    }

    /// The id (a literal) of the call that an observation answers.
    fn call_of(&self, event: JsonNode<'_>, number_in_list: usize) -> Option<Vec<u8>> {
        if let Some(id) = event
            .get_path(&["tool_call_metadata", "tool_call_id"])
            .filter(|id| id.is_kind(JsonKind::String))
        {
            return Some(id.bytes().to_vec());
        }
        // Without a cause it answers the action before it.
        let cause = match event.get("cause").and_then(number) {
            Some(cause) => cause,
            None if event.has_key("id") => return None,
            None => number_in_list.checked_sub(1)? as u64,
        };
        Some(encode_literal(&format!("event-{cause}")))
    }
}

/// The message of the model that an action comes from.
fn answer_of(metadata: JsonNode<'_>) -> Option<JsonNode<'_>> {
    let message = metadata
        .get("model_response")?
        .items_of("choices")
        .next()?
        .get("message")?;
    (message.has_key("role") && message.items_of("tool_calls").next().is_some()).then_some(message)
}
