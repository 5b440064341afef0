//! The messages of a model call, as attributes of its span hold them.

use crate::format::journal::{EventPlace, JournalThread};
use crate::format::message_builder::MessageBuilder;
use crate::format::otel_attributes::SpanAttributes;
use crate::format::tree::{JsonNode, JsonTree};
use crate::format::vercel_messages::push_model_message;
use crate::json::{JsonKind, encode_literal};

/// Attributes of the current conventions.
const CURRENT: [&str; 4] = [
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "gen_ai.system_instructions",
    "gen_ai.tool.definitions",
];
/// Beginnings of the attributes of the older conventions.
const OLDER: [&str; 2] = ["gen_ai.prompt.*", "gen_ai.completion.*"];
/// Attributes of the AI SDK.
const SDK: [&str; 6] = [
    "ai.prompt",
    "ai.prompt.messages",
    "ai.response.text",
    "ai.response.reasoning",
    "ai.response.toolCalls",
    "ai.response.object",
];

/// Returns the attributes that hold the messages of a call, if the span is one. A name that ends
/// with `*` stands for all that begin so.
pub(super) fn used_attributes(attributes: &SpanAttributes<'_>) -> Option<&'static [&'static str]> {
    if attributes.text(CURRENT[0]).is_some() || attributes.text(CURRENT[1]).is_some() {
        Some(&CURRENT)
    } else if attributes.any_starts_with("gen_ai.prompt.") {
        Some(&OLDER)
    } else if attributes.text("ai.prompt").is_some()
        || attributes.text("ai.prompt.messages").is_some()
    {
        Some(&SDK)
    } else {
        None
    }
}

/// Appends the messages of a call, which are JSON within attributes. All have the place of the
/// call.
///
/// # Errors
///
/// Returns the reason why an attribute can't be read.
pub(super) fn push_call_messages(
    thread: &mut JournalThread,
    attributes: &SpanAttributes<'_>,
    place: EventPlace,
) -> Result<(), String> {
    match used_attributes(attributes) {
        Some(used) if used.first() == CURRENT.first() => push_current(thread, attributes, place),
        Some(used) if used.first() == OLDER.first() => {
            for start in ["gen_ai.prompt", "gen_ai.completion"] {
                push_numbered(thread, attributes, start, place);
            }
            Ok(())
        }
        Some(_) => push_sdk(thread, attributes, place),
        None => Ok(()),
    }
}

/// Passes the JSON of an attribute to `read`, if the span has it.
fn with_json(
    attributes: &SpanAttributes<'_>,
    name: &str,
    read: impl FnOnce(JsonNode<'_>) -> Result<(), String>,
) -> Result<(), String> {
    let Some(text) = attributes.text(name).filter(|text| !text.trim().is_empty()) else {
        return Ok(());
    };
    match JsonTree::new(text.trim().as_bytes()) {
        Ok(tree) => read(tree.root()),
        Err(_) => Err(format!("{name} is no JSON; it may have been cut")),
    }
}

fn push_current(
    thread: &mut JournalThread,
    attributes: &SpanAttributes<'_>,
    place: EventPlace,
) -> Result<(), String> {
    with_json(attributes, "gen_ai.tool.definitions", |tools| {
        if tools.is_kind(JsonKind::Array) {
            thread.add_entry("tools", tools.bytes());
        }
        Ok(())
    })?;
    with_json(attributes, "gen_ai.system_instructions", |parts| {
        let mut element = MessageBuilder::new("system").at(place);
        element.push_string(parts);
        for part in parts.items() {
            push_part(&mut element, part)?;
        }
        element.push_onto(thread);
        Ok(())
    })?;
    for name in ["gen_ai.input.messages", "gen_ai.output.messages"] {
        with_json(attributes, name, |messages| {
            for message in messages.items() {
                push_message(thread, message, place).map_err(|why| format!("{name}: {why}"))?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Appends a message with parts: the results in it are messages of their own.
fn push_message(
    thread: &mut JournalThread,
    message: JsonNode<'_>,
    place: EventPlace,
) -> Result<(), String> {
    let role = message.get("role").and_then(JsonNode::as_text);
    let role = match role.as_deref() {
        Some("user" | "tool") => "user",
        Some("assistant" | "model") => "assistant",
        Some("system" | "developer") => "system",
        other => return Err(format!("the role {:?} is unknown", other.unwrap_or(""))),
    };
    let mut element = MessageBuilder::new(role).at(place);
    element.set_name(message.literal_bytes("name"));
    let (parts, content) = (message.get("parts"), message.get("content"));
    let Some(content) = parts.or(content) else {
        return Err("a message has neither parts nor content".to_owned());
    };
    element.push_string(content);
    for part in content.items() {
        if part.has_text("type", "tool_call_response") {
            let mut result = MessageBuilder::new_result(part.literal_bytes("id")).at(place);
            let response = part.get("response").or_else(|| part.get("result"));
            if let Some(response) = response {
                result.push_value(response);
            }
            result.push_onto(thread);
        } else {
            push_part(&mut element, part)?;
        }
    }
    element.push_onto(thread);
    Ok(())
}

/// Adds a part: a text, reasoning, a call or an image. Any other part is text as JSON, so that
/// nothing is lost.
fn push_part(element: &mut MessageBuilder, part: JsonNode<'_>) -> Result<(), String> {
    let content = part
        .literal_bytes("content")
        .or_else(|| part.literal_bytes("text"));
    match part.get("type").and_then(JsonNode::as_text).as_deref() {
        Some("text") => match content {
            Some(content) => element.push_text(content),
            None => return Err("a part of type text has no content".to_owned()),
        },
        Some("reasoning" | "thinking") => element.push_reasoning(content.unwrap_or(b"\"\"")),
        Some("tool_call") => element.push_call(
            part.literal_bytes("id").unwrap_or(b"\"\""),
            part.literal_bytes("name").unwrap_or(b"\"\""),
            part.get("arguments"),
        ),
        Some("uri") if part.has_text("modality", "image") => {
            element.push_image(part.literal_bytes("uri").unwrap_or(b"\"\""));
        }
        _ => element.push_value(part),
    }
    Ok(())
}

/// Appends the messages of the older conventions, whose parts are numbered attributes.
fn push_numbered(
    thread: &mut JournalThread,
    attributes: &SpanAttributes<'_>,
    start: &str,
    place: EventPlace,
) {
    for number in 0.. {
        let text = |key: &str| attributes.text(&format!("{start}.{number}.{key}"));
        let content = text("content");
        let role = text("role");
        if content.is_none() && role.is_none() {
            return;
        }
        let role = role.unwrap_or_else(|| "assistant".into());
        let mut element = match role.as_ref() {
            "tool" | "function" => {
                let id = text("tool_call_id").map(|id| encode_literal(&id));
                MessageBuilder::new_result(id.as_deref())
            }
            "user" | "human" => MessageBuilder::new("user"),
            "system" | "developer" => MessageBuilder::new("system"),
            _ => MessageBuilder::new("assistant"),
        };
        element.add_place(place);
        for key in ["reasoning", "content"] {
            let Some(content) = text(key).filter(|content| !content.is_empty()) else {
                continue;
            };
            let literal = encode_literal(&content);
            match key {
                "reasoning" => element.push_reasoning(&literal),
                _ => push_numbered_content(&mut element, &content, &literal),
            }
        }
        for call in 0.. {
            let text = |key: &str| text(&format!("tool_calls.{call}.{key}"));
            let Some(name) = text("name") else {
                break;
            };
            element.push_call_json(
                &encode_literal(&text("id").unwrap_or_default()),
                &encode_literal(&name),
                &encode_literal(&text("arguments").unwrap_or_else(|| "{}".into())),
            );
        }
        element.push_onto(thread);
    }
}

/// Adds a content: a text, or a list of blocks of text as JSON.
fn push_numbered_content(element: &mut MessageBuilder, content: &str, literal: &[u8]) {
    let tree = JsonTree::new(content.as_bytes());
    let blocks: Vec<JsonNode<'_>> = match &tree {
        Ok(tree) => tree.root().items().collect(),
        Err(_) => Vec::new(),
    };
    let is_text = |block: &JsonNode<'_>| block.has_text("type", "text") && block.has_key("text");
    if blocks.is_empty() || !blocks.iter().all(is_text) {
        return element.push_text(literal);
    }
    for text in blocks
        .iter()
        .filter_map(|block| block.literal_bytes("text"))
    {
        element.push_text(text);
    }
}

/// Appends the messages of a call of the AI SDK, and its answer.
fn push_sdk(
    thread: &mut JournalThread,
    attributes: &SpanAttributes<'_>,
    place: EventPlace,
) -> Result<(), String> {
    if attributes.text("ai.prompt.messages").is_some() {
        with_json(attributes, "ai.prompt.messages", |list| {
            push_model_messages(thread, list, place)
        })?;
    } else {
        with_json(attributes, "ai.prompt", |prompt| {
            push_words(thread, "system", prompt.get("system"), place);
            let messages = prompt.get("messages").unwrap_or(prompt);
            push_model_messages(thread, messages, place)?;
            push_words(thread, "user", prompt.get("prompt"), place);
            Ok(())
        })?;
    }
    let mut answer = MessageBuilder::new("assistant").at(place);
    if let Some(reasoning) = attributes.text("ai.response.reasoning") {
        answer.push_reasoning(&encode_literal(&reasoning));
    }
    for name in ["ai.response.text", "ai.response.object"] {
        if let Some(text) = attributes.text(name) {
            answer.push_text(&encode_literal(&text));
        }
    }
    with_json(attributes, "ai.response.toolCalls", |calls| {
        for call in calls.items() {
            answer.push_call(
                call.literal_bytes("toolCallId").unwrap_or(b"\"\""),
                call.literal_bytes("toolName").unwrap_or(b"\"\""),
                call.get("input").or_else(|| call.get("args")),
            );
        }
        Ok(())
    })?;
    answer.push_onto(thread);
    Ok(())
}

fn push_model_messages(
    thread: &mut JournalThread,
    list: JsonNode<'_>,
    place: EventPlace,
) -> Result<(), String> {
    for message in list.items() {
        push_model_message(thread, message, place).map_err(|error| error.reason)?;
    }
    Ok(())
}

/// Appends a message that is only a text.
fn push_words(
    thread: &mut JournalThread,
    role: &'static str,
    text: Option<JsonNode<'_>>,
    place: EventPlace,
) {
    let mut element = MessageBuilder::new(role).at(place);
    if let Some(text) = text {
        element.push_string(text);
    }
    element.push_onto(thread);
}
