//! The content blocks of Goose, as blocks of Anthropic.

use crate::format::tree::JsonNode;
use crate::json::{JsonKind, encode_wtf8_literal};

/// Types of blocks that no other format has.
const OWN_BLOCKS: [&str; 8] = [
    "toolRequest",
    "toolResponse",
    "frontendToolRequest",
    "toolConfirmationRequest",
    "redactedThinking",
    "actionRequired",
    "systemNotification",
    "contextLengthExceeded",
];

/// Returns true if no other format has a block of this type.
pub(super) fn is_goose_block(block: JsonNode<'_>) -> bool {
    OWN_BLOCKS.iter().any(|kind| block.has_text("type", kind))
}

/// Renders blocks as a list of Anthropic blocks. Blocks of kinds that a model is not sent stay as
/// they are, so that they are listed.
pub(super) fn render_blocks<'t>(blocks: impl Iterator<Item = JsonNode<'t>>) -> Vec<u8> {
    let blocks: Vec<Vec<u8>> = blocks.map(render_block).collect();
    [b"[".as_slice(), &blocks.join(b", ".as_slice()), b"]"].concat()
}

fn render_block(block: JsonNode<'_>) -> Vec<u8> {
    match block.get("type").and_then(JsonNode::as_text).as_deref() {
        Some("toolRequest" | "frontendToolRequest") => render_call(block),
        Some("toolResponse") => render_result(block),
        Some("redactedThinking") => [
            b"{\"type\": \"redacted_thinking\", \"data\": ".as_slice(),
            block.bytes_or_null("data"),
            b"}",
        ]
        .concat(),
        Some("image") => render_image(block),
        Some("resource") => render_resource(block),
        _ => block.bytes().to_vec(),
    }
}

/// Renders a call. One that could not be parsed has its error as input.
fn render_call(block: JsonNode<'_>) -> Vec<u8> {
    let call = block.get("toolCall");
    let value = call.and_then(|call| call.get("value"));
    let name = value.and_then(|value| value.literal_bytes("name"));
    let input = match value {
        Some(value) => value
            .get_kind("arguments", JsonKind::Object)
            .map_or_else(|| b"{}".to_vec(), |arguments| arguments.bytes().to_vec()),
        None => call.map_or_else(|| b"{}".to_vec(), |call| call.bytes().to_vec()),
    };
    [
        b"{\"type\": \"tool_use\", \"id\": ".as_slice(),
        block.bytes_or_null("id"),
        b", \"name\": ",
        name.unwrap_or(b"\"invalid\""),
        b", \"input\": ",
        &input,
        b"}",
    ]
    .concat()
}

fn render_result(block: JsonNode<'_>) -> Vec<u8> {
    let result = block.get("toolResult");
    let value = result.and_then(|result| result.get("value"));
    let list = value.map(|value| value.get("content").unwrap_or(value));
    let has_failed = result.is_some_and(|result| result.has_text("status", "error"))
        || value.is_some_and(|value| value.has_true("isError"));
    let content = match list.filter(|list| list.is_kind(JsonKind::Array)) {
        Some(list) => render_blocks(list.items().filter(|content| is_for_model(*content))),
        None => {
            let error = result.and_then(|result| result.get("error"));
            match error.or(list).or(result) {
                Some(text) if text.is_kind(JsonKind::String) => text.bytes().to_vec(),
                Some(other) => encode_wtf8_literal(other.bytes()),
                None => b"\"\"".to_vec(),
            }
        }
    };
    let failure: &[u8] = if has_failed {
        b", \"is_error\": true"
    } else {
        b""
    };
    [
        b"{\"type\": \"tool_result\", \"tool_use_id\": ".as_slice(),
        block.bytes_or_null("id"),
        b", \"content\": ",
        &content,
        failure,
        b"}",
    ]
    .concat()
}

/// Returns true unless a content of a result is for the user alone.
fn is_for_model(content: JsonNode<'_>) -> bool {
    let audience = content.get_path(&["annotations", "audience"]);
    audience.is_none_or(|audience| {
        let mut readers = audience.items().filter_map(JsonNode::as_text);
        readers.any(|reader| reader == "assistant")
    })
}

fn render_image(image: JsonNode<'_>) -> Vec<u8> {
    [
        b"{\"type\": \"image\", \"source\": {\"type\": \"base64\", \"media_type\": ".as_slice(),
        image.bytes_or_null("mimeType"),
        b", \"data\": ",
        image.bytes_or_null("data"),
        b"}}",
    ]
    .concat()
}

/// Renders the text of an embedded resource as text.
fn render_resource(block: JsonNode<'_>) -> Vec<u8> {
    let resource = block.get("resource");
    match resource.and_then(|resource| resource.literal_bytes("text")) {
        Some(text) => [b"{\"type\": \"text\", \"text\": ".as_slice(), text, b"}"].concat(),
        None => block.bytes().to_vec(),
    }
}
