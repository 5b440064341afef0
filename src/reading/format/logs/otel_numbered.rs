//! The messages of a model call in numbered attributes of its span: `gen_ai.prompt.0.content` of
//! OpenLLMetry, `llm.input_messages.0.message.content` of OpenInference.

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
