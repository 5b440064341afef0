//! The attachments of Claude Code: what the agent sends in the user's name beside the user's
//! messages. The words that the user writes while the agent works are one of them, as are files
//! named with `@`, the words of hooks, and memory.

use crate::reading::format::prelude::*;

/// Types that are never sent.
const UNSENT: &[If] = &[If::Any(&[is("type", UNSENT_TYPES), UNTOLD])];
const UNSENT_TYPES: &str = "already_read_file|autocheckpointing|background_task_status\
    |command_permissions|edited_image_file|hook_cancelled|hook_error_during_execution\
    |hook_non_blocking_error|hook_permission_decision|hook_system_message|structured_output\
    |dynamic_skill";
/// The events whose hooks add their output to what is sent.
const UNTOLD: If = If::Of(
    at(""),
    &[is("type", "hook_success"), If::Not(&[is("hookEvent", "SessionStart|UserPromptSubmit")])],
);
/// Keys that hold words, at any depth.
const WORD_KEYS: [&str; 12] = [
    "rendered", "content", "text", "prompt", "snippet", "message", "blockingError", "addedLines",
    "addedBlocks", "context", "memory", "instructions",
];
/// Keys that name what the words are of.
const NAME_KEYS: [&str; 4] = ["displayPath", "filename", "path", "uri"];

#[derive(Debug, Clone)]
pub(super) struct ClaudeAttachment {
    /// The content as JSON. `None` if the log does not hold its words.
    pub(super) content: Option<Vec<u8>>,
    pub(super) kind: String,
}

impl ClaudeAttachment {
    /// Returns the attachment of a line, if it is sent.
    pub(super) fn from_line(line: JsonNode<'_>) -> Option<Self> {
        let attachment = line.get_kind("attachment", JsonKind::Object)?;
        let kind = attachment.non_empty_text("type").unwrap_or_default();
        if hold(UNSENT, attachment) {
            return None;
        }
        let rendered = attachment.get("rendered").or_else(|| line.get("rendered"));
        let rendered = rendered.filter(|rendered| !rendered.is_kind(JsonKind::Null));
        let prompt = attachment.get("prompt").filter(|prompt| {
            let is_content = matches!(prompt.kind(), JsonKind::String | JsonKind::Array);
            is_content && kind == "queued_command"
        });
        let content = match (rendered, prompt) {
            (None, Some(prompt)) => Some(prompt.bytes().to_vec()),
            (Some(rendered), _) => render_blocks(&words_of(rendered, true)),
            (None, None) => render_blocks(&blocks_of(attachment)),
        };
        Some(Self { content, kind })
    }
}

/// Returns the blocks of an attachment: the name of its file, its words or its picture.
fn blocks_of(attachment: JsonNode<'_>) -> Vec<Vec<u8>> {
    let mut blocks =
        picture_of(attachment).map_or_else(|| words_of(attachment, false), |block| vec![block]);
    let mut names = NAME_KEYS.iter().filter_map(|key| attachment.literal_bytes(key));
    if let Some(name) = names.next().filter(|_| !blocks.is_empty()) {
        blocks.insert(0, text_block(name));
    }
    blocks
}

/// Returns the words below a value, each as a block. `is_word` is true if a string there is one.
fn words_of(value: JsonNode<'_>, is_word: bool) -> Vec<Vec<u8>> {
    match value.kind() {
        JsonKind::String if is_word && value.as_non_empty_text().is_some() => {
            vec![text_block(value.bytes())]
        }
        JsonKind::Array => {
            let items = value.items();
            items.flat_map(|item| words_of(item, is_word)).collect()
        }
        JsonKind::Object => {
            let entries = value.entries().map(|(key, entry)| {
                let key = key.slice(value.record_bytes());
                let is_word =
                    WORD_KEYS.iter().any(|word| key[1..key.len() - 1] == *word.as_bytes());
                words_of(entry, is_word)
            });
            entries.flatten().collect()
        }
        _ => Vec::new(),
    }
}

/// Returns a picture or a document of base64 as a block.
fn picture_of(attachment: JsonNode<'_>) -> Option<Vec<u8>> {
    let content = attachment.get("content")?;
    let file = content.get("file").unwrap_or(content);
    let base64 = file.literal_bytes("base64")?;
    let (kind, media_type) = match file.literal_bytes("type") {
        Some(media_type) if content.has_text("type", "image") => ("image", media_type),
        _ => ("document", b"\"application/pdf\"".as_slice()),
    };
    let pattern = r#"{"type": "$", "source": {"type": "base64", "media_type": $, "data": $}}"#;
    Some(fill_json(pattern, &[kind.as_bytes(), media_type, base64]))
}

fn render_blocks(blocks: &[Vec<u8>]) -> Option<Vec<u8>> {
    (!blocks.is_empty()).then(|| join_blocks(blocks))
}
