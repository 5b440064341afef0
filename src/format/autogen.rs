//! Messages of AutoGen: those of its agents (`TextMessage`, `ToolCallRequestEvent`, ...), and those
//! that it sends to a model (`UserMessage`, `AssistantMessage`, ...).

use crate::error::RecordError;
use crate::format::journal::{EventPlace, Journal, JournalReader, JournalThread};
use crate::format::message_builder::{MessageBuilder, unknown_content_error};
use crate::format::message_list_reader::{MessageListReader, recognize_messages};
use crate::format::recognition::Recognition;
use crate::format::tree::JsonNode;
use crate::json::{decode_literal, encode_literal};
use crate::transcript::journal::WriteMode;

/// Messages of AutoGen.
pub(super) struct AutoGenJournal;

/// Types of messages, but for structured ones, whose names go on with the name of their content.
const TYPES: [&str; 19] = [
    "TextMessage",
    "MultiModalMessage",
    "StopMessage",
    "HandoffMessage",
    "ToolCallSummaryMessage",
    "ToolCallRequestEvent",
    "ToolCallExecutionEvent",
    "ThoughtEvent",
    "MemoryQueryEvent",
    "UserInputRequestedEvent",
    "ModelClientStreamingChunkEvent",
    "CodeGenerationEvent",
    "CodeExecutionEvent",
    "SelectSpeakerEvent",
    "SelectorEvent",
    "SystemMessage",
    "UserMessage",
    "AssistantMessage",
    "FunctionExecutionResultMessage",
];
const STRUCTURED: &str = "StructuredMessage";
/// Types that hold nothing but pieces of messages, or names of speakers.
const SCREEN_TYPES: [&str; 4] = [
    "UserInputRequestedEvent",
    "ModelClientStreamingChunkEvent",
    "SelectSpeakerEvent",
    "SelectorEvent",
];
/// Types that have no source.
const WITHOUT_SOURCE: [&str; 2] = ["SystemMessage", "FunctionExecutionResultMessage"];

impl Journal for AutoGenJournal {
    fn name(&self) -> &'static str {
        "autogen"
    }

    fn help_line(&self) -> &'static str {
        "AutoGen messages: {\"source\", \"content\", \"type\": \"TextMessage\"...}, a list, one a line, or {\"messages\": [...]}"
    }

    fn write_mode(&self) -> WriteMode {
        WriteMode::Nowhere
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        recognize_messages(
            record,
            is_message,
            "messages with a source and a type of AutoGen",
        )
    }

    fn new_reader(&self) -> Box<dyn JournalReader> {
        Box::new(MessageListReader::new(push_message))
    }
}

fn is_message(node: JsonNode<'_>) -> bool {
    let kind = node.get("type").and_then(JsonNode::as_text);
    kind.is_some_and(|kind| {
        let is_known = TYPES.contains(&kind.as_ref()) || kind.starts_with(STRUCTURED);
        let has_source = node.literal_at("source").is_some();
        is_known && (has_source || WITHOUT_SOURCE.contains(&kind.as_ref()))
    })
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
    let kind = message.get("type").and_then(JsonNode::as_text);
    let kind = kind.unwrap_or_default();
    if SCREEN_TYPES.contains(&kind.as_ref()) {
        thread.note_left_out(format!("messages of type {kind}"), at);
        return Ok(());
    }
    let content = message
        .get("content")
        .or_else(|| message.get_path(&["result", "output"]))
        .ok_or_else(|| unknown_content_error(message, "a message"))?;
    match kind.as_ref() {
        "ToolCallExecutionEvent" | "FunctionExecutionResultMessage" => {
            for result in content.items() {
                let mut element = MessageBuilder::new_result(result.literal_bytes("call_id"));
                element.add_place(place);
                if let Some(content) = result.get("content") {
                    element.push_value(content);
                }
                element.set_failed(result.has_true("is_error"));
                element.push_onto(thread);
            }
        }
        kind => {
            let mut element = element_of(message, kind).with_place(place);
            match message.get("thought") {
                Some(thought) if thought.as_literal().is_some() => {
                    element.push_reasoning(thought.bytes());
                }
                _ => {}
            }
            push_content(&mut element, kind, content);
            element.push_onto(thread);
        }
    }
    Ok(())
}

/// Returns a message without content: of the user, of the system, or of the agent that is named.
fn element_of(message: JsonNode<'_>, kind: &str) -> MessageBuilder {
    let source = message.get("source").and_then(JsonNode::as_text);
    let is_user = source.is_some_and(|source| source == "user" || source == "user_proxy");
    match kind {
        "SystemMessage" | "MemoryQueryEvent" => MessageBuilder::new("system"),
        "UserMessage" | "CodeExecutionEvent" => MessageBuilder::new("user"),
        _ if is_user => MessageBuilder::new("user"),
        _ => {
            let mut element = MessageBuilder::new("assistant");
            element.set_name(message.literal_bytes("source"));
            element
        }
    }
}

/// Adds a content: a text, calls, or a list of texts, images and memories.
fn push_content(element: &mut MessageBuilder, kind: &str, content: JsonNode<'_>) {
    if kind == "ThoughtEvent" {
        if let Some(literal) = content.as_literal() {
            element.push_reasoning(literal.slice(content.record_bytes()));
        }
        return;
    }
    if content.items().next().is_none() {
        element.push_value(content);
    }
    for item in content.items() {
        if item.has_key("arguments") && item.has_key("name") {
            element.push_call(
                item.literal_bytes("id").unwrap_or(b"\"\""),
                item.literal_bytes("name").unwrap_or(b"\"\""),
                item.get("arguments"),
            );
        } else if let Some(data) = item.literal_bytes("data") {
            let data = decode_literal(data);
            let url = format!("data:image/png;base64,{data}");
            element.push_image(&encode_literal(&url));
        } else {
            element.push_value(item.get("content").unwrap_or(item));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::message_list_reader::rendered_threads;

    #[test]
    fn messages_of_agents_and_to_models_are_read() {
        let threads = rendered_threads(
            push_message,
            &[r#"{"messages": [
            {"source": "user", "content": "Why?", "type": "TextMessage"},
            {"source": "helper", "content": [{"id": "t", "name": "find", "arguments": "{}"}], "type": "ToolCallRequestEvent"},
            {"source": "helper", "content": [{"call_id": "t", "name": "find", "content": "a", "is_error": true}], "type": "ToolCallExecutionEvent"},
            {"source": "helper", "content": "", "type": "SelectSpeakerEvent"},
            {"content": "Help.", "type": "SystemMessage"},
            {"source": "helper", "content": "Hot.", "thought": "Look.", "type": "AssistantMessage"}], "stop_reason": null}"#],
        );
        assert_eq!(
            threads[0],
            [
                r#"{"role": "user", "content": "Why?"}"#,
                r#"{"role": "assistant", "name": "helper", "content": null, "tool_calls": [{"id": "t", "type": "function", "function": {"name": "find", "arguments": "{}"}}]}"#,
                r#"{"role": "tool", "tool_call_id": "t", "content": "a", "is_error": true}"#,
                r#"{"role": "system", "content": "Help."}"#,
                r#"{"role": "assistant", "name": "helper", "content": [{"type": "reasoning", "text": "Look."}, {"type": "text", "text": "Hot."}]}"#,
            ]
        );
    }
}
