//! Visits the keys and values of a call's arguments in place, without building
//! or copying them.

use super::clip::floor_char;
use super::value_keys::ValueKey;
use crate::json::decode_content;
use crate::json::string_scan::scan_string_with_controls;
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
            Self::String(raw) => decode_content(raw)
                .filter(|text| !text.contains(char::REPLACEMENT_CHARACTER))
                .map(Cow::Owned),
        }
    }

    /// Returns the beginning of the value as text: at least `length` bytes of it, or all. A lone
    /// surrogate behind it does not count.
    pub(crate) fn decode_start(self, length: usize) -> Option<Cow<'v, str>> {
        match self {
            Self::String(raw) => Self::String(&raw[..raw_length(raw, length)]).decode(),
            Self::Number(_) => self.decode(),
        }
    }
}

/// The bytes of an escape of a code unit: `\u00e9`.
const UNIT_ESCAPE: usize = 6;

/// Returns the number of bytes at the start of a string's content that hold at least `length` bytes
/// of text and cut no escape.
fn raw_length(raw: &str, length: usize) -> usize {
    let bytes = raw.as_bytes();
    // An escaped code unit spells a byte or more with six.
    let limit = length.saturating_mul(UNIT_ESCAPE);
    if raw.len() <= limit {
        return raw.len();
    }
    let mut at = 0;
    while at < limit {
        let Some(plain) = memchr::memchr(b'\\', &bytes[at..limit]) else {
            at = limit;
            break;
        };
        at += plain;
        at += match &bytes[at + 1..] {
            // The first half of a pair, and the second.
            [
                b'u',
                b'd' | b'D',
                b'8' | b'9' | b'a' | b'b' | b'A' | b'B',
                ..,
            ] => 2 * UNIT_ESCAPE,
            [b'u', ..] => UNIT_ESCAPE,
            _ => 2,
        };
    }
    floor_char(raw, at)
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
    fn the_start_of_a_value_cuts_no_escape() {
        let raw = r#"a\n\u00e9\ud83d\ude00 \"b\" "#.repeat(40);
        let leaf = LeafValue::String(&raw);
        let text = leaf.decode().unwrap();
        for length in 0..raw.len() {
            let start = leaf.decode_start(length).unwrap();
            assert!(text.starts_with(start.as_ref()) && start.len() >= length.min(text.len()));
        }
        assert_eq!(leaf.decode_start(raw.len()), Some(text));
    }

    #[test]
    fn truncated_json_ends_the_visit() {
        for json in ["", "{\"a", "{\"a\": \"b\\", "nothing", "}]{", "[[[1"] {
            visit_leaves(json, &mut |_, _| {});
        }
        assert_eq!(LeafValue::String("\\ud800").decode(), None);
    }
}
