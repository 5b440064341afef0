//! The messages of the user interface of Vercel's AI SDK: parts with a type, of which calls hold
//! their results.

use crate::error::RecordError;
use crate::format::journal::{EventPlace, JournalThread};
use crate::format::located_node::unknown_role_reason;
use crate::format::message_builder::{MessageBuilder, unknown_content_error};
use crate::format::tree::JsonNode;
use crate::json::{JsonKind, encode_literal};

type Result<T> = std::result::Result<T, RecordError>;

/// The types of parts that are calls, but for their own tools (`tool-NAME`).
const DYNAMIC_TOOL: &str = "dynamic-tool";
const TOOL_PREFIX: &str = "tool-";
/// A call in messages of version 4, with a key of the same idea.
const TOOL_INVOCATION: &str = "tool-invocation";

/// Returns true if a message is one of the user interface: its parts have types, and texts under
/// the key that only this format has.
pub(super) fn is_ui_message(message: JsonNode<'_>) -> bool {
    let parts = message.get_kind("parts", JsonKind::Array);
    let mut parts_of = parts.into_iter().flat_map(JsonNode::items);
    let has_part = parts.is_some_and(|parts| parts.items().next().is_some());
    ui_role(message).is_some()
        && parts.is_some()
        && (has_part || message.has_key("id"))
        && parts_of.all(|part| {
            part.literal_at("type").is_some()
                && (!part.has_text("type", "text") || part.has_key("text"))
        })
}

fn ui_role(message: JsonNode<'_>) -> Option<&'static str> {
    let role = message.get("role").and_then(JsonNode::as_text)?;
    let mut roles = ["system", "user", "assistant"].into_iter();
    roles.find(|known| *known == role)
}

/// Appends a message of the user interface: each step of an answer is a message, and each result
/// another.
///
/// # Errors
///
/// Returns an error if the role is unknown, or if there are no parts.
pub(super) fn push_ui_message(
    thread: &mut JournalThread,
    message: JsonNode<'_>,
    at: usize,
) -> Result<()> {
    let Some(role) = ui_role(message) else {
        let role = message.get("role").and_then(JsonNode::as_text);
        let known = ["system", "user", "assistant"];
        let reason = unknown_role_reason("role", role.as_deref().unwrap_or(""), &known);
        return Err(RecordError::at(message.span().start, reason));
    };
    let Some(parts) = message.get_kind("parts", JsonKind::Array) else {
        return Err(unknown_content_error(message, "a message"));
    };
    let mut steps = UiSteps {
        thread,
        place: EventPlace::new(at, message.span()),
        role,
        element: None,
        results: Vec::new(),
        unknown: Vec::new(),
    };
    let elements = steps.thread.len();
    let mut result = Ok(());
    for part in parts.items() {
        result = result.and(steps.push_part(part));
    }
    steps.end_step();
    // What is left out of a message that is read is found in its record.
    if steps.thread.len() == elements {
        for kind in std::mem::take(&mut steps.unknown) {
            steps
                .thread
                .note_left_out(format!("parts of type {kind}"), at);
        }
    }
    result
}

/// The steps of one message.
struct UiSteps<'t> {
    thread: &'t mut JournalThread,
    place: EventPlace,
    role: &'static str,
    /// What is said and called in the current step.
    element: Option<MessageBuilder>,
    /// The results of its calls.
    results: Vec<MessageBuilder>,
    /// The types of parts that can't be expressed.
    unknown: Vec<String>,
}

impl UiSteps<'_> {
    fn push_part(&mut self, part: JsonNode<'_>) -> Result<()> {
        let kind = part.get("type").and_then(JsonNode::as_text);
        match kind.as_deref().unwrap_or_default() {
            "text" if !part.has_key("text") => return Err(unknown_content_error(part, "a part")),
            "text" => self.push_said(part, "text", MessageBuilder::push_text),
            // Version 4 has the text under the key of its type.
            "reasoning" => ["text", "reasoning"]
                .iter()
                .for_each(|key| self.push_said(part, key, MessageBuilder::push_reasoning)),
            "step-start" => self.end_step(),
            "file" => self.push_file(part),
            DYNAMIC_TOOL => {
                let name = part.literal_bytes("toolName").unwrap_or(b"\"\"");
                self.push_tool(part, name);
            }
            TOOL_INVOCATION => {
                if let Some(call) = part.get("toolInvocation") {
                    let name = call.literal_bytes("toolName").unwrap_or(b"\"\"");
                    self.push_tool(call, name);
                }
            }
            kind => match kind.strip_prefix(TOOL_PREFIX) {
                Some(name) if part.has_key("toolCallId") => {
                    self.push_tool(part, &encode_literal(name));
                }
                _ => self.unknown.push(kind.to_owned()),
            },
        }
        Ok(())
    }

    /// Returns the element of the current step. What is said after a call begins a new step.
    fn element(&mut self) -> &mut MessageBuilder {
        let (role, place) = (self.role, self.place);
        self.element
            .get_or_insert_with(|| MessageBuilder::new(role).with_place(place))
    }

    fn push_said(&mut self, part: JsonNode<'_>, key: &str, push: fn(&mut MessageBuilder, &[u8])) {
        if let Some(literal) = part.literal_bytes(key) {
            if self.element().has_calls() {
                self.end_step();
            }
            push(self.element(), literal);
        }
    }

    /// Adds a file. Files other than images can't be expressed.
    fn push_file(&mut self, part: JsonNode<'_>) {
        let media_type = part.get("mediaType").or_else(|| part.get("mimeType"));
        let media_type = media_type.and_then(JsonNode::as_text);
        let is_image = media_type.is_some_and(|kind| kind.starts_with("image/"));
        match part.literal_bytes("url").filter(|_| is_image) {
            Some(url) => self.element().push_image(url),
            None => self.unknown.push("file".to_owned()),
        }
    }

    /// Adds a call, and its result if it has one.
    fn push_tool(&mut self, call: JsonNode<'_>, name: &[u8]) {
        let id = call.literal_bytes("toolCallId").unwrap_or(b"\"\"");
        let input = ["input", "rawInput", "args"]
            .iter()
            .find_map(|key| call.get(key));
        self.element().push_call(id, name, input);
        let output = call.get("output").or_else(|| call.get("result"));
        let error = call.get("errorText");
        let value = error
            .filter(|error| !error.is_kind(JsonKind::Null))
            .or(output);
        if let Some(value) = value {
            let mut result = MessageBuilder::new_result(Some(id)).with_place(self.place);
            result.push_value(value);
            result.set_failed(call.has_text("state", "output-error"));
            self.results.push(result);
        }
    }

    fn end_step(&mut self) {
        let results = std::mem::take(&mut self.results);
        for element in self.element.take().into_iter().chain(results) {
            element.push_if_said(self.thread);
        }
    }
}
