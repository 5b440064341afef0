//! The input and output of a model call, as a tracer logs them: messages in the dialect of whoever
//! was called, as JSON or as JSON within a string.

use crate::error::RecordError;
use crate::format::dialects::{ANTHROPIC, GEMINI, LANGCHAIN, OPENAI};
use crate::format::journal::{DocumentDialect, EventPlace, JournalThread};
use crate::format::logs::vercel_model_messages::{MODEL_MESSAGE, MODEL_MESSAGES};
use crate::format::message_builder::unknown_content_error;
use crate::format::row::prelude::hold;
use crate::format::tree::{JsonNode, JsonTree};
use crate::json::{JsonKind, decode_literal, encode_wtf8_literal, is_empty_literal};

/// A model call.
#[derive(Clone, Copy)]
pub(in crate::format) struct TracedCall<'t> {
    pub(in crate::format) input: Option<JsonNode<'t>>,
    pub(in crate::format) output: Option<JsonNode<'t>>,
    /// The place of messages that are JSON within a string, or no messages at all.
    pub(in crate::format) place: EventPlace,
}

/// Types of blocks by which messages of Anthropic are told.
const ANTHROPIC_BLOCKS: [&str; 3] = ["tool_use", "tool_result", "thinking"];
/// Types of messages of LangChain.
const LANGCHAIN_TYPES: [&str; 5] = ["human", "ai", "system", "tool", "function"];
/// Keys of a message of OpenAI that hold its text or its calls.
const CONTENT_KEYS: [&str; 3] = ["content", "tool_calls", "function_call"];

/// Builds the thread of a call: its messages, and the answer.
///
/// # Errors
///
/// Returns an error if a message holds no text that is known.
pub(in crate::format) fn build_call_thread(
    call: TracedCall<'_>,
) -> Result<JournalThread, RecordError> {
    // A string may hold JSON. What it holds has no place of its own.
    let input = call.input.and_then(embedded_json);
    let output = call.output.and_then(embedded_json);
    let trees = [&input, &output].map(|text| {
        let tree = text.as_ref().map(|text| JsonTree::new(text.as_bytes()));
        tree.and_then(Result::ok)
    });
    let [input_tree, output_tree] = &trees;
    let input = (call.input, input_tree.as_ref().map(JsonTree::root));
    let output = (call.output, output_tree.as_ref().map(JsonTree::root));
    let dialect = [input, output]
        .into_iter()
        .filter_map(|(node, embedded)| embedded.or(node))
        .find_map(dialect_of);
    let mut writer = CallWriter {
        thread: JournalThread::new_excerpt(
            dialect.unwrap_or(OPENAI),
            if dialect.is_some_and(|dialect| dialect.name == GEMINI.name) {
                "contents"
            } else {
                "messages"
            },
            call.place.record,
        ),
        dialect: dialect.unwrap_or(OPENAI).name,
        place: call.place,
        has_places: true,
    };
    for ((node, embedded), role) in [(input, "user"), (output, "assistant")] {
        writer.has_places = embedded.is_none();
        if let Some(value) = embedded.or(node) {
            writer.push_value(value, role)?;
        }
    }
    Ok(writer.thread)
}

/// Returns the text of a string that holds a list or an object as JSON.
fn embedded_json(value: JsonNode<'_>) -> Option<String> {
    let text = decode_literal(value.as_literal()?.slice(value.record_bytes()));
    let text = text.trim();
    let is_json = text.starts_with(['[', '{']) && JsonTree::new(text.as_bytes()).is_ok();
    is_json.then(|| text.to_owned())
}

/// Returns the list of messages that a value is, or holds.
fn messages_of(value: JsonNode<'_>) -> Option<JsonNode<'_>> {
    let list = ["messages", "contents"]
        .iter()
        .find_map(|key| value.get_kind(key, JsonKind::Array))
        .unwrap_or(value);
    let first = list.items().next()?;
    (first.has_key("role") || is_langchain(first)).then_some(list)
}

fn is_langchain(message: JsonNode<'_>) -> bool {
    message.has_key("kwargs")
        || LANGCHAIN_TYPES
            .iter()
            .any(|kind| message.has_text("type", kind))
}

/// Returns the dialect of messages, if something in them tells it.
fn dialect_of(value: JsonNode<'_>) -> Option<DocumentDialect> {
    let list = messages_of(value)?;
    let has = |test: fn(JsonNode<'_>) -> bool| list.items().any(test);
    if has(|message| message.has_key("parts") && message.has_key("role")) {
        Some(GEMINI)
    } else if has(|message| !message.has_key("role") && is_langchain(message)) {
        Some(LANGCHAIN)
    } else if has(has_anthropic_block) {
        Some(ANTHROPIC)
    } else {
        None
    }
}

fn has_anthropic_block(message: JsonNode<'_>) -> bool {
    let mut blocks = message.items_of("content");
    blocks.any(|block| {
        ANTHROPIC_BLOCKS
            .iter()
            .any(|kind| block.has_text("type", kind))
    })
}

/// A thread to which the messages of a call are appended.
struct CallWriter {
    thread: JournalThread,
    /// The name of the document's dialect.
    dialect: &'static str,
    place: EventPlace,
    /// True if values stand in the record itself.
    has_places: bool,
}

impl CallWriter {
    fn push_value(&mut self, value: JsonNode<'_>, role: &'static str) -> Result<(), RecordError> {
        if let Some(list) = messages_of(value) {
            if let Some(prompt) = value
                .get("system")
                .filter(|prompt| prompt.as_literal().is_some())
            {
                self.push_words(prompt, "system");
            }
            if let Some(tools) = value.get_kind("tools", JsonKind::Array) {
                self.thread.add_entry("tools", tools.bytes());
            }
            return list
                .items()
                .try_for_each(|message| self.push_message(message));
        }
        let message = value
            .items_of("choices")
            .next()
            .and_then(|choice| choice.get("message"))
            .or_else(|| value.get_kind("message", JsonKind::Object))
            .unwrap_or(value);
        if message.has_key("role") {
            return self.push_message(message);
        }
        // The content of an answer by itself.
        let mut blocks = value.items().peekable();
        let is_content = blocks.peek().is_some() && blocks.all(|block| block.has_key("type"));
        if is_content && [OPENAI.name, ANTHROPIC.name].contains(&self.dialect) {
            let before = format!("{{\"role\": \"{role}\", \"content\": ");
            let place = self.place_of(value);
            self.thread
                .push_message(place, &[before.as_bytes(), value.bytes(), b"}"]);
            return Ok(());
        }
        let text = ["text", "content", "completion", "prompt"]
            .iter()
            .find_map(|key| value.get_kind(key, JsonKind::String));
        self.push_words(text.unwrap_or(value), role);
        Ok(())
    }

    fn place_of(&self, node: JsonNode<'_>) -> EventPlace {
        if self.has_places {
            EventPlace::new(self.place.record, node.span())
        } else {
            self.place
        }
    }

    fn push_message(&mut self, message: JsonNode<'_>) -> Result<(), RecordError> {
        let place = self.place_of(message);
        if self.dialect != OPENAI.name {
            self.thread.push_message(place, &[message.bytes()]);
            return Ok(());
        }
        if hold(&[MODEL_MESSAGE], message) {
            return MODEL_MESSAGES.push(&mut self.thread, message, place);
        }
        if !CONTENT_KEYS.iter().any(|key| message.has_key(key)) {
            return Err(unknown_content_error(message, "a message"));
        }
        self.thread.push_message(place, &[message.bytes()]);
        Ok(())
    }

    /// Appends a message that is only a text, or a value that is no message.
    fn push_words(&mut self, value: JsonNode<'_>, role: &'static str) {
        let literal = value
            .as_literal()
            .map(|span| span.slice(value.record_bytes()));
        if value.is_kind(JsonKind::Null) || literal.is_some_and(is_empty_literal) {
            return;
        }
        let place = self.place_of(value);
        let text = match literal {
            Some(literal) => literal.to_vec(),
            None => encode_wtf8_literal(value.bytes()),
        };
        let (before, after): (String, &[u8]) = match self.dialect {
            "gemini" => {
                let role = if role == "assistant" { "model" } else { "user" };
                (
                    format!("{{\"role\": \"{role}\", \"parts\": [{{\"text\": "),
                    b"}]}",
                )
            }
            "langchain" => {
                let kind = match role {
                    "assistant" => "ai",
                    "system" => "system",
                    _ => "human",
                };
                (format!("{{\"type\": \"{kind}\", \"content\": "), b"}")
            }
            _ => (format!("{{\"role\": \"{role}\", \"content\": "), b"}"),
        };
        self.thread
            .push_message(place, &[before.as_bytes(), &text, after]);
    }
}
