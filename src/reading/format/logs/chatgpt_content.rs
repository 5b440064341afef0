//! The content of ChatGPT's messages, by its type.

use crate::reading::format::prelude::*;

/// The places of the texts of contents, by their type; others have `parts` or `text`.
const TEXTS: [(&str, At); 7] = [
    ("tether_quote", at("title|url|text")),
    ("tether_browsing_display", at("result|summary")),
    ("sonic_webpage", at("title|url|text")),
    ("system_error", at("name|text")),
    ("user_editable_context", at("user_profile|user_instructions")),
    ("model_editable_context", at("model_set_context")),
    ("citable_code_output", at("output_str")),
];
/// Types of contents that only the screen shows.
const SCREEN_TYPES: [&str; 1] = ["reasoning_recap"];

/// Adds the content of a message of this record that is no call. Fails if the message has no
/// content.
pub(crate) fn push_content(
    thread: &mut JournalThread,
    element: &mut MessageBuilder,
    message: JsonNode<'_>,
) -> Result<()> {
    let content =
        message.get("content").ok_or_else(|| unknown_content_error(message, "a message"))?;
    let kind = content_type(message).unwrap_or_default();
    if SCREEN_TYPES.contains(&kind.as_ref()) {
        thread.note_left_out(format!("content of type {kind}"), message.record_index());
        return Ok(());
    }
    let texts = TEXTS.iter().find(|(known, _)| *known == kind);
    for text in texts.map_or(at("text"), |(_, texts)| *texts).nodes(content) {
        element.push_string(text);
    }
    for part in content.items_of("parts") {
        push_part(element, part);
    }
    if element.is_empty() && holds_text(content) {
        thread.note_left_out(format!("content of type {kind}"), message.record_index());
    }
    Ok(())
}

pub(crate) fn content_type(message: JsonNode<'_>) -> Option<Cow<'_, str>> {
    message.get_path(&["content", "content_type"]).and_then(JsonNode::as_text)
}

/// Adds the thoughts of the model: each has a heading and its text.
pub(crate) fn push_thoughts(element: &mut MessageBuilder, message: JsonNode<'_>) {
    let content = message.get("content");
    for thought in content.into_iter().flat_map(|content| content.items_of("thoughts")) {
        for key in ["summary", "content"] {
            if let Some(literal) = thought.literal_bytes(key) {
                element.push_reasoning(literal);
            }
        }
    }
}

/// Adds a part of a content: a text, what was spoken, or an image.
fn push_part(element: &mut MessageBuilder, part: JsonNode<'_>) {
    if part.is_kind(JsonKind::String) {
        element.push_string(part);
    } else if part.has_text("content_type", "image_asset_pointer") {
        if let Some(url) = part.literal_bytes("asset_pointer") {
            element.push_image(url);
        }
    } else if let Some(text) = part.literal_bytes("text") {
        element.push_text(text);
    }
}

/// Returns true if any key of a content but its type holds a text, or a list that is not empty.
fn holds_text(content: JsonNode<'_>) -> bool {
    let bytes = content.record_bytes();
    content.entries().any(|(key, value)| {
        let holds = value.as_non_empty_text().is_some()
            || value.items().any(|item| item.bytes() != b"\"\"");
        key.slice(bytes) != b"\"content_type\"" && holds
    })
}
