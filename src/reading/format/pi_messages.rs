//! The messages of pi in the dialect of Anthropic, each without its opening brace.

use crate::reading::format::anthropic_blocks::{call_block, join_blocks, text_block};
use crate::reading::format::tree::{JsonNode, JsonTree};
use crate::reading::json::{JsonKind, encode_literal};

/// The keys of a usage object, and their names in Anthropic's dialect.
const USAGE_KEYS: [(&str, &str); 4] = [
    ("input", "input_tokens"),
    ("output", "output_tokens"),
    ("cacheRead", "cache_read_input_tokens"),
    ("cacheWrite", "cache_creation_input_tokens"),
];

/// Renders a message with another content in place of its own. What has no content, as a command
/// that was run, is sent as words of the user.
pub(super) fn render_edited(message: JsonNode<'_>, content: &[u8]) -> Option<Vec<u8>> {
    let start = message.span().start;
    let Some(own) = message.get("content") else {
        let alone = [b"{\"content\": ".as_slice(), content, b"}"].concat();
        return render_message(JsonTree::new(&alone).ok()?.root());
    };
    let own = own.span().relative_to(start);
    let bytes = message.bytes();
    let edited = [&bytes[..own.start], content, &bytes[own.end..]].concat();
    let tree = JsonTree::new(&edited).ok()?;
    render_message(tree.root())
}

/// Renders a message, or returns `None` if it is not sent.
pub(super) fn render_message(message: JsonNode<'_>) -> Option<Vec<u8>> {
    let role = message.get("role").and_then(JsonNode::as_text);
    Some(match role.as_deref() {
        Some("assistant") => [
            b"\"role\": \"assistant\", \"content\": ".as_slice(),
            &render_content(message),
            &message.get("usage").map_or_else(Vec::new, render_usage),
            b"}",
        ]
        .concat(),
        Some("toolResult") => render_result(message),
        Some("system") => render_system(message),
        Some("bashExecution") if message.has_true("excludeFromContext") => return None,
        Some("bashExecution") => {
            let command = message.non_empty_text("command").unwrap_or_default();
            let output = message.non_empty_text("output").unwrap_or_default();
            let text = format!("Ran `{command}`\n```\n{output}\n```");
            render_user_message(&encode_literal(&text))
        }
        Some("branchSummary" | "compactionSummary") => {
            render_user_message(message.literal_bytes("summary").unwrap_or(b"\"\""))
        }
        // Messages of extensions have no role.
        Some("user" | "custom") | None => render_user_message(&render_content(message)),
        Some(_) => return None,
    })
}

/// Renders a message of the user with this content.
pub(super) fn render_user_message(content: &[u8]) -> Vec<u8> {
    [
        b"\"role\": \"user\", \"content\": ".as_slice(),
        content,
        b"}",
    ]
    .concat()
}

/// Renders a system message: its content, then its sections, each a text.
fn render_system(message: JsonNode<'_>) -> Vec<u8> {
    let sections = message.get("sections");
    let sections = sections.into_iter().flat_map(JsonNode::entries);
    let sections = sections.map(|(_, section)| section.get("text").unwrap_or(section));
    let content = message.get("content").into_iter().chain(sections);
    let texts = content.filter(|text| text.as_non_empty_text().is_some());
    let blocks: Vec<Vec<u8>> = texts
        .map(|text| text_block(text.bytes()))
        .chain(message.items_of("content").map(render_block))
        .collect();
    let content = join_blocks(&blocks);
    [
        b"\"role\": \"system\", \"content\": ".as_slice(),
        &content,
        b"}",
    ]
    .concat()
}

fn render_result(message: JsonNode<'_>) -> Vec<u8> {
    let failed: &[u8] = if message.has_true("isError") {
        b", \"is_error\": true"
    } else {
        b""
    };
    [
        b"\"role\": \"user\", \"content\": [{\"type\": \"tool_result\", \"tool_use_id\": "
            .as_slice(),
        message.literal_bytes("toolCallId").unwrap_or(b"\"\""),
        failed,
        b", \"content\": ",
        &render_content(message),
        b"}]}",
    ]
    .concat()
}

fn render_usage(usage: JsonNode<'_>) -> Vec<u8> {
    let entries: Vec<Vec<u8>> = USAGE_KEYS
        .iter()
        .filter_map(|(key, name)| {
            Some([b"\"", name.as_bytes(), b"\": ", usage.get(key)?.bytes()].concat())
        })
        .collect();
    [
        b", \"usage\": {".as_slice(),
        &entries.join(b", ".as_slice()),
        b"}",
    ]
    .concat()
}

/// Renders the content of a message: a list of blocks, or the logged value.
fn render_content(message: JsonNode<'_>) -> Vec<u8> {
    let Some(content) = message.get_kind("content", JsonKind::Array) else {
        return message.bytes_or_null("content").to_vec();
    };
    let blocks: Vec<Vec<u8>> = content.items().map(render_block).collect();
    join_blocks(&blocks)
}

fn render_block(block: JsonNode<'_>) -> Vec<u8> {
    match block.get("type").and_then(JsonNode::as_text).as_deref() {
        Some("toolCall") => call_block(
            block.bytes_or_null("id"),
            block.bytes_or_null("name"),
            block.bytes_or_null("arguments"),
        ),
        Some("image") if block.has_key("data") => [
            b"{\"type\": \"image\", \"source\": {\"type\": \"base64\", \"media_type\": ".as_slice(),
            block.bytes_or_null("mimeType"),
            b", \"data\": ",
            block.bytes_or_null("data"),
            b"}}",
        ]
        .concat(),
        _ => block.bytes().to_vec(),
    }
}
