//! Messages of pydantic-ai, as its `ModelMessagesTypeAdapter` writes them: requests and responses
//! of parts, which name their kind.

use crate::error::RecordError;
use crate::format::journal::{ElementMark, EventPlace, Journal, JournalReader, JournalThread};
use crate::format::message_builder::{MessageBuilder, unknown_content_error};
use crate::format::message_list_reader::{MessageListReader, recognize_messages};
use crate::format::recognition::Recognition;
use crate::format::tree::JsonNode;
use crate::json::JsonKind;
use crate::transcript::journal::WriteMode;

/// Messages of pydantic-ai.
pub(super) struct PydanticAiJournal;

impl Journal for PydanticAiJournal {
    fn name(&self) -> &'static str {
        "pydantic-ai"
    }

    fn help_line(&self) -> &'static str {
        "pydantic-ai messages: {\"kind\": \"request\"|\"response\", \"parts\": [{\"part_kind\"}]}, a list, one a line, or {\"messages\": [...]}"
    }

    fn write_mode(&self) -> WriteMode {
        WriteMode::Nowhere
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        recognize_messages(
            record,
            is_message,
            "requests and responses with a part_kind",
        )
    }

    fn new_reader(&self) -> Box<dyn JournalReader> {
        Box::new(MessageListReader::new(push_message))
    }
}

fn is_message(node: JsonNode<'_>) -> bool {
    (node.has_text("kind", "request") || node.has_text("kind", "response"))
        && node.get_kind("parts", JsonKind::Array).is_some()
        && node
            .items_of("parts")
            .all(|part| part.literal_at("part_kind").is_some())
}

fn push_message(
    thread: &mut JournalThread,
    message: JsonNode<'_>,
    at: usize,
) -> Result<(), RecordError> {
    if !is_message(message) {
        return Err(unknown_content_error(message, "a message"));
    }
    let place = EventPlace::new(at, message.span());
    if message.has_text("kind", "request") {
        push_request(thread, message, place)
    } else {
        push_response(thread, message, place)
    }
}

/// Appends the parts of a request, each as a message.
fn push_request(
    thread: &mut JournalThread,
    message: JsonNode<'_>,
    place: EventPlace,
) -> Result<(), RecordError> {
    // Instructions are sent anew with each request; they stand before the first only.
    let instructions = message.literal_bytes("instructions");
    if let Some(instructions) = instructions.filter(|_| thread.len() == 0) {
        let mut element = MessageBuilder::new("system").with_place(place);
        element.push_text(instructions);
        element.push_onto(thread);
    }
    for part in message.items_of("parts") {
        let kind = part.get("part_kind").and_then(JsonNode::as_text);
        let id = part.literal_bytes("tool_call_id");
        let has_tool = part.literal_at("tool_name").is_some();
        let mut element = match kind.as_deref() {
            Some("system-prompt") => MessageBuilder::new("system"),
            Some("user-prompt") => MessageBuilder::new("user"),
            Some("tool-return" | "builtin-tool-return") => MessageBuilder::new_result(id),
            Some("retry-prompt") if has_tool => {
                let mut result = MessageBuilder::new_result(id);
                result.set_failed(true);
                result
            }
            Some("retry-prompt") => MessageBuilder::new("user"),
            _ => return Err(unknown_content_error(part, "a part of a request")),
        };
        element.add_place(place);
        let content = part
            .get("content")
            .ok_or_else(|| unknown_content_error(part, "a part of a request"))?;
        if kind.as_deref() == Some("user-prompt") {
            push_prompt(&mut element, content);
        } else {
            element.push_value(content);
        }
        element.push_onto(thread);
    }
    Ok(())
}

/// Adds what the user says: a text, or a list of texts and files.
fn push_prompt(element: &mut MessageBuilder, content: JsonNode<'_>) {
    element.push_string(content);
    for item in content.items() {
        let url = item.literal_bytes("url");
        match item.get("kind").and_then(JsonNode::as_text).as_deref() {
            Some("image-url") => url.into_iter().for_each(|url| element.push_image(url)),
            // Other files are found in the message when it is converted.
            Some(_) => {}
            None => {
                element.push_string(item);
            }
        }
    }
}

/// Appends a response: what is said and called, then the results of the model's own tools.
fn push_response(
    thread: &mut JournalThread,
    message: JsonNode<'_>,
    place: EventPlace,
) -> Result<(), RecordError> {
    let mut element = MessageBuilder::new("assistant").with_place(place);
    element.set_usage(message.get("usage"));
    let model = message.non_empty_text("model_name");
    thread.model = thread.model.take().or(model);
    let mut results = Vec::new();
    for part in message.items_of("parts") {
        let content = part.literal_bytes("content").unwrap_or(b"\"\"");
        let id = part.literal_bytes("tool_call_id");
        match part.get("part_kind").and_then(JsonNode::as_text).as_deref() {
            Some("text") => element.push_text(content),
            Some("thinking") => element.push_reasoning(content),
            Some("tool-call" | "builtin-tool-call") => element.push_call(
                id.unwrap_or(b"\"\""),
                part.literal_bytes("tool_name").unwrap_or(b"\"\""),
                part.get("args"),
            ),
            Some("builtin-tool-return") => {
                let mut result = MessageBuilder::new_result(id).with_place(place);
                result.mark = ElementMark::Joined;
                if let Some(content) = part.get("content") {
                    result.push_value(content);
                }
                results.push(result);
            }
            // Parts of other kinds are found in the message when it is converted.
            _ => {}
        }
    }
    if results.is_empty() {
        element.push_onto(thread);
    } else {
        element.push_if_said(thread);
    }
    for result in results {
        result.push_onto(thread);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::message_list_reader::rendered_threads;

    #[test]
    fn each_part_of_a_request_is_a_message() {
        let threads = rendered_threads(
            push_message,
            &[r#"[
            {"kind": "request", "instructions": "Help.", "parts": [{"part_kind": "user-prompt", "content": ["Why?", {"kind": "image-url", "url": "https://x/a.png"}]}]},
            {"kind": "response", "model_name": "m", "parts": [{"part_kind": "thinking", "content": "Look."}, {"part_kind": "tool-call", "tool_name": "find", "args": "{\"q\": 1}", "tool_call_id": "t"}]},
            {"kind": "request", "instructions": "Help.", "parts": [{"part_kind": "retry-prompt", "content": "Which?", "tool_name": "find", "tool_call_id": "t"}]}]"#],
        );
        assert_eq!(
            threads[0],
            [
                r#"{"role": "system", "content": "Help."}"#,
                r#"{"role": "user", "content": [{"type": "text", "text": "Why?"}, {"type": "image_url", "image_url": {"url": "https://x/a.png"}}]}"#,
                r#"{"role": "assistant", "content": [{"type": "reasoning", "text": "Look."}], "tool_calls": [{"id": "t", "type": "function", "function": {"name": "find", "arguments": "{\"q\": 1}"}}]}"#,
                r#"{"role": "tool", "tool_call_id": "t", "content": "Which?", "is_error": true}"#,
            ]
        );
    }
}
