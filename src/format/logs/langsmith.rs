//! LangSmith runs. Every run of a model repeats the whole history, so only the last run of each
//! thread is read, or the run at the root if no model was called. `session_id` is the project, not
//! the conversation. See `docs/reference/formats.md`.

use crate::error::RecordError;
use crate::format::dialects::{LANGCHAIN, OPENAI};
use crate::format::journal::{EventPlace, JournalReader, JournalThread};
use crate::format::logs::last_call::{CallRank, LastCalls};
use crate::format::row::*;
use crate::format::tree::{JsonNode, JsonTree};
use crate::json::{JsonKind, Span};
use crate::transcript::journal::WriteMode;

#[rustfmt::skip]
pub(in crate::format) const LANGSMITH: LogRow = LogRow {
    name: "langsmith",
    help: "LangSmith runs: {\"run_type\", \"inputs\", \"outputs\", ...}, one a line or a list; the last model call of each thread",
    evidence: &[
        conversation("run_type beside inputs", &[If::Of(at("0"), &[all("run_type|inputs")])]),
        event("run_type beside inputs", &[all("run_type|inputs")]),
    ],
    reads: Reads::Own(|| Box::new(LangSmithReader::default())),
};

/// Keys of `extra.metadata` that name the conversation.
const THREAD_KEYS: [&str; 3] = ["thread_id", "session_id", "conversation_id"];

/// The best run of each thread, found run by run.
#[derive(Default)]
struct LangSmithReader {
    runs: LastCalls<EventPlace>,
}

impl JournalReader for LangSmithReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<(), RecordError> {
        if record.is_kind(JsonKind::Array) {
            for run in record.items() {
                self.observe_run(at, run);
            }
        } else {
            self.observe_run(at, record);
        }
        Ok(())
    }

    fn into_threads(self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread> {
        self.runs
            .into_calls()
            .filter_map(|(id, place)| {
                let tree = JsonTree::new(place.bytes(records)).ok()?;
                let mut thread = build_thread(tree.root(), place)?;
                thread.id = id;
                Some(thread)
            })
            .collect()
    }
}

impl LangSmithReader {
    fn observe_run(&mut self, at: usize, run: JsonNode<'_>) {
        let is_root = run
            .get("parent_run_id")
            .is_none_or(|parent| parent.is_kind(JsonKind::Null));
        let is_model = run.has_text("run_type", "llm");
        if !(is_model || is_root) || input_messages(run).is_none() {
            return;
        }
        let metadata = run.get_path(&["extra", "metadata"]);
        let thread = THREAD_KEYS
            .iter()
            .find_map(|key| metadata?.non_empty_text(key))
            .or_else(|| run.non_empty_text("trace_id"))
            .or_else(|| run.non_empty_text("id"));
        let time = run
            .non_empty_text("start_time")
            .or_else(|| run.non_empty_text("dotted_order"))
            .unwrap_or_default();
        let rank = CallRank { is_model, time };
        let place = EventPlace::new(at, run.span());
        if self.runs.is_last(&thread, &rank) {
            self.runs.insert(thread, rank, true, place);
        }
    }
}

/// Returns the messages that a run was given: a list, or the first list of a list.
fn input_messages(run: JsonNode<'_>) -> Option<JsonNode<'_>> {
    let list = run
        .get_path(&["inputs", "messages"])
        .or_else(|| run.get_path(&["outputs", "messages"]))?;
    let first = list.items().next()?;
    Some(if first.is_kind(JsonKind::Array) {
        first
    } else {
        list
    })
}

/// Returns the model's answer.
fn answer_of(run: JsonNode<'_>) -> Option<JsonNode<'_>> {
    let outputs = run.get("outputs")?;
    let choice = outputs.items_of("choices").next();
    first_generation(outputs)
        .or_else(|| choice?.get("message"))
        .or_else(|| outputs.get("message"))
        .or_else(|| outputs.get_kind("output", JsonKind::Object))
}

fn first_generation(outputs: JsonNode<'_>) -> Option<JsonNode<'_>> {
    let first = outputs.items_of("generations").next()?;
    let generation = if first.is_kind(JsonKind::Array) {
        first.items().next()?
    } else {
        first
    };
    generation.get("message")
}

/// Returns the messages that a run returned, if it is the root of a graph, which returns its whole
/// state.
fn returned_state(run: JsonNode<'_>) -> Option<JsonNode<'_>> {
    let list = run.get_path(&["outputs", "messages"])?;
    let first = list.items().next()?;
    first.is_kind(JsonKind::Object).then_some(list)
}

/// Builds the thread of a run. `place` is that of the run.
fn build_thread(run: JsonNode<'_>, place: EventPlace) -> Option<JournalThread> {
    let state = returned_state(run);
    let list = state.or_else(|| input_messages(run))?;
    let is_chat = list
        .items()
        .next()
        .is_some_and(|first| first.has_key("role"));
    let dialect = if is_chat { OPENAI } else { LANGCHAIN };
    let mut thread = JournalThread::new(dialect, "messages", WriteMode::Nowhere, place.record);
    let model = ["ls_model_name", "model_name"]
        .iter()
        .find_map(|key| run.get_path(&["extra", "metadata", key]))
        .or_else(|| run.get_path(&["extra", "invocation_params", "model"]))
        .or_else(|| run.get_path(&["inputs", "model"]));
    thread.model = model.and_then(JsonNode::as_non_empty_text);
    let tools = run
        .get_path(&["extra", "invocation_params", "tools"])
        .or_else(|| run.get_path(&["inputs", "tools"]));
    if let Some(tools) = tools.filter(|tools| tools.is_kind(JsonKind::Array)) {
        thread.add_entry("tools", tools.bytes());
    }
    let answer = match state {
        Some(_) => None,
        None => answer_of(run),
    };
    for message in list.items().chain(answer) {
        let span = message.span();
        let in_record = Span {
            start: place.span.start + span.start,
            end: place.span.start + span.end,
        };
        thread.push_message(EventPlace::new(place.record, in_record), &[message.bytes()]);
    }
    Some(thread)
}
