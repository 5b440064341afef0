//! JSON string literals to text, and the number of code points in them.
//!
//! A lone surrogate (`\ud83d` without its other half) is legal in a literal
//! but not in Unicode text: it decodes to U+FFFD and counts as one code point,
//! as in Python. The bytes of the literal keep their escape.

use crate::reading::json::lanes::LANES;
use crate::reading::json::string_scan::count_code_points;
use crate::reading::json::unescape::{decode_escape, keep_surrogate, replace_surrogate, unescape};
use std::borrow::Cow;

/// Texts of fewer bytes are short.
const SHORT: usize = 32;

/// Returns bytes as text. Input is checked UTF-8; anything else is shown, not lost.
fn to_str_lossy(bytes: &[u8]) -> Cow<'_, str> {
    // SIMD validation has a fixed cost that keys and names don't earn back.
    let text = if bytes.len() < SHORT {
        std::str::from_utf8(bytes).ok()
    } else {
        simdutf8::basic::from_utf8(bytes).ok()
    };
    text.map_or_else(|| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// Returns the bytes between the quotes of a literal.
fn literal_content(literal: &[u8]) -> &[u8] {
    literal.get(1..literal.len().saturating_sub(1)).unwrap_or_default()
}

/// Returns the text of a literal. Lone surrogates become U+FFFD.
pub(crate) fn decode_literal(literal: &[u8]) -> Cow<'_, str> {
    let content = literal_content(literal);
    let is_plain = if content.len() < SHORT {
        !content.contains(&b'\\')
    } else {
        memchr::memchr(b'\\', content).is_none()
    };
    if is_plain {
        return to_str_lossy(content);
    }
    let mut out = Vec::new();
    unescape(content, replace_surrogate, &mut out);
    Cow::Owned(into_string_lossy(out))
}

fn into_string_lossy(utf8: Vec<u8>) -> String {
    String::from_utf8(utf8)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Appends the text of a literal. Lone surrogates become U+FFFD.
pub(crate) fn decode_literal_onto(literal: &[u8], out: &mut Vec<u8>) {
    unescape(literal_content(literal), replace_surrogate, out);
}

/// Returns the text of a literal. A long text is shortened to its beginning and its end, each of
/// at least `least` bytes, with a blank between.
pub(crate) fn decode_literal_ends(literal: &[u8], least: usize) -> Cow<'_, str> {
    // Most escapes are at most twice as long as their text.
    let (content, most) = (literal_content(literal), 2 * least + SHORT);
    decode_both_ends(content, least, most).unwrap_or_else(|| decode_literal(literal))
}

/// Decodes about `most` bytes at each end of `content`. Returns `None` if the content is not much
/// longer than that, or if either end decodes to fewer than `least` bytes.
fn decode_both_ends(content: &[u8], least: usize, most: usize) -> Option<Cow<'_, str>> {
    if content.len() < 4 * most {
        return None;
    }
    // A blank is part of no escape.
    let head = memchr::memrchr(b' ', &content[..most])?;
    let tail = content.len() - most + memchr::memchr(b' ', &content[content.len() - most..])?;
    let mut out = Vec::with_capacity(2 * most + LANES);
    unescape(&content[..head], replace_surrogate, &mut out);
    let length = out.len();
    unescape(&content[tail..], replace_surrogate, &mut out);
    // The byte `least` before the end may be inside a code point.
    let is_enough = length >= least && out.len() - length >= least + char::MAX.len_utf8();
    is_enough.then(|| Cow::Owned(into_string_lossy(out)))
}

/// Returns the offsets in a literal of the bytes at `wanted` offsets (ascending) of its decoded
/// text (WTF-8). All bytes of an escaped character are at the start of the escape.
pub(crate) fn locate_in_literal(literal: &[u8], wanted: &[usize]) -> Vec<usize> {
    let content = literal_content(literal);
    let mut found = Vec::with_capacity(wanted.len());
    let (mut decoded, mut at) = (0, 0);
    while at < content.len() {
        let plain = memchr::memchr(b'\\', &content[at..]).unwrap_or(content.len() - at);
        push_located(wanted, decoded, decoded + plain, at, &mut found);
        (decoded, at) = (decoded + plain, at + plain);
        if at < content.len() {
            let escape = decode_escape(&content[at..], replace_surrogate);
            decoded += escape.len;
            // The escape is one place: its first byte.
            push_located(wanted, decoded, decoded, at, &mut found);
            at += escape.spelled_len;
        }
    }
    push_located(wanted, decoded, usize::MAX, at, &mut found);
    found
}

/// Locates the next of the `wanted` offsets that are below `end`. The decoded byte `decoded` is at
/// `at` in the content, and the bytes after it stand for themselves.
fn push_located(wanted: &[usize], decoded: usize, end: usize, at: usize, found: &mut Vec<usize>) {
    while let Some(offset) = wanted.get(found.len()).filter(|offset| **offset < end) {
        found.push(1 + at + offset.saturating_sub(decoded));
    }
}

/// Returns the text of a literal as WTF-8: like UTF-8, but a lone surrogate is kept (three bytes).
pub(crate) fn decode_literal_wtf8(literal: &[u8]) -> Cow<'_, [u8]> {
    let content = literal_content(literal);
    if memchr::memchr(b'\\', content).is_none() {
        return Cow::Borrowed(content);
    }
    let mut out = Vec::new();
    unescape(content, keep_surrogate, &mut out);
    Cow::Owned(out)
}

/// Returns the text of the content of a literal, the part between its quotes. Returns `None` if it has
/// a lone surrogate, which has no spelling in UTF-8.
pub(crate) fn decode_content(content: &str) -> Option<String> {
    let mut out = Vec::new();
    unescape(content.as_bytes(), keep_surrogate, &mut out);
    String::from_utf8(out).ok()
}

/// Returns the number of code points in the text of a literal, without decoding it.
pub(crate) fn count_literal_points(literal: &[u8]) -> usize {
    count_code_points(literal_content(literal))
}

/// Returns true if the literal is empty (`""`).
pub(crate) fn is_empty_literal(literal: &[u8]) -> bool {
    literal.len() <= 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::json::{
        encode_literal, encode_wtf8_literal, wtf8_code_points, wtf8_to_str,
    };
    use proptest::prelude::*;

    #[test]
    fn escapes_pairs_and_lone_surrogates() {
        let literal = br#""a\n\u00e9\ud83d\ude00\ud83d\u0041\udc00/\/""#;
        assert_eq!(decode_literal(literal), "a\né😀\u{fffd}A\u{fffd}//");
        assert_eq!(count_literal_points(literal), 9);
        let wtf8 = decode_literal_wtf8(br#""x\ud800""#);
        assert_eq!(wtf8_code_points(&wtf8).collect::<Vec<_>>(), [0x78, 0xD800]);
        assert_eq!(wtf8_to_str(&wtf8), "x\u{fffd}");
        assert_eq!(encode_wtf8_literal(&wtf8), br#""x\ud800""#);
    }

    #[test]
    fn part_of_a_literal_counts_like_a_literal() {
        let literal = br#""a summary\n\nand \ud83d\ude00""#;
        let parts = [&literal[..11], &literal[9..], literal];
        assert_eq!(parts.map(count_literal_points), [9, 7, 16]);
    }

    #[test]
    fn bytes_of_the_text_are_located_in_the_literal() {
        let literal = br#""a\n\u00e9\ud83d\ude00bc""#;
        assert_eq!(locate_in_literal(literal, &[0, 1, 2, 4, 8, 9, 10]), [1, 2, 4, 10, 22, 23, 24]);
        assert_eq!(locate_in_literal(b"\"\"", &[0]), [1]);
    }

    #[test]
    fn ends_are_those_of_the_full_text() {
        let text = "a\n\"b\" é😀 ".repeat(2000);
        let inner = text.chars().flat_map(escape_char);
        let escaped: Vec<u8> = std::iter::once(b'"').chain(inner).chain(*b"\"").collect();
        // Text that is mostly escapes is not shortened.
        for (literal, is_short) in [(encode_literal(&text), true), (escaped, false)] {
            let ends = decode_literal_ends(&literal, 1000);
            let end = &ends[ends.floor_char_boundary(ends.len() - 1000)..];
            assert!(text.starts_with(&ends[..1000]) && text.ends_with(end));
            assert_eq!(ends.len() < 5000, is_short, "{}", ends.len());
        }
        for unshortened in [&text[..1300], &"x".repeat(20_000)] {
            assert_eq!(decode_literal_ends(&encode_literal(unshortened), 1000), unshortened);
        }
    }

    /// Returns a character as escapes, but a blank as itself.
    fn escape_char(c: char) -> Vec<u8> {
        if c == ' ' {
            return vec![b' '];
        }
        c.encode_utf16(&mut [0; 2])
            .iter()
            .flat_map(|unit| format!("\\u{unit:04x}").into_bytes())
            .collect()
    }

    proptest! {
        #[test]
        fn decode_inverts_encode(text in any::<String>()) {
            let literal = encode_literal(&text);
            let decoded = decode_literal(&literal);
            prop_assert_eq!(decoded.as_ref(), &text);
            prop_assert_eq!(count_literal_points(&literal), text.chars().count());
        }
    }
}
