//! The input and output of a model call, as a tracer logs them: messages in the dialect of whoever
//! was called, as JSON or as JSON within a string.

use crate::reading::format::dialects::{ANTHROPIC, GEMINI, LANGCHAIN, OPENAI, RESPONSES};
use crate::reading::format::logs::otel_messages::push_message as push_parts_message;
use crate::reading::format::logs::vercel_model_messages::{MODEL_MESSAGE, MODEL_MESSAGES};
use crate::reading::format::prelude::*;

#[derive(Clone, Copy)]
pub(crate) struct TracedCall<'t> {
    pub(crate) input: Option<JsonNode<'t>>,
    pub(crate) output: Option<JsonNode<'t>>,
    /// The place of messages that are JSON within a string, or no messages at all.
    pub(crate) place: EventPlace,
}

/// Types of blocks by which messages of Anthropic are told.
const ANTHROPIC_BLOCKS: [&str; 3] = ["tool_use", "tool_result", "thinking"];
const LANGCHAIN_TYPES: [&str; 5] = ["human", "ai", "system", "tool", "function"];
/// The system prompt beside the messages, in the spelling of any API.
const PROMPT: At = at("system|instructions|systemInstruction|system_instruction\
    |config.system_instruction|config.systemInstruction");
/// Keys of a message of OpenAI that hold its text or its calls.
const CONTENT_KEYS: [&str; 3] = ["content", "tool_calls", "function_call"];

/// Builds the thread of a call: its messages, and the answer. Fails if a message holds no text that
/// is known.
pub(crate) fn build_call_thread(call: TracedCall<'_>) -> Result<JournalThread> {
    // A string may hold JSON. What it holds has no place of its own.
    let input = call.input.and_then(embedded_json);
    let output = call.output.and_then(embedded_json);
    let trees = [&input, &output].map(|text| {
        let tree = text.as_ref().map(|text| JsonTree::held_at(call.place, text.as_bytes()));
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
        thread: JournalThread::new_excerpt(dialect.unwrap_or(OPENAI)),
        schemas: Vec::new(),
        dialect: dialect.unwrap_or(OPENAI).name,
    };
    for ((node, embedded), role) in [(input, "user"), (output, "assistant")] {
        if let Some(value) = embedded.or(node) {
            writer.push_value(value, role)?;
        }
    }
    writer.thread.add_list("tools", &writer.schemas);
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
    let mut lists = at("messages|contents|input|output").nodes(value);
    let list = lists.find(|list| list.is_kind(JsonKind::Array));
    let list = list.unwrap_or(value);
    let first = list.items().next()?;
    let is_message = first.has_key("role") || is_langchain(first) || is_response_item(first);
    is_message.then_some(list)
}

/// Returns true for an item that only the Responses API has.
fn is_response_item(item: JsonNode<'_>) -> bool {
    let types = ["function_call", "function_call_output", "reasoning"];
    let is_own = types.iter().any(|kind| item.has_text("type", kind));
    is_own || (item.has_text("type", "message") && item.has_key("role"))
}

/// Returns true for a message with parts of a type, as the conventions of OpenTelemetry have them.
fn has_typed_parts(message: JsonNode<'_>) -> bool {
    let first = message.items_of("parts").next();
    first.is_some_and(|part| part.has_key("type"))
}

fn is_langchain(message: JsonNode<'_>) -> bool {
    message.has_key("kwargs") || LANGCHAIN_TYPES.iter().any(|kind| message.has_text("type", kind))
}

/// Returns the dialect of messages, if something in them tells it.
fn dialect_of(value: JsonNode<'_>) -> Option<DocumentDialect> {
    let list = messages_of(value)?;
    let has = |test: fn(JsonNode<'_>) -> bool| list.items().any(test);
    if has(has_typed_parts) {
        None
    } else if has(is_response_item) {
        Some(RESPONSES)
    } else if has(|message| message.has_key("parts") && message.has_key("role")) {
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
    blocks.any(|block| ANTHROPIC_BLOCKS.iter().any(|kind| block.has_text("type", kind)))
}

/// A thread to which the messages of a call are appended.
struct CallWriter {
    thread: JournalThread,
    /// The name of the document's dialect.
    dialect: &'static str,
    /// The tools that are among the messages.
    schemas: Vec<Vec<u8>>,
}

impl CallWriter {
    fn push_value(&mut self, value: JsonNode<'_>, role: &'static str) -> Result<()> {
        if let Some(list) = messages_of(value) {
            self.push_prompt(value)?;
            let tools = at("tools|config.tools").nodes(value).next();
            if let Some(tools) = tools.filter(|tools| tools.is_kind(JsonKind::Array)) {
                self.thread.add_entry("tools", tools.bytes());
            }
            return list.items().try_for_each(|message| self.push_message(message));
        }
        let message = value
            .items_of("choices")
            .next()
            .and_then(|choice| choice.get("message"))
            .or_else(|| value.items_of("candidates").next()?.get("content"))
            .or_else(|| value.get_kind("message", JsonKind::Object))
            .or_else(|| value.get_kind("content", JsonKind::Object))
            .unwrap_or(value);
        if message.has_key("role") {
            return self.push_message(message);
        }
        // The content of an answer by itself.
        let mut blocks = value.items().peekable();
        let is_content = blocks.peek().is_some() && blocks.all(|block| block.has_key("type"));
        if is_content && [OPENAI.name, ANTHROPIC.name].contains(&self.dialect) {
            self.thread.push_said(ElementMark::Message, value.place(), role, value.bytes());
            return Ok(());
        }
        let mut texts = at("text|content|completion|prompt").nodes(value);
        let text = texts.find(|text| text.is_kind(JsonKind::String));
        self.push_words(text.unwrap_or(value), role)
    }

    /// Adds the system prompt that is beside messages, in the spelling of any API.
    fn push_prompt(&mut self, value: JsonNode<'_>) -> Result<()> {
        let mut prompts = PROMPT.nodes(value);
        let Some(prompt) = prompts.find(|prompt| !prompt.is_kind(JsonKind::Null)) else {
            return Ok(());
        };
        match self.dialect {
            "gemini" => self.thread.add_entry("systemInstruction", prompt.bytes()),
            "openai-responses" => self.thread.add_entry("instructions", prompt.bytes()),
            _ if prompt.as_literal().is_some() => return self.push_words(prompt, "system"),
            _ => {}
        }
        Ok(())
    }

    fn push_message(&mut self, message: JsonNode<'_>) -> Result<()> {
        if self.dialect != OPENAI.name {
            self.thread.push_node(message);
            return Ok(());
        }
        if has_typed_parts(message) {
            return push_parts_message(&mut self.thread, message).map_err(RecordError::new);
        }
        if let Some(schema) = schema_in(message) {
            self.schemas.push(schema.bytes().to_vec());
            return Ok(());
        }
        if hold(&[MODEL_MESSAGE], message) {
            return MODEL_MESSAGES.push(&mut self.thread, message);
        }
        if !CONTENT_KEYS.iter().any(|key| message.has_key(key)) {
            return Err(unknown_content_error(message, "a message"));
        }
        self.thread.push_message(message.place(), &plain_message(message));
        Ok(())
    }

    /// Appends a message that is only a text. Fails for a value that is no text: nobody said it.
    fn push_words(&mut self, value: JsonNode<'_>, role: &'static str) -> Result<()> {
        let literal = value.as_literal().map(|span| span.slice(value.record_bytes()));
        if value.is_kind(JsonKind::Null) || literal.is_some_and(is_empty_literal) {
            return Ok(());
        }
        if matches!(value.kind(), JsonKind::Object | JsonKind::Array) {
            return Err(unknown_content_error(value, "a call"));
        }
        let text = value.text_literal();
        let (pattern, role) = match (self.dialect, role) {
            ("gemini", "assistant") => (r#"{"role": "$", "parts": [{"text": $}]}"#, "model"),
            ("gemini", _) => (r#"{"role": "$", "parts": [{"text": $}]}"#, "user"),
            ("langchain", "assistant") => (r#"{"type": "$", "content": $}"#, "ai"),
            ("langchain", "system") => (r#"{"type": "$", "content": $}"#, "system"),
            ("langchain", _) => (r#"{"type": "$", "content": $}"#, "human"),
            _ => (r#"{"role": "$", "content": $}"#, role),
        };
        let json = fill_json(pattern, &[role.as_bytes(), &text]);
        self.thread.push_message(value.place(), &json);
        Ok(())
    }
}

/// Returns the tool that a message defines, as traces of LangChain have them among the messages.
fn schema_in(message: JsonNode<'_>) -> Option<JsonNode<'_>> {
    let content = message.get_kind("content", JsonKind::Object)?;
    let is_schema = content.has_text("type", "function") && content.has_key("function");
    (is_schema && message.has_text("role", "tool")).then_some(content)
}

/// Returns a message of OpenAI in its plain spelling: calls of LangChain are beside the content, a
/// result that is an object is text, and a result that names its tool as its role is the tool's.
fn plain_message(message: JsonNode<'_>) -> Vec<u8> {
    let span_of = |node: JsonNode<'_>| node.span().relative_to(message.span().start);
    let mut splices = Vec::new();
    let role = message.get("role");
    let is_known = role
        .and_then(JsonNode::as_text)
        .is_none_or(|role| Role::from_name(role.as_bytes()).is_some());
    if let Some(role) = role.filter(|_| !is_known && message.has_key("tool_call_id")) {
        let (span, bytes) = (span_of(role), b"\"tool\"".to_vec());
        splices.push(Splice { span, bytes });
    }
    if let Some(content) = message.get_kind("content", JsonKind::Object) {
        let (span, bytes) = (span_of(content), encode_wtf8_literal(content.bytes()));
        splices.push(Splice { span, bytes });
    }
    let mut plain = Vec::new();
    apply_splices(message.bytes(), &mut splices, &mut plain);
    let calls = at("additional_kwargs.tool_calls").nodes(message).next();
    if let Some(calls) = calls.filter(|_| message.items_of("tool_calls").next().is_none()) {
        plain.pop();
        push_json(&mut plain, r#", "tool_calls": $}"#, &[calls.bytes()]);
    }
    plain
}
