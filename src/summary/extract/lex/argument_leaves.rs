//! The keys and values of a call's arguments, read where they stand: nothing is
//! built, nothing copied.

use crate::json::string_scan::scan_string_with_controls;
use crate::json::wtf8_to_str;
use crate::summary::extract::lex::value_keys::ValueKey;
use std::borrow::Cow;

/// A value that is no object and no list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArgumentLeaf<'v> {
    /// What is between the quotes of a string, escapes as written.
    String(&'v str),
    /// A number as written.
    Number(&'v str),
}

impl<'v> ArgumentLeaf<'v> {
    /// The value as text. `None` if it can't be spelled: a lone surrogate.
    pub(crate) fn text(self) -> Option<Cow<'v, str>> {
        match self {
            Self::Number(text) => Some(Cow::Borrowed(text)),
            Self::String(raw) if !raw.contains('\\') => Some(Cow::Borrowed(raw)),
            Self::String(raw) => {
                let literal = format!("\"{raw}\"");
                let wtf8 = crate::json::decode_literal_wtf8(literal.as_bytes());
                let text = wtf8_to_str(&wtf8);
                (!text.contains(char::REPLACEMENT_CHARACTER)).then(|| Cow::Owned(text.into_owned()))
            }
        }
    }
}

/// Calls `found` with every leaf and its key; the key of a list is that of its items. What is no JSON is passed over.
pub(crate) fn leaves<'v>(json: &'v str, found: &mut impl FnMut(ValueKey<'v>, ArgumentLeaf<'v>)) {
    let bytes = json.as_bytes();
    // The keys of what is open, and whether it is a list: a list's key is that of its items.
    let mut around: Vec<(&'v str, bool)> = Vec::new();
    let mut key = "";
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'{' => around.push((key, false)),
            b'[' => around.push((key, true)),
            b'}' | b']' => key = around.pop().map_or("", |(key, _)| key),
            b'"' => {
                let Some(end) =
                    scan_string_with_controls(bytes, at).map(|walked| walked.closing_quote)
                else {
                    return;
                };
                let string = &json[at..end];
                at = end + 1;
                let colon =
                    bytes[at..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':');
                if colon {
                    key = if string.contains('\\') { "" } else { string };
                } else {
                    found(named(key, &around), ArgumentLeaf::String(string));
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
                    found(named(key, &around), ArgumentLeaf::Number(number));
                }
                at += length;
            }
            _ => {}
        }
    }
}

/// A key and that of the object around it.
fn named<'v>(key: &'v str, around: &[(&'v str, bool)]) -> ValueKey<'v> {
    let parent = around
        .iter()
        .rfind(|(_, list)| !list)
        .map_or("", |(parent, _)| parent);
    ValueKey::within(key, parent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_come_with_their_keys() {
        let json = r#"{"a": {"id": "X-99"}, "b": ["Y_1", true, 12.50], "items": [{"id": "Z\"1"}], "city": "New York"} "#;
        let mut found = Vec::new();
        leaves(json, &mut |key, leaf| {
            found.push((key.label(), leaf.text().unwrap()))
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
    fn what_is_cut_off_ends_it() {
        for json in ["", "{\"a", "{\"a\": \"b\\", "nothing", "}]{", "[[[1"] {
            leaves(json, &mut |_, _| {});
        }
        assert_eq!(ArgumentLeaf::String("\\ud800").text(), None);
    }
}
