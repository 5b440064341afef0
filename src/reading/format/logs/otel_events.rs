//! The messages of a model call as events of its span, as the conventions had them before version
//! 1.37: `gen_ai.user.message`, `gen_ai.choice`, and earlier `gen_ai.content.prompt`.

use crate::reading::format::logs::otel_attributes::SpanAttributes;
use crate::reading::format::prelude::*;

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
        element.push_call(
            call.literal_or_empty("id"),
            function.literal_or_empty("name"),
            function.get("arguments"),
        );
    }
}
