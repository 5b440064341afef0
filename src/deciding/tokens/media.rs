//! Media of base64 within a block that is counted as JSON: no model reads their letters as text.

use crate::reading::format::JsonTree;
use crate::reading::format::tree::JsonNode;
use crate::reading::json::{JsonKind, Span};
use std::borrow::Cow;

/// Keys that hold base64.
const DATA_KEYS: [&str; 6] = ["data", "file_data", "fileData", "bytes", "base64", "file_url"];
/// Shorter literals are counted as they are.
const MIN_BYTES: usize = 512;

/// A block without the base64 of its media.
pub(super) struct BlockWithoutMedia<'b> {
    pub(super) json: Cow<'b, [u8]>,
    /// The number of media that were taken out.
    pub(super) media: u64,
}

impl<'b> BlockWithoutMedia<'b> {
    pub(super) fn of(json: &'b [u8]) -> Self {
        let mut spans = Vec::new();
        if json.len() >= MIN_BYTES
            && let Ok(tree) = JsonTree::new(json)
        {
            collect_media(tree.root(), &mut spans);
        }
        let mut left = Vec::new();
        let mut at = 0;
        for span in &spans {
            left.extend_from_slice(&json[at..=span.start]);
            at = span.end - 1;
        }
        let json = match spans.as_slice() {
            [] => Cow::Borrowed(json),
            _ => Cow::Owned([left.as_slice(), &json[at..]].concat()),
        };
        Self { json, media: spans.len() as u64 }
    }
}

/// Adds the literals of base64 below a node. What only its provider can read is no medium.
fn collect_media(node: JsonNode<'_>, spans: &mut Vec<Span>) {
    if node.has_text("type", "redacted_thinking") {
        return;
    }
    for (key, value) in node.entries() {
        let key = key.slice(node.record_bytes());
        let is_data = DATA_KEYS.iter().any(|name| key[1..key.len() - 1] == *name.as_bytes());
        if value.is_kind(JsonKind::String) {
            if is_data && is_base64(value.bytes()) {
                spans.push(value.span());
            }
        } else {
            collect_media(value, spans);
        }
    }
    for item in node.items() {
        collect_media(item, spans);
    }
}

/// Returns true for a long literal of base64, by itself or in a `data:` URL.
fn is_base64(literal: &[u8]) -> bool {
    let text = &literal[1..literal.len() - 1];
    let start = match text.starts_with(b"data:") {
        true => memchr::memchr(b',', text).map_or(0, |comma| comma + 1),
        false => 0,
    };
    let is_letter = |byte: &u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_')
    };
    text.len() >= MIN_BYTES && text[start..].iter().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_base64_is_taken_out() {
        let base64 = "QUJD".repeat(200);
        let file = format!(
            r#"{{"type": "file", "file": {{"file_data": "data:application/pdf;base64,{base64}"}}}}"#
        );
        let seen = BlockWithoutMedia::of(file.as_bytes());
        assert_eq!((seen.media, seen.json.len() < 100), (1, true));
        let words = format!(r#"{{"data": "{}"}}"#, "some words ".repeat(100));
        let seen = BlockWithoutMedia::of(words.as_bytes());
        assert_eq!((seen.media, seen.json.len()), (0, words.len()));
    }
}
