//! LangSmith runs. Every run of a model repeats the whole history, so only the
//! last one of a thread is read; where no model was called, the run at the root
//! (spec: formats, section 5). `session_id` is the project, not the conversation.

use crate::error::RecordError;
use crate::format::Format;
use crate::format::journal::{Journal, Mark, Reader, Thread};
use crate::format::langchain::LangChain;
use crate::format::openai::OpenAi;
use crate::format::tree::{Node, Tree};
use crate::format::{Certainty, Hit, Shape};
use crate::json::{Kind, Span};
use crate::transcript::journal::Writes;
use std::borrow::Cow;
use std::collections::HashMap;

/// Exported runs of LangSmith.
pub(super) struct LangSmith;

/// Keys of `extra.metadata` that name the conversation.
const THREAD_KEYS: [&str; 3] = ["thread_id", "session_id", "conversation_id"];

impl Journal for LangSmith {
    fn name(&self) -> &'static str {
        "langsmith"
    }

    fn about(&self) -> &'static str {
        "LangSmith runs: {\"run_type\", \"inputs\", \"outputs\", ...}, one a line or a list; the last model call of each thread"
    }

    fn writes(&self) -> Writes {
        Writes::Nowhere
    }

    fn recognise(&self, record: Node<'_>) -> Option<Hit> {
        let is_run = |node: Node<'_>| node.has("run_type") && node.has("inputs");
        let is_list = record.items().next().is_some_and(is_run);
        let shape = if is_list {
            Shape::Conversation
        } else {
            Shape::Journal
        };
        (is_list || is_run(record)).then_some(Hit {
            shape,
            certainty: Certainty::Envelope,
            why: "run_type beside inputs",
        })
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(Runs::default())
    }
}

/// One run that may tell a thread.
struct Run {
    thread: Option<String>,
    at: usize,
    span: Span,
    /// Runs of models before roots, then the later one.
    rank: (bool, String),
}

/// Runs while they are read: the best of each thread.
#[derive(Default)]
struct Runs {
    best: Vec<Run>,
    by_thread: HashMap<Option<String>, usize>,
}

impl Reader for Runs {
    fn see(&mut self, at: usize, record: Node<'_>) -> Result<(), RecordError> {
        if record.is(Kind::Array) {
            record.items().for_each(|run| self.run(at, run));
        } else {
            self.run(at, record);
        }
        Ok(())
    }

    fn threads(self: Box<Self>, records: &[&[u8]]) -> Vec<Thread> {
        let tell = |run: &Run| {
            let tree = Tree::new(run.span.of(records[run.at])).ok()?;
            let mut thread = tell(tree.root(), (run.at, run.span))?;
            thread.id.clone_from(&run.thread);
            Some(thread)
        };
        self.best.iter().filter_map(tell).collect()
    }
}

impl Runs {
    fn run(&mut self, at: usize, run: Node<'_>) {
        let text_at = |node: Node<'_>, key: &str| {
            node.get(key)
                .and_then(Node::text)
                .filter(|text| !text.is_empty())
                .map(Cow::into_owned)
        };
        let is_root = run
            .get("parent_run_id")
            .is_none_or(|parent| parent.is(Kind::Null));
        let is_model = run.says("run_type", "llm");
        if !(is_model || is_root) || messages(run).is_none() {
            return;
        }
        let metadata = run.at(&["extra", "metadata"]);
        let named = THREAD_KEYS.iter().find_map(|key| text_at(metadata?, key));
        let thread = named
            .or_else(|| text_at(run, "trace_id"))
            .or_else(|| text_at(run, "id"));
        let when = text_at(run, "start_time")
            .or_else(|| text_at(run, "dotted_order"))
            .unwrap_or_default();
        let new = Run {
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
fn messages(run: Node<'_>) -> Option<Node<'_>> {
    let list = run
        .at(&["inputs", "messages"])
        .or_else(|| run.at(&["outputs", "messages"]))?;
    let first = list.items().next()?;
    Some(if first.is(Kind::Array) { first } else { list })
}

/// What the model answered.
fn answer(run: Node<'_>) -> Option<Node<'_>> {
    let outputs = run.get("outputs")?;
    let generated = || {
        let first = outputs.list("generations").next()?;
        let first = if first.is(Kind::Array) {
            first.items().next()?
        } else {
            first
        };
        first.get("message")
    };
    let chosen = || outputs.list("choices").next()?.get("message");
    generated()
        .or_else(chosen)
        .or_else(|| outputs.get("message"))
        .or_else(|| {
            outputs
                .get("output")
                .filter(|output| output.is(Kind::Object))
        })
}

fn tell(run: Node<'_>, place: (usize, Span)) -> Option<Thread> {
    // The root of a graph gives its whole state back.
    let whole = run.at(&["outputs", "messages"]).filter(|list| {
        list.items()
            .next()
            .is_some_and(|first| first.is(Kind::Object))
    });
    let list = whole.or_else(|| messages(run))?;
    let is_chat = list.items().next().is_some_and(|first| first.has("role"));
    let dialect: &'static dyn Format = if is_chat { &OpenAi } else { &LangChain };
    let mut thread = Thread::new(dialect, "messages", Writes::Nowhere, place.0);
    let model = ["ls_model_name", "model_name"]
        .iter()
        .find_map(|key| run.at(&["extra", "metadata", key]));
    let model = model
        .or_else(|| run.at(&["extra", "invocation_params", "model"]))
        .or_else(|| run.at(&["inputs", "model"]));
    thread.model = model
        .and_then(Node::text)
        .filter(|model| !model.is_empty())
        .map(Cow::into_owned);
    let tools = run
        .at(&["extra", "invocation_params", "tools"])
        .or_else(|| run.at(&["inputs", "tools"]));
    if let Some(tools) = tools.filter(|tools| tools.is(Kind::Array)) {
        thread.key("tools", tools.bytes());
    }
    let answer = if whole.is_some() { None } else { answer(run) };
    for message in list.items().chain(answer) {
        let span = message.span();
        let span = Span {
            start: place.1.start + span.start,
            end: place.1.start + span.end,
        };
        thread.push(Mark::Message, vec![(place.0, span)], &[message.bytes()]);
    }
    Some(thread)
}
