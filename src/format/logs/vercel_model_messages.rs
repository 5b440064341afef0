//! The messages that Vercel's AI SDK sends to a model, as traces log them: calls and results are
//! blocks (`tool-call`, `tool-result`) of their contents.

use crate::error::RecordError;
use crate::format::journal::{EventPlace, JournalThread};
use crate::format::located_node::unknown_role_reason;
use crate::format::message_builder::{MessageBuilder, unknown_content_error};
use crate::format::tree::JsonNode;

type Result<T> = std::result::Result<T, RecordError>;

/// Types of blocks that only messages to a model have.
const MODEL_BLOCKS: [&str; 4] = [
    "tool-call",
    "tool-result",
    "tool-approval-request",
    "tool-approval-response",
];

/// Returns true if a message has blocks that only messages to a model have.
pub(in crate::format) fn is_model_message(message: JsonNode<'_>) -> bool {
    message
        .items_of("content")
        .any(|block| has_any_type(block, &MODEL_BLOCKS))
}

fn has_any_type(block: JsonNode<'_>, types: &[&str]) -> bool {
    types.iter().any(|kind| block.has_text("type", kind))
}

/// Appends a message to a model. `place` is that of the message.
///
/// # Errors
///
/// Returns an error if the role is unknown, or if there is no content.
pub(in crate::format) fn push_model_message(
    thread: &mut JournalThread,
    message: JsonNode<'_>,
    place: EventPlace,
) -> Result<()> {
    let content = message
        .get("content")
        .ok_or_else(|| unknown_content_error(message, "a message"))?;
    let role = message.get("role").and_then(JsonNode::as_text);
    let role = match role.as_deref() {
        Some("tool") => {
            let unknown = content
                .items()
                .find(|block| !has_any_type(*block, &MODEL_BLOCKS));
            if let Some(block) = unknown {
                return Err(unknown_content_error(block, "a block of a tool"));
            }
            let results = content.items();
            for block in results.filter(|block| block.has_text("type", "tool-result")) {
                push_model_result(thread, block, place);
            }
            return Ok(());
        }
        Some("assistant") => "assistant",
        Some("user") => "user",
        Some("system") => "system",
        other => {
            let known = ["system", "user", "assistant", "tool"];
            let reason = unknown_role_reason("role", other.unwrap_or(""), &known);
            return Err(RecordError::at(message.span().start, reason));
        }
    };
    let mut element = MessageBuilder::new(role).with_place(place);
    element.push_string(content);
    let mut results = Vec::new();
    for block in content.items() {
        if block.has_text("type", "tool-result") {
            results.push(block);
        } else {
            push_model_block(&mut element, block)?;
        }
    }
    // What is left out of a message that is read is found in its record.
    if element.is_empty() && results.is_empty() && content.items().next().is_some() {
        let what = "messages without text or calls".to_owned();
        thread.note_left_out(what, place.record);
    }
    element.push_if_said(thread);
    for result in results {
        push_model_result(thread, result, place);
    }
    Ok(())
}

/// Adds a block of a message: a text, reasoning, a call or an image.
fn push_model_block(element: &mut MessageBuilder, block: JsonNode<'_>) -> Result<()> {
    let text = block.literal_bytes("text").unwrap_or(b"\"\"");
    match block.get("type").and_then(JsonNode::as_text).as_deref() {
        Some("text") if !block.has_key("text") => {
            return Err(unknown_content_error(block, "a block"));
        }
        Some("text") => element.push_text(text),
        Some("reasoning") => element.push_reasoning(text),
        Some("tool-call") => element.push_call(
            block.literal_bytes("toolCallId").unwrap_or(b"\"\""),
            block.literal_bytes("toolName").unwrap_or(b"\"\""),
            block.get("input").or_else(|| block.get("args")),
        ),
        Some("image") => {
            if let Some(image) = block.literal_bytes("image") {
                element.push_image(image);
            }
        }
        _ => {}
    }
    Ok(())
}

/// Appends the result of a call. Its output is a value with a type, or (version 4) `result`.
fn push_model_result(thread: &mut JournalThread, block: JsonNode<'_>, place: EventPlace) {
    let mut element =
        MessageBuilder::new_result(block.literal_bytes("toolCallId")).with_place(place);
    let output = block.get("output").or_else(|| block.get("result"));
    if let Some(output) = output {
        let kind = output.get("type").and_then(JsonNode::as_text);
        let value = output.get("value").or_else(|| output.get("reason"));
        match (kind.as_deref(), value) {
            (Some("content"), Some(parts)) => {
                parts
                    .items()
                    .for_each(|part| match part.literal_bytes("text") {
                        Some(text) => element.push_text(text),
                        None => element.push_value(part),
                    })
            }
            (Some(_), Some(value)) => element.push_value(value),
            _ => element.push_value(output),
        }
        let failed = ["error-text", "error-json", "execution-denied"];
        element.set_failed(kind.is_some_and(|kind| failed.contains(&kind.as_ref())));
    }
    element.set_failed(block.has_true("isError"));
    element.push_if_said(thread);
}
