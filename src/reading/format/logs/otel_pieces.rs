//! The messages of a model call where they are not JSON in one attribute: in numbered attributes of its
//! span, `gen_ai.prompt.0.content` of OpenLLMetry or `llm.input_messages.0.message.content` of
//! OpenInference, or in events of its span, as the conventions had them before version 1.37:
//! `gen_ai.user.message`, `gen_ai.choice`, and earlier `gen_ai.content.prompt`.

use crate::reading::format::logs::otel_attributes::SpanAttributes;
use crate::reading::format::prelude::*;

/// A scheme of numbered attributes: what goes before a number, and the keys behind it.
pub(crate) struct NumberedScheme {
    starts: [&'static str; 2],
    /// What goes before each key of a message.
    message: &'static str,
    /// What goes before each key of a call.
    call: &'static str,
    /// The key of a call's name and of its arguments.
    name: &'static str,
    arguments: &'static str,
}

/// OpenLLMetry.
pub(crate) const NUMBERED: NumberedScheme = NumberedScheme {
    starts: ["gen_ai.prompt", "gen_ai.completion"],
    message: "",
    call: "",
    name: "name",
    arguments: "arguments",
};
/// OpenInference.
pub(crate) const OPEN_INFERENCE: NumberedScheme = NumberedScheme {
    starts: ["llm.input_messages", "llm.output_messages"],
    message: "message.",
    call: "tool_call.",
    name: "function.name",
    arguments: "function.arguments",
};

/// Appends messages whose parts are numbered attributes.
pub(crate) fn push_numbered(
    thread: &mut JournalThread,
    attributes: &SpanAttributes<'_>,
    scheme: &NumberedScheme,
) {
    for start in scheme.starts {
        for number in 0.. {
            let before = format!("{start}.{number}.{}", scheme.message);
            if !push_numbered_message(thread, attributes, scheme, &before) {
                break;
            }
        }
    }
}

/// Appends the message whose attributes begin with `before`. Returns false if there is none.
fn push_numbered_message(
    thread: &mut JournalThread,
    attributes: &SpanAttributes<'_>,
    scheme: &NumberedScheme,
    before: &str,
) -> bool {
    let text = |key: &str| attributes.text(&format!("{before}{key}"));
    let (role, content) = (text("role"), text("content"));
    if role.is_none() && content.is_none() {
        return false;
    }
    let mut element = match role.as_deref() {
        Some("tool" | "function") => {
            let id = text("tool_call_id").map(|id| encode_literal(&id));
            MessageBuilder::new_result(id.as_deref())
        }
        Some("user" | "human") => MessageBuilder::new("user"),
        Some("system" | "developer") => MessageBuilder::new("system"),
        _ => MessageBuilder::new("assistant"),
    };
    element.add_place(attributes.place);
    if let Some(reasoning) = text("reasoning") {
        element.push_reasoning(&encode_literal(&reasoning));
    }
    if let Some(content) = content.filter(|content| !content.is_empty()) {
        push_numbered_content(&mut element, &content, &encode_literal(&content));
    }
    for part in 0.. {
        let text = |key: &str| text(&format!("contents.{part}.message_content.{key}"));
        if let Some(words) = text("text") {
            element.push_text(&encode_literal(&words));
        } else if let Some(url) = text("image.image.url") {
            element.push_image(&encode_literal(&url));
        } else if text("type").is_none() {
            break;
        }
    }
    for call in 0.. {
        let text = |key: &str| text(&format!("tool_calls.{call}.{}{key}", scheme.call));
        let Some(name) = text(scheme.name) else {
            break;
        };
        element.push_call_json(
            &encode_literal(&text("id").unwrap_or_default()),
            &encode_literal(&name),
            &encode_literal(&text(scheme.arguments).unwrap_or_else(|| "{}".into())),
        );
    }
    element.push_if_said(thread);
    true
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
    for text in blocks.iter().filter_map(|block| block.literal_bytes("text")) {
        element.push_text(text);
    }
}

/// Events that hold a message, or a prompt or an answer in an attribute, which is named before the
/// role.
const EVENTS: [(&str, Option<&str>, &str); 7] = [
    ("gen_ai.system.message", None, "system"),
    ("gen_ai.user.message", None, "user"),
    ("gen_ai.assistant.message", None, "assistant"),
    ("gen_ai.tool.message", None, "tool"),
    ("gen_ai.choice", None, "assistant"),
    ("gen_ai.content.prompt", Some("gen_ai.prompt"), "user"),
    ("gen_ai.content.completion", Some("gen_ai.completion"), "assistant"),
];
/// The attribute that holds a message as JSON, where exporters do so.
const EVENT_CONTENT: &str = "gen_ai.event.content";

/// Returns true if events of a span hold messages.
pub(crate) fn has_message_events(span: JsonNode<'_>) -> bool {
    let mut events = span.items_of("events");
    events.any(|event| EVENTS.iter().any(|(name, ..)| event.has_text("name", name)))
}

/// Appends the messages that events of a span hold. All have the place of the call.
pub(crate) fn push_event_messages(
    thread: &mut JournalThread,
    span: JsonNode<'_>,
    place: EventPlace,
) {
    for event in span.items_of("events") {
        let attributes = SpanAttributes::of([event]);
        for (_, key, role) in EVENTS.iter().filter(|(name, ..)| event.has_text("name", name)) {
            let text = attributes.text(key.unwrap_or(EVENT_CONTENT));
            let body = || Some(Cow::Owned(attributes.to_json())).filter(|_| key.is_none());
            if let Some(text) = text.or_else(body) {
                push_json(thread, &text, role, place);
            }
        }
    }
}

/// Appends a message, or a list of them. What is no JSON object is the text of a message.
fn push_json(thread: &mut JournalThread, text: &str, role: &'static str, place: EventPlace) {
    let tree = JsonTree::held_at(place, text.trim().as_bytes());
    let root = tree.as_ref().ok().map(JsonTree::root);
    match root.map(|root| (root, root.kind())) {
        Some((message, JsonKind::Object)) => push_message(thread, message, role),
        Some((list, JsonKind::Array)) => {
            for message in list.items() {
                push_message(thread, message, role);
            }
        }
        _ => {
            let mut element = MessageBuilder::new(role).with_place(place);
            element.push_text(&encode_literal(text));
            element.push_onto(thread);
        }
    }
}

fn push_message(thread: &mut JournalThread, message: JsonNode<'_>, role: &'static str) {
    // A choice holds its message, which may be JSON in a string.
    if let Some(inner) = message.get("message") {
        match inner.as_text() {
            Some(text) => push_json(thread, &text, role, message.place()),
            None => push_message(thread, inner, role),
        }
        return;
    }
    let own_role = message.get_text("role");
    let role = match own_role.as_deref() {
        Some("system" | "developer") => "system",
        Some("user") => "user",
        Some("assistant" | "model") => "assistant",
        Some("tool") => "tool",
        _ => role,
    };
    let mut ids = ["id", "tool_call_id"].iter();
    let mut element = match role {
        "tool" => MessageBuilder::new_result(ids.find_map(|key| message.literal_bytes(key))),
        role => MessageBuilder::new(role),
    }
    .with_place(message.place());
    if let Some(content) = message.get("content") {
        push_content(&mut element, content);
    } else if !message.has_key("tool_calls") {
        element.push_value(message);
    }
    match message.get("tool_calls").map(|calls| (calls, calls.as_text())) {
        Some((_, Some(text))) => {
            if let Ok(tree) = JsonTree::new(text.as_bytes()) {
                push_calls(&mut element, tree.root());
            }
        }
        Some((calls, None)) => push_calls(&mut element, calls),
        None => {}
    }
    element.push_onto(thread);
}

/// Adds a content: a text, parts with texts, or any other value as JSON.
fn push_content(element: &mut MessageBuilder, content: JsonNode<'_>) {
    if !content.is_kind(JsonKind::Array) {
        element.push_value(content);
        return;
    }
    for part in content.items() {
        match part.literal_bytes("text") {
            Some(text) => element.push_text(text),
            None => element.push_value(part),
        }
    }
}

fn push_calls(element: &mut MessageBuilder, calls: JsonNode<'_>) {
    for call in calls.items() {
        let function = call.get("function").unwrap_or(call);
        let (id, name) = (call.literal_or_empty("id"), function.literal_or_empty("name"));
        element.push_call(id, name, function.get("arguments"));
    }
}
