//! LangSmith runs. Every run of a model repeats the whole history, so only the
//! last one of a thread is read; where no model was called, the run at the root
//! (spec: formats, section 5). `session_id` is the project, not the conversation.

use crate::error::RecordError;
use crate::format::dialects::LANGCHAIN;
use crate::format::dialects::OPENAI;
use crate::format::journal::{DocumentDialect, ElementMark, Journal, JournalReader, JournalThread};
use crate::format::recognition::{Certainty, Recognition, Shape};
use crate::format::tree::{JsonNode, JsonTree};
use crate::json::{JsonKind, Span};
use crate::transcript::journal::WriteMode;
use std::borrow::Cow;
use std::collections::HashMap;

/// Exported runs of LangSmith.
pub(super) struct LangSmithJournal;

/// Keys of `extra.metadata` that name the conversation.
const THREAD_KEYS: [&str; 3] = ["thread_id", "session_id", "conversation_id"];

impl Journal for LangSmithJournal {
    fn name(&self) -> &'static str {
        "langsmith"
    }

    fn help_line(&self) -> &'static str {
        "LangSmith runs: {\"run_type\", \"inputs\", \"outputs\", ...}, one a line or a list; the last model call of each thread"
    }

    fn write_mode(&self) -> WriteMode {
        WriteMode::Nowhere
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let is_run = |node: JsonNode<'_>| node.has_key("run_type") && node.has_key("inputs");
        let is_list = record.items().next().is_some_and(is_run);
        let shape = if is_list {
            Shape::Conversation
        } else {
            Shape::Journal
        };
        (is_list || is_run(record)).then_some(Recognition {
            shape,
            certainty: Certainty::Envelope,
            why: "run_type beside inputs",
        })
    }

    fn new_reader(&self) -> Box<dyn JournalReader> {
        Box::new(LangSmithReader::default())
    }
}

/// One run that may tell a thread.
struct LangSmithRun {
    thread: Option<String>,
    at: usize,
    span: Span,
    /// Runs of models before roots, then the later one.
    rank: (bool, String),
}

/// Runs while they are read: the best of each thread.
#[derive(Default)]
struct LangSmithReader {
    best: Vec<LangSmithRun>,
    by_thread: HashMap<Option<String>, usize>,
}

impl JournalReader for LangSmithReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<(), RecordError> {
        if record.is_kind(JsonKind::Array) {
            record.items().for_each(|run| self.run(at, run));
        } else {
            self.run(at, record);
        }
        Ok(())
    }

    fn into_threads(self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread> {
        let tell = |run: &LangSmithRun| {
            let tree = JsonTree::new(run.span.slice(records[run.at])).ok()?;
            let mut thread = tell(tree.root(), (run.at, run.span))?;
            thread.id.clone_from(&run.thread);
            Some(thread)
        };
        self.best.iter().filter_map(tell).collect()
    }
}

impl LangSmithReader {
    fn run(&mut self, at: usize, run: JsonNode<'_>) {
        let text_at = |node: JsonNode<'_>, key: &str| {
            node.get(key)
                .and_then(JsonNode::as_text)
                .filter(|text| !text.is_empty())
                .map(Cow::into_owned)
        };
        let is_root = run
            .get("parent_run_id")
            .is_none_or(|parent| parent.is_kind(JsonKind::Null));
        let is_model = run.has_text("run_type", "llm");
        if !(is_model || is_root) || messages(run).is_none() {
            return;
        }
        let metadata = run.get_path(&["extra", "metadata"]);
        let named = THREAD_KEYS.iter().find_map(|key| text_at(metadata?, key));
        let thread = named
            .or_else(|| text_at(run, "trace_id"))
            .or_else(|| text_at(run, "id"));
        let when = text_at(run, "start_time")
            .or_else(|| text_at(run, "dotted_order"))
            .unwrap_or_default();
        let new = LangSmithRun {
            thread,
            at,
            span: run.span(),
            rank: (is_model, when),
        };
        let place = *self
            .by_thread
            .entry(new.thread.clone())
            .or_insert(self.best.len());
        match self.best.get_mut(place) {
            // Of equal times the later line.
            Some(known) if known.rank <= new.rank => *known = new,
            Some(_) => {}
            None => self.best.push(new),
        }
    }
}

/// The messages that went in: a list, or a list of one list.
fn messages(run: JsonNode<'_>) -> Option<JsonNode<'_>> {
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

/// What the model answered.
fn answer(run: JsonNode<'_>) -> Option<JsonNode<'_>> {
    let outputs = run.get("outputs")?;
    let generated = || {
        let first = outputs.items_of("generations").next()?;
        let first = if first.is_kind(JsonKind::Array) {
            first.items().next()?
        } else {
            first
        };
        first.get("message")
    };
    let chosen = || outputs.items_of("choices").next()?.get("message");
    generated()
        .or_else(chosen)
        .or_else(|| outputs.get("message"))
        .or_else(|| {
            outputs
                .get("output")
                .filter(|output| output.is_kind(JsonKind::Object))
        })
}

fn tell(run: JsonNode<'_>, place: (usize, Span)) -> Option<JournalThread> {
    // The root of a graph gives its whole state back.
    let whole = run.get_path(&["outputs", "messages"]).filter(|list| {
        list.items()
            .next()
            .is_some_and(|first| first.is_kind(JsonKind::Object))
    });
    let list = whole.or_else(|| messages(run))?;
    let is_chat = list
        .items()
        .next()
        .is_some_and(|first| first.has_key("role"));
    let dialect: DocumentDialect = if is_chat { OPENAI } else { LANGCHAIN };
    let mut thread = JournalThread::new(dialect, "messages", WriteMode::Nowhere, place.0);
    let model = ["ls_model_name", "model_name"]
        .iter()
        .find_map(|key| run.get_path(&["extra", "metadata", key]));
    let model = model
        .or_else(|| run.get_path(&["extra", "invocation_params", "model"]))
        .or_else(|| run.get_path(&["inputs", "model"]));
    thread.model = model
        .and_then(JsonNode::as_text)
        .filter(|model| !model.is_empty())
        .map(Cow::into_owned);
    let tools = run
        .get_path(&["extra", "invocation_params", "tools"])
        .or_else(|| run.get_path(&["inputs", "tools"]));
    if let Some(tools) = tools.filter(|tools| tools.is_kind(JsonKind::Array)) {
        thread.add_entry("tools", tools.bytes());
    }
    let answer = if whole.is_some() { None } else { answer(run) };
    for message in list.items().chain(answer) {
        let span = message.span();
        let span = Span {
            start: place.1.start + span.start,
            end: place.1.start + span.end,
        };
        thread.push_element(
            ElementMark::Message,
            vec![(place.0, span)],
            &[message.bytes()],
        );
    }
    Some(thread)
}
