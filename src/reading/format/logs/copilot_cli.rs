//! Events of the GitHub Copilot CLI (`~/.copilot/session-state/*/events.jsonl`): one event a line,
//! `{"type", "data", "id", "timestamp", "parentId"}`. Messages are whole; the start of a tool
//! repeats the call that the answer holds. Sub-agents are recognized by the call that started them.

use crate::reading::format::row::prelude::*;

#[rustfmt::skip]
pub(crate) const COPILOT_CLI: LogRow = LogRow {
    name: "copilot-cli",
    help: "GitHub Copilot CLI events (~/.copilot/session-state/*/events.jsonl): {\"type\", \"data\", \"id\", ...}",
    evidence: &[
        event("a type user.*, assistant.*, ... beside data", &[
            starts("type", TYPES),
            kind("data", OBJECT),
            all("id|timestamp"),
        ]),
    ],
    reads: Reads::Own(|| Box::new(CopilotCliReader::default())),
};

/// The beginnings of the types of events.
const TYPES: &str =
    "session.|user.|assistant.|tool.|system.|hook.|subagent.|skill.|permission.|abort";

/// The types of events that hold a part of the conversation.
const TURN_TYPES: [&str; 5] = [
    "system.message", "user.message", "assistant.message", "tool.execution_start",
    "tool.execution_complete",
];

/// A compaction that succeeded and tells its summary.
const SUMMARIZED: &[If] =
    &[truth("success"), kind("summaryContent", TEXT), If::Not(&[is("summaryContent", "")])];

/// An event that holds a part of a conversation.
struct CopilotEvent {
    id: Option<String>,
    /// The sub-agent; `None` for the main agent.
    agent: Option<String>,
    place: EventPlace,
}

/// Events, read line by line.
#[derive(Default)]
struct CopilotCliReader {
    id: Option<String>,
    model: Option<String>,
    events: Vec<CopilotEvent>,
    /// The number of `events` before each event of the log, by its id.
    before: HashMap<String, usize>,
    /// The number of events before the compaction that runs now.
    compacted: usize,
}

impl JournalReader for CopilotCliReader {
    fn observe_record(&mut self, record: JsonNode<'_>) -> Result<()> {
        let Some(data) = record.get("data") else {
            return Ok(());
        };
        let data = data.must_be(JsonKind::Object, "data")?;
        let kind = record.get_text("type");
        let kind = kind.as_deref().unwrap_or_default();
        let event = CopilotEvent {
            id: record.non_empty_text("id"),
            agent: record
                .non_empty_text("agentId")
                .or_else(|| data.non_empty_text("parentToolCallId")),
            place: record.place(),
        };
        if let Some(id) = &event.id {
            self.before.insert(id.clone(), self.events.len());
        }
        match kind {
            "session.start" | "session.resume" | "session.model_change" => {
                at("sessionId").first_into(&mut self.id, data);
                at("newModel|selectedModel").last_into(&mut self.model, data);
            }
            "session.snapshot_rewind" => self.rewind(data),
            "session.compaction_start" if event.agent.is_none() => {
                self.compacted = self.events.len();
            }
            "session.compaction_complete" if event.agent.is_none() && hold(SUMMARIZED, data) => {
                self.replace_compacted(event);
            }
            kind if TURN_TYPES.contains(&kind) => {
                check_turn(kind, data)?;
                self.events.push(event);
            }
            _ => {}
        }
        Ok(())
    }

    fn into_threads(self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread> {
        let mut agents = Agents::default();
        for event in self.events {
            let Ok(tree) = event.place.tree(records) else {
                continue;
            };
            let new = || CopilotThread::new(&self.model);
            let agent = agents.agent(event.agent, new);
            agent.push_event(tree.root(), event.place);
        }
        agents.into_threads(self.id, |agent| agent.thread)
    }
}

/// Checks that a message has a text or calls.
fn check_turn(kind: &str, data: JsonNode<'_>) -> Result<()> {
    if !kind.ends_with(".message") {
        return Ok(());
    }
    match data.get("content") {
        Some(content) if !content.is_kind(JsonKind::Null) => {
            content.must_be(JsonKind::String, "data.content").map(drop)
        }
        _ if kind == "assistant.message" && data.has_key("toolRequests") => Ok(()),
        _ => Err(data.missing_key("data.content")),
    }
}

impl CopilotCliReader {
    /// Takes back events: those that are listed, or one and all that follow it.
    fn rewind(&mut self, data: JsonNode<'_>) {
        let listed: HashSet<String> =
            data.items_of("eventIds").filter_map(JsonNode::as_non_empty_text).collect();
        self.events.retain(|event| !event.id.as_ref().is_some_and(|id| listed.contains(id)));
        let target = data.non_empty_text("upToEventId").filter(|_| listed.is_empty());
        if let Some(from) = target.and_then(|id| self.before.get(&id)) {
            self.events.truncate(*from);
        }
        self.compacted = self.compacted.min(self.events.len());
    }

    /// Puts a summary in the place of the main agent's events before the compaction began.
    fn replace_compacted(&mut self, summary: CopilotEvent) {
        let after = self.events.split_off(self.compacted);
        let of_agents = std::mem::take(&mut self.events);
        self.events.extend(of_agents.into_iter().filter(|event| event.agent.is_some()));
        self.events.push(summary);
        self.events.extend(after);
        self.before.clear();
        self.compacted = 0;
    }
}

/// A thread while its events are added.
struct CopilotThread {
    thread: JournalThread,
    /// The element of each call, by its id.
    calls: HashMap<String, usize>,
}

impl CopilotThread {
    fn new(model: &Option<String>) -> Self {
        let mut thread = JournalThread::new_read_only(OPENAI);
        thread.model.clone_from(model);
        Self { thread, calls: HashMap::new() }
    }

    fn push_event(&mut self, event: JsonNode<'_>, place: EventPlace) {
        let Some(data) = event.get("data") else {
            return;
        };
        match event.get_text("type").as_deref() {
            Some("system.message") => self.push(
                MessageBuilder::new("system").with_content(data.bytes_or_null("content")),
                place,
            ),
            Some("user.message") => {
                self.push(MessageBuilder::new("user").with_content(sent_text(data)), place)
            }
            Some("assistant.message") => self.push_answer(data, place),
            Some("tool.execution_start") => self.push_start(data, place),
            Some("tool.execution_complete") => {
                let result = MessageBuilder::new_result(Some(data.bytes_or_null("toolCallId")));
                let mut result = result.with_output(result_content(data));
                result.set_failed(hold(&[If::False(at("success"))], data));
                self.push(result, place);
            }
            _ => {
                let summary = data.bytes_or_null("summaryContent");
                let mut summary = MessageBuilder::new("user").with_content(summary);
                summary.mark = ElementMark::Summary;
                self.push(summary, place);
            }
        }
    }

    fn push(&mut self, message: MessageBuilder, place: EventPlace) {
        message.with_place(place).push_whole(&mut self.thread);
    }

    fn push_answer(&mut self, data: JsonNode<'_>, place: EventPlace) {
        let mut answer = MessageBuilder::new("assistant");
        if let Some(content) = data.literal_bytes("content") {
            answer = answer.with_content(content);
        }
        answer.set_reasoning(data.literal_bytes("reasoningText"));
        for request in data.items_of("toolRequests") {
            push_call(&mut answer, request, "name");
            if let Some(id) = request.non_empty_text("toolCallId") {
                self.calls.insert(id, self.thread.len());
            }
        }
        if let Some(model) = data.non_empty_text("model") {
            self.thread.model = Some(model);
        }
        self.push(answer, place);
    }

    /// Adds the start of a tool to its call. A tool that the user started has no other call.
    fn push_start(&mut self, data: JsonNode<'_>, place: EventPlace) {
        let id = data.non_empty_text("toolCallId").unwrap_or_default();
        if let Some(element) = self.calls.get(&id) {
            self.thread.add_place(*element, place);
            return;
        }
        self.calls.insert(id, self.thread.len());
        let mut answer = MessageBuilder::new("assistant");
        push_call(&mut answer, data, "toolName");
        self.push(answer, place);
    }
}

fn push_call(answer: &mut MessageBuilder, call: JsonNode<'_>, name: &str) {
    let arguments = call.get("arguments").map_or(b"{}".as_slice(), JsonNode::bytes);
    let id = call.bytes_or_null("toolCallId");
    answer.push_logged_call(id, call.bytes_or_null(name), arguments);
}

/// Returns the literal of a user's message as it was sent: with the date and reminders around what
/// the user typed, where the log has it so.
fn sent_text(data: JsonNode<'_>) -> &[u8] {
    data.literal_bytes("transformedContent")
        .filter(|literal| !is_empty_literal(literal))
        .unwrap_or_else(|| data.bytes_or_null("content"))
}

/// Returns the JSON of a result: what the model was given, or the error.
fn result_content(data: JsonNode<'_>) -> &[u8] {
    let text = at("result.content|error.message").literal(data);
    let mut values = at("result|error").nodes(data);
    let value = values.find(|value| !value.is_kind(JsonKind::Null));
    text.or(value.map(JsonNode::bytes)).unwrap_or(b"\"\"")
}
