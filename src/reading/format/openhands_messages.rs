//! The events of OpenHands as messages in the dialect of OpenAI.
//!
//! An observation answers the action that is its `cause`. Actions that come from one answer of the
//! model share its `model_response`, which becomes one message.

use crate::reading::format::dialects::OPENAI;
use crate::reading::format::prelude::*;
use serde_json::Value;

/// Actions and observations that the model never sees.
const UNSENT: &[If] = &[If::Any(&[is("action", UNSENT_TYPES), is("observation", UNSENT_TYPES)])];
const UNSENT_TYPES: &str = "change_agent_state|agent_state_changed|null|recall|condensation\
    |condensation_request";
/// Keys (as literals) of an action that are not arguments of its call.
const OUTER_KEYS: [&[u8]; 6] =
    [b"\"action\"", b"\"thought\"", b"\"id\"", b"\"source\"", b"\"timestamp\"", b"\"message\""];
const EMPTY_LITERAL: &[u8] = b"\"\"";

#[derive(Clone, Copy)]
pub(super) struct OpenHandsEvent<'t>(pub(super) JsonNode<'t>);

/// Returns true if a node is an action or an observation. In the oldest logs the fields of an
/// action are beside it.
pub(super) fn is_event(node: JsonNode<'_>) -> bool {
    (node.literal_at("action").is_some() || node.literal_at("observation").is_some())
        && !["role", "messages", "parts"].iter().any(|key| node.has_key(key))
}

impl<'t> OpenHandsEvent<'t> {
    fn id(self) -> Option<u64> {
        self.0.get("id")?.as_u64()
    }

    fn is_of_type(self, kind: &str) -> bool {
        self.0.has_text("action", kind) || self.0.has_text("observation", kind)
    }

    /// Returns true if the model sees the event.
    fn is_sent(self) -> bool {
        let is_recalled = self.is_of_type("recall")
            && self.0.has_key("observation")
            && self.0.non_empty_text("content").is_some();
        is_event(self.0) && (is_recalled || !hold(UNSENT, self.0))
    }

    /// Returns the object with the fields of an action: its `args`, or the event itself.
    fn fields(self) -> JsonNode<'t> {
        self.0.get_kind("args", JsonKind::Object).unwrap_or(self.0)
    }

    /// Returns the literal of a field of an action.
    fn field(self, key: &str) -> &'t [u8] {
        self.fields().literal_or_empty(key)
    }
}

/// The effect of all condensations: the events that they forget, and the last summary.
#[derive(Default)]
struct Condensation<'t> {
    forgotten: HashSet<u64>,
    /// The ranges of events that are forgotten, too, by their starts. Each ends where the furthest
    /// up to it ends, so that one of them tells whether any holds an event.
    ranges: Vec<ForgottenRange>,
    summary: Option<CondensedSummary<'t>>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ForgottenRange {
    start: u64,
    end: u64,
}

struct CondensedSummary<'t> {
    place: EventPlace,
    literal: JsonNode<'t>,
    /// The number of messages before the summary.
    offset: u64,
}

impl<'t> Condensation<'t> {
    fn of_events(events: &[OpenHandsEvent<'t>]) -> Self {
        let mut condensation = Self::default();
        let actions = events.iter().filter(|event| event.0.has_text("action", "condensation"));
        for OpenHandsEvent(node) in actions {
            let Some(arguments) = node.get("args") else {
                continue;
            };
            condensation.forget_events(arguments);
            if let Some(literal) = arguments.get_kind("summary", JsonKind::String) {
                condensation.summary = Some(CondensedSummary {
                    place: literal.place(),
                    literal,
                    offset: at("summary_offset").count(arguments).unwrap_or(0),
                });
            }
        }
        condensation.ranges.sort_unstable();
        let mut furthest = 0;
        for range in &mut condensation.ranges {
            furthest = furthest.max(range.end);
            range.end = furthest;
        }
        condensation
    }

    fn forgets(&self, event: u64) -> bool {
        let begun = self.ranges.partition_point(|range| range.start <= event);
        let range = begun.checked_sub(1).map(|last| self.ranges[last]);
        self.forgotten.contains(&event) || range.is_some_and(|range| event <= range.end)
    }

    /// Forgets the events that the arguments of a condensation list, or that are in their range.
    fn forget_events(&mut self, arguments: JsonNode<'_>) {
        // The list may be longer than the tree keeps.
        let listed = arguments.get_kind("forgotten_event_ids", JsonKind::Array);
        let listed =
            listed.and_then(|list| serde_json::from_slice::<Vec<Value>>(list.bytes()).ok());
        let listed = listed.unwrap_or_default();
        self.forgotten.extend(listed.iter().filter_map(Value::as_u64));
        let start = at("forgotten_events_start_id").count(arguments);
        let end = at("forgotten_events_end_id").count(arguments);
        if let (Some(start), Some(end)) = (start, end) {
            self.ranges.push(ForgottenRange { start, end });
        }
    }

    /// Appends the summary when `messages` events of the conversation come before it, or at the
    /// end (`None`).
    fn push_summary(&mut self, thread: &mut JournalThread, messages: Option<u64>) {
        let is_due = self
            .summary
            .as_ref()
            .is_some_and(|summary| messages.is_none_or(|messages| messages >= summary.offset));
        if let Some(summary) = self.summary.take_if(|_| is_due) {
            let CondensedSummary { place, literal, .. } = summary;
            thread.push_said(ElementMark::Summary, place, "user", literal.bytes());
        }
    }
}

/// Builds the thread of the events that the model sees.
pub(super) fn build_thread(events: &[OpenHandsEvent<'_>], write_mode: WriteMode) -> JournalThread {
    let last = events.last().map_or(0, |event| event.0.record_index());
    let mut thread = JournalThread::new(OPENAI, write_mode, last);
    let mut condensation = Condensation::of_events(events);
    let system = events.iter().find(|event| event.0.has_text("action", "system"));
    let tools = system
        .and_then(|event| event.0.get_path(&["args", "tools"]))
        .filter(|tools| tools.items().next().is_some());
    if let Some(tools) = tools {
        thread.add_entry("tools", tools.bytes());
    }
    thread.model = events.iter().rev().find_map(|event| {
        let path = ["tool_call_metadata", "model_response", "model"];
        let model = event.0.get_path(&path)?.as_text()?;
        Some(model.into_owned())
    });
    let mut writer = OpenHandsWriter { thread, answers: HashMap::new(), is_first: true };
    let mut messages = 0;
    for (number, event) in events.iter().enumerate() {
        let is_sent = event.is_sent();
        let is_forgotten = event.id().is_some_and(|id| condensation.forgets(id));
        if !is_sent || is_forgotten {
            let what =
                if is_sent { "events that were forgotten" } else { "events that are not sent" };
            writer.thread.note_left_out(what, event.0.record_index());
            continue;
        }
        if event.0.has_key("extras") {
            writer.thread.note_left_out("extras of events", event.0.record_index());
        }
        condensation.push_summary(&mut writer.thread, Some(messages));
        messages += 1;
        writer.push_event(*event, number);
    }
    condensation.push_summary(&mut writer.thread, None);
    writer.thread
}

/// A thread to which events are appended.
struct OpenHandsWriter {
    thread: JournalThread,
    /// The answers of the model that were appended with their first action: their elements, by id.
    answers: HashMap<String, usize>,
    /// True until the first event is appended.
    is_first: bool,
}

impl OpenHandsWriter {
    /// Appends an event; `number` is its index in the list.
    fn push_event(&mut self, event: OpenHandsEvent<'_>, number: usize) {
        let is_first = std::mem::take(&mut self.is_first);
        if event.0.has_key("observation") {
            return self.push_observation(event, number);
        }
        let metadata = event.0.get_kind("tool_call_metadata", JsonKind::Object);
        if let Some(metadata) = metadata
            && let Some(answer) = model_answer(metadata)
        {
            return self.push_answer(event, metadata, answer);
        }
        let kind = event.0.get_text("action").unwrap_or_default();
        match kind.as_ref() {
            "system" => self.push_text(event, "system", event.field("content")),
            "message" => {
                let role = if is_by_agent(event, is_first) { "assistant" } else { "user" };
                self.push_text(event, role, event.field("content"));
            }
            "finish" => {
                let text = ["final_thought", "thought", "content"]
                    .iter()
                    .map(|key| event.field(key))
                    .find(|literal| *literal != EMPTY_LITERAL);
                self.push_text(event, "assistant", text.unwrap_or(EMPTY_LITERAL));
            }
            "think" => self.push_text(event, "assistant", event.field("thought")),
            name => self.push_call(event, name, number),
        }
    }

    fn push_text(&mut self, event: OpenHandsEvent<'_>, role: &str, literal: &[u8]) {
        self.thread.push_said(ElementMark::Message, event.0.place(), role, literal);
    }

    fn push_observation(&mut self, event: OpenHandsEvent<'_>, number: usize) {
        let content = event.0.literal_or_empty("content");
        let content = &match event.0.get_path(&["extras", "metadata"]) {
            Some(metadata) if event.is_of_type("run") => sent_output(content, metadata),
            _ => content.to_vec(),
        };
        match answered_call(event, number) {
            Some(id) => self.thread.push_message(
                event.0.place(),
                &fill_json(r#"{"role": "tool", "tool_call_id": $, "content": $}"#, &[&id, content]),
            ),
            None => self.push_text(event, "user", content),
        }
    }

    /// Appends the answer of the model that an action comes from. If another action has already
    /// appended it, the event is added to that message.
    fn push_answer(
        &mut self,
        event: OpenHandsEvent<'_>,
        metadata: JsonNode<'_>,
        answer: JsonNode<'_>,
    ) {
        let id = metadata.get_path(&["model_response", "id"]).and_then(JsonNode::as_text);
        if let Some(id) = id.map(Cow::into_owned) {
            let next = self.thread.len();
            let known = *self.answers.entry(id).or_insert(next);
            if known < next {
                return self.thread.add_place(known, event.0.place());
            }
        }
        self.thread.push_message(event.0.place(), answer.bytes());
    }

    /// Appends an action as a call of a tool with its name.
    fn push_call(&mut self, event: OpenHandsEvent<'_>, name: &str, number: usize) {
        let id = event.id().unwrap_or(number as u64);
        let fields = event.fields();
        let arguments: Vec<Vec<u8>> = fields
            .entries()
            .map(|(key, value)| (key.slice(fields.record_bytes()), value.bytes()))
            .filter(|(key, _)| !OUTER_KEYS.contains(key))
            .map(|(key, value)| fill_json("$: $", &[key, value]))
            .collect();
        let arguments = fill_json("{$}", &[&arguments.join(b", ".as_slice())]);
        self.thread.push_message(event.0.place(), &fill_json(r#"{"role": "assistant", "content": $, "tool_calls": [{"id": $, "type": "function", "function": {"name": $, "arguments": $}}]}"#, &[event.field("thought"), &event_call_id(id), &encode_literal(name), &encode_wtf8_literal(&arguments)]));
    }
}

/// Returns the literal of what the model sees of a command's output: what was printed around it, where
/// the command ran, and its exit code.
fn sent_output(content: &[u8], metadata: JsonNode<'_>) -> Vec<u8> {
    let text = |key| metadata.literal_or_empty(key);
    let inner = |literal: &[u8]| literal[1..literal.len() - 1].to_vec();
    let mut sent = [text("prefix"), content, text("suffix")].map(inner).concat();
    for (key, what) in [
        ("working_dir", "Current working directory"),
        ("py_interpreter_path", "Python interpreter"),
    ] {
        if text(key) != EMPTY_LITERAL {
            let value = inner(text(key));
            sent = [&sent, format!("\\n[{what}: ").as_bytes(), &value, b"]"].concat();
        }
    }
    let code = metadata.get_kind("exit_code", JsonKind::Number);
    if let Some(code) = code.map(JsonNode::bytes).filter(|code| *code != b"-1") {
        let code = [b"\\n[Command finished with exit code ", code, b"]"].concat();
        sent.extend_from_slice(&code);
    }
    fill_json(r#""$""#, &[sent.as_slice()])
}

/// Returns true if a message is the agent's. In old logs without sources, a message that waits for
/// an answer is the agent's unless it is the first event.
fn is_by_agent(event: OpenHandsEvent<'_>, is_first: bool) -> bool {
    let node = event.0;
    node.has_text("source", "agent")
        || (!node.has_key("source") && node.has_true("wait_for_response") && !is_first)
}

/// Returns the literal of the id of an action's call.
fn event_call_id(event: u64) -> Vec<u8> {
    encode_literal(&format!("event-{event}"))
}

/// Returns the literal of the id of the call that an observation answers. Without a cause it
/// answers the event before it.
fn answered_call(event: OpenHandsEvent<'_>, number: usize) -> Option<Vec<u8>> {
    let node = event.0;
    let id = node.get_path(&["tool_call_metadata", "tool_call_id"]);
    if let Some(id) = id.filter(|id| id.is_kind(JsonKind::String)) {
        return Some(id.bytes().to_vec());
    }
    match at("cause").count(node) {
        Some(cause) => Some(event_call_id(cause)),
        None if node.has_key("id") => None,
        None => Some(event_call_id(number.checked_sub(1)? as u64)),
    }
}

/// Returns the message of the model that an action comes from, if it has calls.
fn model_answer(metadata: JsonNode<'_>) -> Option<JsonNode<'_>> {
    let response = metadata.get("model_response")?;
    let message = response.items_of("choices").next()?.get("message")?;
    let has_calls = message.items_of("tool_calls").next().is_some();
    (message.has_key("role") && has_calls).then_some(message)
}
