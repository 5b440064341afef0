//! The messages of a model call, as attributes of its span hold them.

use crate::reading::format::logs::otel_attributes::SpanAttributes;
use crate::reading::format::logs::otel_pieces::{NUMBERED, OPEN_INFERENCE, push_numbered};
use crate::reading::format::logs::vercel_model_messages::MODEL_MESSAGES;
use crate::reading::format::prelude::*;

/// The conventions by which the attributes of a span hold the messages of a call.
pub(crate) struct SpanConventions {
    /// The attributes that hold them. A name that ends with `*` stands for all that begin so.
    pub(crate) used: &'static [&'static str],
    /// Appends the messages, which are JSON within the attributes.
    /// Returns the reason why an attribute can't be read.
    pub(crate) push: MessagePusher,
}

type MessagePusher = fn(&mut JournalThread, &SpanAttributes<'_>) -> Result<(), String>;

/// The current conventions.
const CURRENT: SpanConventions = SpanConventions {
    used: &[
        "gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions",
        "gen_ai.tool.definitions",
    ],
    push: push_current,
};
/// The older ones.
const OLDER: SpanConventions = SpanConventions {
    used: &["gen_ai.prompt.*", "gen_ai.completion.*"],
    push: |thread, attributes| {
        push_numbered(thread, attributes, &NUMBERED);
        Ok(())
    },
};
/// Those of OpenInference, whose values are copies.
const INFERENCE: SpanConventions = SpanConventions {
    used: &["llm.input_messages.*", "llm.output_messages.*", "input.value", "output.value"],
    push: |thread, attributes| {
        push_numbered(thread, attributes, &OPEN_INFERENCE);
        Ok(())
    },
};
/// Those of the AI SDK.
const SDK: SpanConventions = SpanConventions {
    used: &[
        "ai.prompt", "ai.prompt.messages", "ai.response.text", "ai.response.reasoning",
        "ai.response.toolCalls", "ai.response.object",
    ],
    push: push_sdk,
};

/// Returns the conventions of a span, if it is the call of a model.
pub(crate) fn conventions_of(attributes: &SpanAttributes<'_>) -> Option<&'static SpanConventions> {
    let has_any = |names: &[&str]| names.iter().any(|name| attributes.text(name).is_some());
    if has_any(&CURRENT.used[..2]) {
        Some(&CURRENT)
    } else if attributes.any_starts_with("gen_ai.prompt.") {
        Some(&OLDER)
    } else if attributes.any_starts_with("llm.input_messages.") {
        Some(&INFERENCE)
    } else {
        has_any(&SDK.used[..2]).then_some(&SDK)
    }
}

/// Keys of numbered messages that are read, or that say how an answer ended.
const NUMBERED_KEYS: [&str; 9] = [
    "role", "content", "reasoning", "tool_call_id", "finish_reason", "tool_calls.", "message.role",
    "message.content", "message.tool_call",
];

/// Returns true if the messages of a call are in the attribute with this name. `used` are the
/// attributes of its conventions.
pub(crate) fn is_used(used: &[&str], name: &str) -> bool {
    used.iter().any(|used| match used.strip_suffix('*') {
        None => *used == name,
        Some(start) => {
            let numbered = name.strip_prefix(start).and_then(|rest| rest.split_once('.'));
            numbered.is_some_and(|(_, key)| {
                NUMBERED_KEYS
                    .iter()
                    .any(|known| *known == key || (known.contains('.') && key.starts_with(known)))
            })
        }
    })
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
    let text = unpacked_list(&text).unwrap_or_else(|| text.into_owned());
    match JsonTree::held_at(attributes.place, text.trim().as_bytes()) {
        Ok(tree) => read(tree.root()),
        Err(_) => Err(format!("{name} is not JSON; it may have been cut")),
    }
}

/// Returns the list that a list of strings holds, each of which is an object as JSON.
fn unpacked_list(text: &str) -> Option<String> {
    let tree = JsonTree::new(text.trim().as_bytes()).ok()?;
    let items = tree.root().items();
    let items: Option<Vec<String>> = items
        .map(|item| {
            let item = item.as_text()?;
            JsonTree::new(item.as_bytes()).is_ok().then(|| item.into_owned())
        })
        .collect();
    let items = items.filter(|items| !items.is_empty())?;
    Some(format!("[{}]", items.join(", ")))
}

fn push_current(thread: &mut JournalThread, attributes: &SpanAttributes<'_>) -> Result<(), String> {
    with_json(attributes, "gen_ai.tool.definitions", |tools| {
        if tools.is_kind(JsonKind::Array) {
            thread.add_entry("tools", tools.bytes());
        }
        Ok(())
    })?;
    with_json(attributes, "gen_ai.system_instructions", |parts| {
        let mut element = MessageBuilder::new("system").with_place(parts.place());
        element.push_string(parts);
        for part in parts.items() {
            push_part(&mut element, part)?;
        }
        element.push_if_said(thread);
        Ok(())
    })?;
    for name in ["gen_ai.input.messages", "gen_ai.output.messages"] {
        with_json(attributes, name, |messages| {
            for message in messages.items() {
                push_message(thread, message).map_err(|why| format!("{name}: {why}"))?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Appends a message with parts: the results in it are messages of their own.
pub(crate) fn push_message(
    thread: &mut JournalThread,
    message: JsonNode<'_>,
) -> Result<(), String> {
    let (place, role) = (message.place(), message.get_text("role"));
    let role = match role.as_deref() {
        Some("user" | "tool") => "user",
        Some("assistant" | "model") => "assistant",
        Some("system" | "developer") => "system",
        other => return Err(format!("the role {:?} is unknown", other.unwrap_or(""))),
    };
    let mut element = MessageBuilder::new(role).with_place(place);
    element.set_name(message.literal_bytes("name"));
    let (parts, content) = (message.get("parts"), message.get("content"));
    let Some(content) = parts.or(content) else {
        return Err("a message has neither parts nor content".to_owned());
    };
    element.push_string(content);
    for part in content.items() {
        if part.has_text("type", "tool_call_response") {
            // What was said before the result comes before it.
            if !element.is_empty() {
                let next = element.new_alike(place);
                std::mem::replace(&mut element, next).push_if_said(thread);
            }
            let mut result = MessageBuilder::new_result(part.literal_bytes("id")).with_place(place);
            let response = part.get("response").or_else(|| part.get("result"));
            if let Some(response) = response {
                result.push_value(response);
            }
            result.push_if_said(thread);
        } else {
            push_part(&mut element, part)?;
        }
    }
    element.push_if_said(thread);
    Ok(())
}

/// Adds a part: a text, reasoning, a call or an image. Any other part is text as JSON, so that
/// nothing is lost.
fn push_part(element: &mut MessageBuilder, part: JsonNode<'_>) -> Result<(), String> {
    let content = part.literal_bytes("content").or_else(|| part.literal_bytes("text"));
    match part.get_text("type").as_deref() {
        Some("text") => match content {
            Some(content) => element.push_text(content),
            None => return Err("a part of type text has no content".to_owned()),
        },
        Some("reasoning" | "thinking") => element.push_reasoning(content.unwrap_or(b"\"\"")),
        Some("tool_call") => element.push_call(
            part.literal_or_empty("id"),
            part.literal_or_empty("name"),
            part.get("arguments"),
        ),
        Some("uri") if part.has_text("modality", "image") => {
            element.push_image(part.literal_or_empty("uri"));
        }
        _ => element.push_value(part),
    }
    Ok(())
}

/// Appends the messages of a call of the AI SDK, and its answer.
fn push_sdk(thread: &mut JournalThread, attributes: &SpanAttributes<'_>) -> Result<(), String> {
    if attributes.text("ai.prompt.messages").is_some() {
        with_json(attributes, "ai.prompt.messages", |list| push_model_messages(thread, list))?;
    } else {
        with_json(attributes, "ai.prompt", |prompt| {
            push_words(thread, "system", prompt.get("system"));
            let messages = prompt.get("messages").unwrap_or(prompt);
            push_model_messages(thread, messages)?;
            push_words(thread, "user", prompt.get("prompt"));
            Ok(())
        })?;
    }
    let mut answer = MessageBuilder::new("assistant").with_place(attributes.place);
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
                call.literal_or_empty("toolCallId"),
                call.literal_or_empty("toolName"),
                call.get("input").or_else(|| call.get("args")),
            );
        }
        Ok(())
    })?;
    answer.push_if_said(thread);
    Ok(())
}

fn push_model_messages(thread: &mut JournalThread, list: JsonNode<'_>) -> Result<(), String> {
    for message in list.items() {
        MODEL_MESSAGES.push(thread, message).map_err(|error| error.reason)?;
    }
    Ok(())
}

/// Appends a message that is only a text.
fn push_words(thread: &mut JournalThread, role: &'static str, text: Option<JsonNode<'_>>) {
    if let Some(text) = text {
        let mut element = MessageBuilder::new(role).with_place(text.place());
        element.push_string(text);
        element.push_if_said(thread);
    }
}
