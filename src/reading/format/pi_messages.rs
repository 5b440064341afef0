//! The messages of pi in the dialect of Anthropic, each without its opening brace.

use crate::reading::format::prelude::*;

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
        let alone = fill_json(r#"{"content": $}"#, &[content]);
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
    let role = message.get_text("role");
    Some(match role.as_deref() {
        Some("assistant") => fill_json(
            r#""role": "assistant", "content": $$}"#,
            &[&render_content(message), &message.get("usage").map_or_else(Vec::new, render_usage)],
        ),
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
            render_user_message(message.literal_or_empty("summary"))
        }
        // Messages of extensions have no role.
        Some("user" | "custom") | None => render_user_message(&render_content(message)),
        Some(_) => return None,
    })
}

pub(super) fn render_user_message(content: &[u8]) -> Vec<u8> {
    fill_json(r#""role": "user", "content": $}"#, &[content])
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
    fill_json(r#""role": "system", "content": $}"#, &[&content])
}

fn render_result(message: JsonNode<'_>) -> Vec<u8> {
    let failed: &[u8] = if message.has_true("isError") { b", \"is_error\": true" } else { b"" };
    fill_json(
        r#""role": "user", "content": [{"type": "tool_result", "tool_use_id": $$, "content": $}]}"#,
        &[message.literal_or_empty("toolCallId"), failed, &render_content(message)],
    )
}

fn render_usage(usage: JsonNode<'_>) -> Vec<u8> {
    let entries: Vec<Vec<u8>> = USAGE_KEYS
        .iter()
        .filter_map(|(key, name)| {
            Some(fill_json(r#""$": $"#, &[name.as_bytes(), usage.get(key)?.bytes()]))
        })
        .collect();
    fill_json(r#", "usage": {$}"#, &[&entries.join(b", ".as_slice())])
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
    match block.get_text("type").as_deref() {
        Some("toolCall") => call_block(
            block.bytes_or_null("id"),
            block.bytes_or_null("name"),
            block.bytes_or_null("arguments"),
        ),
        Some("image") if block.has_key("data") => fill_json(
            r#"{"type": "image", "source": {"type": "base64", "media_type": $, "data": $}}"#,
            &[block.bytes_or_null("mimeType"), block.bytes_or_null("data")],
        ),
        _ => block.bytes().to_vec(),
    }
}
