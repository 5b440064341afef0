//! Texts as they stand between the quotes of a JSON literal. Copied from one
//! record into another they keep every escape, lone surrogates included.

use crate::json::{
    decode_literal, decode_literal_wtf8, encode_literal, encode_wtf8_literal, wtf8_code_points,
};
use crate::transcript::view::ContentPiece;
use std::borrow::Cow;

/// A text, escaped as in a JSON literal, without its quotes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EscapedText(Vec<u8>);

impl EscapedText {
    /// Of a literal with its quotes; or of a part of one, with a byte more on each side.
    #[must_use]
    pub fn of_literal(literal: &[u8]) -> Self {
        Self(
            literal
                .get(1..literal.len().saturating_sub(1))
                .unwrap_or_default()
                .to_vec(),
        )
    }

    /// Of a piece of content, if it is text.
    #[must_use]
    pub fn of_piece(piece: ContentPiece<'_>) -> Option<Self> {
        match piece {
            ContentPiece::Literal(literal) => Some(Self::of_literal(literal)),
            ContentPiece::Text(text) => Some(Self::from(text)),
            ContentPiece::Image | ContentPiece::Other(_) => None,
        }
    }

    /// Of a text that may hold lone surrogates (WTF-8).
    #[must_use]
    pub fn of_wtf8(wtf8: &[u8]) -> Self {
        Self::of_literal(&encode_wtf8_literal(wtf8))
    }

    /// The text itself; a lone surrogate becomes U+FFFD.
    #[must_use]
    pub fn decoded(&self) -> Cow<'_, str> {
        match memchr::memchr(b'\\', &self.0) {
            None => String::from_utf8_lossy(&self.0),
            Some(_) => Cow::Owned(decode_literal(&self.literal()).into_owned()),
        }
    }

    /// The text as WTF-8, lone surrogates and all.
    #[must_use]
    pub fn wtf8(&self) -> Vec<u8> {
        decode_literal_wtf8(&self.literal()).into_owned()
    }

    /// Whether it says nothing: blanks and line breaks only.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.decoded().trim().is_empty()
    }

    /// Whether there is no character in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The literal, with its quotes.
    #[must_use]
    pub fn literal(&self) -> Vec<u8> {
        [b"\"".as_slice(), &self.0, b"\""].concat()
    }

    /// Appends the literal, with its quotes.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.push(b'"');
        out.extend_from_slice(&self.0);
        out.push(b'"');
    }

    /// Goes on with another text.
    pub fn push(&mut self, other: &Self) {
        self.0.extend_from_slice(&other.0);
    }
}

impl From<&str> for EscapedText {
    fn from(text: &str) -> Self {
        Self::of_literal(&encode_literal(text))
    }
}

/// Texts one after the other, with `joint` between them.
#[must_use]
pub fn join<'t>(texts: impl IntoIterator<Item = &'t EscapedText>, joint: &str) -> EscapedText {
    let joint = EscapedText::from(joint);
    let mut all = EscapedText::default();
    for (place, text) in texts.into_iter().enumerate() {
        if place > 0 {
            all.push(&joint);
        }
        all.push(text);
    }
    all
}

/// Appends JSON (WTF-8) as a part of one line: line ends between its tokens become blanks, lone surrogates get their escape back.
pub fn embed(json: &[u8], out: &mut Vec<u8>) {
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

/// JSON (WTF-8) as a part of one line.
#[must_use]
pub fn embedded(json: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len());
    embed(json, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_lone_surrogates_stay() {
        let text = EscapedText::of_literal(br#""a\u00e9 \ud83d x""#);
        assert_eq!(text.literal(), br#""a\u00e9 \ud83d x""#);
        assert_eq!(text.decoded(), "aé \u{fffd} x");
        assert_eq!(EscapedText::of_wtf8(&text.wtf8()).decoded(), text.decoded());
        assert_eq!(
            join([&EscapedText::from("a\n"), &EscapedText::from("b")], " | ").literal(),
            br#""a\n | b""#
        );
        assert!(EscapedText::from(" \n\t").is_blank() && !EscapedText::from(" x ").is_blank());
    }

    #[test]
    fn embedded_json_is_one_line_of_utf8() {
        let wtf8 = decode_literal_wtf8(br#""{\"a\":\n\"\ud83d\"}""#).into_owned();
        assert!(std::str::from_utf8(&wtf8).is_err());
        assert_eq!(embedded(&wtf8), br#"{"a": "\ud83d"}"#);
    }
}
