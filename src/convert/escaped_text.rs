//! Text in the escaped form of a JSON literal, and JSON that becomes part of a line of another text.
//!
//! Text that is copied from one record to another keeps every escape, including
//! lone surrogates.

use crate::reading::json::{
    decode_literal, decode_literal_wtf8, encode_literal, encode_wtf8_literal, fill_json,
    wtf8_code_points,
};
use std::borrow::Cow;

/// A text, escaped as in a JSON literal, without its quotes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(crate) struct EscapedText(Vec<u8>);

impl EscapedText {
    /// Takes the text of a literal with its quotes, or of a part of one with a byte more on each
    /// side.
    pub(crate) fn from_literal(literal: &[u8]) -> Self {
        Self(literal.get(1..literal.len().saturating_sub(1)).unwrap_or_default().to_vec())
    }

    /// Escapes a text that may contain lone surrogates (WTF-8).
    pub(crate) fn from_wtf8(wtf8: &[u8]) -> Self {
        Self::from_literal(&encode_wtf8_literal(wtf8))
    }

    /// Returns the text without escapes. A lone surrogate becomes U+FFFD.
    pub(crate) fn decoded(&self) -> Cow<'_, str> {
        match memchr::memchr(b'\\', &self.0) {
            None => String::from_utf8_lossy(&self.0),
            Some(_) => Cow::Owned(decode_literal(&self.literal()).into_owned()),
        }
    }

    /// Returns the text without escapes as WTF-8, which keeps lone surrogates.
    pub(crate) fn wtf8(&self) -> Vec<u8> {
        decode_literal_wtf8(&self.literal()).into_owned()
    }

    /// Returns true if the text is empty or consists of blanks and line ends.
    pub(crate) fn is_blank(&self) -> bool {
        self.decoded().trim().is_empty()
    }

    /// Returns true if the text has no characters.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the literal with its quotes.
    pub(crate) fn literal(&self) -> Vec<u8> {
        fill_json(r#""$""#, &[&self.0])
    }

    /// Appends the literal with its quotes.
    pub(crate) fn write_literal(&self, out: &mut Vec<u8>) {
        out.push(b'"');
        out.extend_from_slice(&self.0);
        out.push(b'"');
    }

    /// Appends another text.
    pub(crate) fn push_text(&mut self, other: &Self) {
        self.0.extend_from_slice(&other.0);
    }
}

impl From<&str> for EscapedText {
    fn from(text: &str) -> Self {
        Self::from_literal(&encode_literal(text))
    }
}

/// Joins texts with a separator between them.
pub(crate) fn join_texts<'t>(
    texts: impl IntoIterator<Item = &'t EscapedText>,
    separator: &str,
) -> EscapedText {
    let separator = EscapedText::from(separator);
    let mut joined = EscapedText::default();
    for (place, text) in texts.into_iter().enumerate() {
        if place > 0 {
            joined.push_text(&separator);
        }
        joined.push_text(text);
    }
    joined
}

/// Returns JSON (WTF-8) on one line.
///
/// Line ends between tokens become blanks. Lone surrogates become escapes, so
/// that the result is UTF-8.
pub(crate) fn embed_json(json: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len());
    push_embedded_json(json, &mut out);
    out
}

/// Appends what [`embed_json`] returns.
pub(super) fn push_embedded_json(json: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    match simdutf8::basic::from_utf8(json) {
        Ok(_) => out.extend_from_slice(json),
        Err(_) => {
            for point in wtf8_code_points(json) {
                match char::from_u32(point) {
                    Some(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                    None => out.extend_from_slice(format!("\\u{point:04x}").as_bytes()),
                }
            }
        }
    }
    out[start..]
        .iter_mut()
        .filter(|byte| matches!(byte, b'\n' | b'\r'))
        .for_each(|byte| *byte = b' ');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_lone_surrogates_are_kept() {
        let text = EscapedText::from_literal(br#""a\u00e9 \ud83d x""#);
        assert_eq!(text.literal(), br#""a\u00e9 \ud83d x""#);
        assert_eq!(text.decoded(), "aé \u{fffd} x");
        assert_eq!(EscapedText::from_wtf8(&text.wtf8()).decoded(), text.decoded());
        let joined = join_texts([&EscapedText::from("a\n"), &EscapedText::from("b")], " | ");
        assert_eq!(joined.literal(), br#""a\n | b""#);
        assert!(EscapedText::from(" \n\t").is_blank() && !EscapedText::from(" x ").is_blank());
    }

    #[test]
    fn embedded_json_is_one_line_of_utf8() {
        let wtf8 = decode_literal_wtf8(br#""{\"a\":\n\"\ud83d\"}""#).into_owned();
        assert!(std::str::from_utf8(&wtf8).is_err());
        assert_eq!(embed_json(&wtf8), br#"{"a": "\ud83d"}"#);
    }
}
