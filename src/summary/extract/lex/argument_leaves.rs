//! Visits the keys and values of a call's arguments in place, without building
//! or copying them.

use super::value_keys::ValueKey;
use crate::json::string_scan::scan_string_with_controls;
use crate::json::{decode_literal_wtf8, wtf8_to_str};
use std::borrow::Cow;

/// A value that is neither an object nor a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LeafValue<'v> {
    /// The text between the quotes of a string, with its escapes as written.
    String(&'v str),
    /// A number as written.
    Number(&'v str),
}

impl<'v> LeafValue<'v> {
    /// Returns the value as text. Returns `None` for a string with a lone surrogate, which has no
    /// spelling in UTF-8.
    pub(crate) fn decode(self) -> Option<Cow<'v, str>> {
        match self {
            Self::Number(text) => Some(Cow::Borrowed(text)),
            Self::String(raw) if !raw.contains('\\') => Some(Cow::Borrowed(raw)),
            Self::String(raw) => {
                let literal = format!("\"{raw}\"");
                let wtf8 = decode_literal_wtf8(literal.as_bytes());
                let text = wtf8_to_str(&wtf8);
                (!text.contains(char::REPLACEMENT_CHARACTER)).then(|| Cow::Owned(text.into_owned()))
            }
        }
    }
}

/// An object or a list that is open at the current place.
struct OpenContainer<'v> {
    /// The key that the container stands under.
    key: &'v str,
    is_list: bool,
}

/// Calls `found` with every leaf and its key. Items of a list have the key of the list. Skips text
/// that is no JSON.
pub(crate) fn visit_leaves<'v>(json: &'v str, found: &mut impl FnMut(ValueKey<'v>, LeafValue<'v>)) {
    let bytes = json.as_bytes();
    let mut containers: Vec<OpenContainer<'v>> = Vec::new();
    let mut key = "";
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'{' | b'[' => containers.push(OpenContainer {
                key,
                is_list: byte == b'[',
            }),
            b'}' | b']' => key = containers.pop().map_or("", |container| container.key),
            b'"' => {
                let Some(end) =
                    scan_string_with_controls(bytes, at).map(|scanned| scanned.closing_quote)
                else {
                    return;
                };
                let string = &json[at..end];
                at = end + 1;
                let is_key =
                    bytes[at..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':');
                if is_key {
                    key = if string.contains('\\') { "" } else { string };
                } else {
                    found(key_with_parent(key, &containers), LeafValue::String(string));
                }
            }
            b'0'..=b'9' | b'-' => {
                let length = bytes[at..]
                    .iter()
                    .position(|byte| {
                        matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace()
                    })
                    .unwrap_or(bytes.len() - at);
                if let Some(number) = json.get(at - 1..at + length) {
                    found(key_with_parent(key, &containers), LeafValue::Number(number));
                }
                at += length;
            }
            _ => {}
        }
    }
}

/// Returns a key with the key of the object around it.
fn key_with_parent<'v>(key: &'v str, containers: &[OpenContainer<'v>]) -> ValueKey<'v> {
    let parent = containers
        .iter()
        .rfind(|container| !container.is_list)
        .map_or("", |container| container.key);
    ValueKey::with_parent(key, parent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_have_their_keys() {
        let json = r#"{"a": {"id": "X-99"}, "b": ["Y_1", true, 12.50], "items": [{"id": "Z\"1"}], "city": "New York"} "#;
        let mut found = Vec::new();
        visit_leaves(json, &mut |key, leaf| {
            found.push((key.label(), leaf.decode().unwrap()))
        });
        let wanted = [
            ("a id", "X-99"),
            ("b", "Y_1"),
            ("b", "12.50"),
            ("items id", "Z\"1"),
            ("city", "New York"),
        ];
        assert_eq!(
            found,
            wanted.map(|(key, text)| (Cow::Borrowed(key), Cow::Borrowed(text)))
        );
    }

    #[test]
    fn truncated_json_ends_the_visit() {
        for json in ["", "{\"a", "{\"a\": \"b\\", "nothing", "}]{", "[[[1"] {
            visit_leaves(json, &mut |_, _| {});
        }
        assert_eq!(LeafValue::String("\\ud800").decode(), None);
    }
}
