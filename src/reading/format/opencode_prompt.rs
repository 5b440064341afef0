//! The messages of OpenCode as it shows them to a summarizer: as they are stored, not as they are
//! sent. See `docs/reference/opencode.md`.

use crate::reading::format::opencode_live::{CLEARED, has_error, interrupted_output, is_cleared};
use crate::reading::format::tree::JsonNode;
use crate::reading::json::stringify_json;
use crate::reading::transcript::journal::PromptItem;
use std::borrow::Cow;

/// Returns true if a summarizer is shown something else than what the rendered messages tell.
pub(super) fn is_told_otherwise(message: JsonNode<'_>) -> bool {
    has_error(message)
        || message.items_of("parts").any(|part| {
            let is_of = |kind| part.has_text("type", kind);
            let state = part.get("state").filter(|_| is_of("tool"));
            is_of("file")
                || is_of("compaction")
                || is_of("subtask")
                || state.is_some_and(|state| {
                    let mut ended = ["completed", "error"].iter();
                    !ended.any(|status| state.has_text("status", status))
                        || interrupted_output(state).is_some()
                        || state.items_of("attachments").next().is_some()
                })
        })
}

pub(super) fn stored_items(message: JsonNode<'_>) -> Vec<PromptItem> {
    let role = message.get_path(&["info", "role"]).and_then(JsonNode::as_text);
    let mut items = Vec::new();
    if role.as_deref() == Some("assistant") {
        for part in message.items_of("parts") {
            push_answer_part(part, &mut items);
        }
        return items;
    }
    let texts: Vec<Cow<'_, str>> = message
        .items_of("parts")
        .filter(|part| part.has_text("type", "text") && !part.has_true("ignored"))
        .filter_map(|part| part.get("text")?.as_text())
        .filter(|text| !text.is_empty())
        .collect();
    if !texts.is_empty() {
        items.push(PromptItem::new("[User]: ", texts.join("\n")));
    }
    let files = message.items_of("parts").filter(|part| part.has_text("type", "file"));
    items.extend(files.map(|file| PromptItem::new("", describe_attachment(file))));
    items
}

fn push_answer_part(part: JsonNode<'_>, items: &mut Vec<PromptItem>) {
    let text = part.get_text("text");
    for (kind, label) in [("text", "[Assistant]: "), ("reasoning", "[Assistant reasoning]: ")] {
        if part.has_text("type", kind)
            && let Some(text) = text.as_ref().filter(|text| !text.is_empty())
        {
            items.push(PromptItem::new(label, text.clone().into_owned()));
        }
    }
    let Some(state) = part.get("state").filter(|_| part.has_text("type", "tool")) else {
        return;
    };
    let name = part.get_text("tool");
    let arguments = stringify_json(state.bytes_or_null("input"));
    items.push(PromptItem::new(
        "[Assistant tool call]: ",
        format!("{}({arguments})", name.unwrap_or_default()),
    ));
    let text_at = |key| state.get_text(key).unwrap_or_default();
    if state.has_text("status", "completed") {
        let text = if is_cleared(state) {
            CLEARED.to_owned()
        } else {
            let files = state.items_of("attachments").map(describe_attachment);
            let lines: Vec<String> =
                std::iter::once(text_at("output").into_owned()).chain(files).collect();
            lines.join("\n")
        };
        items.push(PromptItem { is_result: true, ..PromptItem::new("[Tool result]: ", text) });
    } else if state.has_text("status", "error") {
        let error = text_at("error").into_owned();
        items.push(PromptItem::new("[Tool error]: ", error));
    }
}

fn describe_attachment(file: JsonNode<'_>) -> String {
    let text = |key| file.get_text(key);
    let name = text("filename").unwrap_or(Cow::Borrowed("file"));
    format!("[Attached {}: {name}]", text("mime").unwrap_or_default())
}
