//! LangSmith runs. Every run of a model repeats the whole history, so only the last run of each
//! thread is read, or the run at the root if no model was called. `session_id` is the project, not
//! the conversation. See `docs/reference/formats.md`.

use crate::reading::format::anthropic::ANTHROPIC_CHAT;
use crate::reading::format::logs::last_call::{CallRank, LastCalls};
use crate::reading::format::row::prelude::*;

#[rustfmt::skip]
pub(crate) const LANGSMITH: LogRow = LogRow {
    name: "langsmith",
    help: "LangSmith runs: {\"run_type\", \"inputs\", \"outputs\", ...}, one a line or a list; the last model call of each thread",
    evidence: &[
        conversation("run_type beside inputs", &[If::Of(at("0"), &[all("run_type|inputs")])]),
        event("run_type beside inputs", &[all("run_type|inputs")]),
    ],
    reads: Reads::Own(|| Box::new(LangSmithReader::default())),
};

/// The conversation of a run.
const THREAD: At = at("extra.metadata.thread_id|extra.metadata.session_id\
    |extra.metadata.conversation_id|trace_id|id");
const MODEL: At = at("extra.metadata.ls_model_name|extra.metadata.model_name\
    |extra.invocation_params.model|inputs.model");

/// The best run of each thread, found run by run.
#[derive(Default)]
struct LangSmithReader {
    runs: LastCalls,
}

impl JournalReader for LangSmithReader {
    fn observe_record(&mut self, record: JsonNode<'_>) -> Result<()> {
        if record.is_kind(JsonKind::Array) {
            return record.items().try_for_each(|run| self.observe_run(run));
        }
        self.observe_run(record)
    }

    fn into_threads(self: Box<Self>, _: &[&[u8]]) -> Vec<JournalThread> {
        self.runs.into_threads("runs before the last")
    }
}

impl LangSmithReader {
    fn observe_run(&mut self, run: JsonNode<'_>) -> Result<()> {
        let is_root = run.get("parent_run_id").is_none_or(|parent| parent.is_kind(JsonKind::Null));
        let is_model = run.has_text("run_type", "llm");
        let Some(messages) = input_messages(run).filter(|_| is_model || is_root) else {
            return Ok(());
        };
        let time = at("start_time|dotted_order").text(run).unwrap_or_default();
        let rank = CallRank { is_model, time };
        let build = || Ok(build_thread(run, messages));
        self.runs.offer(true, THREAD.text(run), rank, build, run)
    }
}

/// Returns the messages that a run was given: a list, or the first list of a list.
fn input_messages(run: JsonNode<'_>) -> Option<JsonNode<'_>> {
    let list = at("inputs.messages|outputs.messages").node(run)?;
    let first = list.items().next()?;
    Some(if first.is_kind(JsonKind::Array) { first } else { list })
}

/// Returns the model's answer.
fn answer_of(run: JsonNode<'_>) -> Option<JsonNode<'_>> {
    let outputs = run.get("outputs")?;
    let first = at("generations.0.0|generations.0").node(outputs);
    let generation = first.and_then(|generation| generation.get("message"));
    generation
        .or_else(|| at("choices.0.message|message").node(outputs))
        .or_else(|| outputs.get_kind("output", JsonKind::Object))
        // The wrapper of Anthropic's client returns the answer itself.
        .or_else(|| outputs.has_text("role", "assistant").then_some(outputs))
}

/// Returns true if a run was one of Anthropic's API.
fn is_anthropic(run: JsonNode<'_>, answer: Option<JsonNode<'_>>) -> bool {
    let inputs = run.get("inputs");
    inputs.is_some_and(|inputs| ANTHROPIC_CHAT.recognize_record(inputs).is_some())
        || answer.is_some_and(|answer| answer.has_key("stop_reason"))
}

/// Returns the messages that a run returned, if it is the root of a graph, which returns its whole
/// state.
fn returned_state(run: JsonNode<'_>) -> Option<JsonNode<'_>> {
    let list = run.get_path(&["outputs", "messages"])?;
    let first = list.items().next()?;
    first.is_kind(JsonKind::Object).then_some(list)
}

/// Builds the thread of a run that was given these messages.
fn build_thread(run: JsonNode<'_>, given: JsonNode<'_>) -> JournalThread {
    let state = returned_state(run);
    let list = state.unwrap_or(given);
    let is_chat = list.items().next().is_some_and(|first| first.has_key("role"));
    let answer = match state {
        Some(_) => None,
        None => answer_of(run),
    };
    let dialect = match is_chat {
        false => LANGCHAIN,
        true if is_anthropic(run, answer) => ANTHROPIC,
        true => OPENAI,
    };
    let mut thread = JournalThread::new_read_only(dialect);
    thread.model = MODEL.text(run);
    let tools = at("extra.invocation_params.tools|inputs.tools").node(run);
    if let Some(tools) = tools.filter(|tools| tools.is_kind(JsonKind::Array)) {
        thread.add_entry("tools", tools.bytes());
    }
    let prompt = run.get_path(&["inputs", "system"]);
    if let Some(prompt) = prompt.filter(|_| dialect.name == ANTHROPIC.name) {
        thread.add_entry("system", prompt.bytes());
    }
    for message in list.items().chain(answer) {
        thread.push_node(message);
    }
    thread
}
