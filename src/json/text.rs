//! JSON string literals: decoding, counting code points, writing.
//!
//! A lone surrogate (`\ud83d` without its other half) is legal in a literal
//! but no Unicode text: it decodes to U+FFFD and counts as one code point, as
//! Python counts it. The bytes of the literal keep their escape.

use crate::json::lanes::LANES;
use crate::json::literal;
use crate::json::unescape::{escape, itself, replacement, unescape};
use memchr::memmem::Finder;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Bytes of a short text.
const SHORT: usize = 32;

/// Bytes as text. What was read is UTF-8 already; anything else is shown, not lost.
fn utf8(bytes: &[u8]) -> Cow<'_, str> {
    // What pays for long texts costs more than it saves on keys and names.
    let text = if bytes.len() < SHORT {
        std::str::from_utf8(bytes).ok()
    } else {
        simdutf8::basic::from_utf8(bytes).ok()
    };
    text.map_or_else(|| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// What is between the quotes of a literal.
fn inner(literal: &[u8]) -> &[u8] {
    literal
        .get(1..literal.len().saturating_sub(1))
        .unwrap_or_default()
}

/// The code unit of the `\uXXXX` that `rest` begins with.
pub(super) fn hex(rest: &[u8]) -> Option<u16> {
    hex4(rest.strip_prefix(b"\\u")?.first_chunk()?)
}

/// The number that four hexadecimal digits spell.
pub(super) fn hex4(digits: &[u8; 4]) -> Option<u16> {
    digits.iter().try_fold(0, |unit, &digit| {
        Some(unit << 4 | char::from(digit).to_digit(16)? as u16)
    })
}

/// The text of a literal; lone surrogates become U+FFFD.
#[must_use]
pub fn decode(literal: &[u8]) -> Cow<'_, str> {
    let inner = inner(literal);
    let plain = if inner.len() < SHORT {
        !inner.contains(&b'\\')
    } else {
        memchr::memchr(b'\\', inner).is_none()
    };
    if plain {
        return utf8(inner);
    }
    let mut out = Vec::new();
    unescape(inner, replacement, &mut out);
    Cow::Owned(owned(out))
}

fn owned(utf8: Vec<u8>) -> String {
    String::from_utf8(utf8)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Appends the text of a literal; lone surrogates become U+FFFD.
pub fn decode_onto(literal: &[u8], out: &mut Vec<u8>) {
    unescape(inner(literal), replacement, out);
}

/// The text of a literal; of a long one its beginning and its end, each of at least `least` bytes, and a blank between.
#[must_use]
pub fn ends(literal: &[u8], least: usize) -> Cow<'_, str> {
    // Most escapes make no more than half of what is written of them.
    let (inner, most) = (inner(literal), 2 * least + SHORT);
    both_ends(inner, least, most).unwrap_or_else(|| decode(literal))
}

fn both_ends(inner: &[u8], least: usize, most: usize) -> Option<Cow<'_, str>> {
    if inner.len() < 4 * most {
        return None;
    }
    // A blank is part of no escape.
    let head = memchr::memrchr(b' ', &inner[..most])?;
    let tail = inner.len() - most + memchr::memchr(b' ', &inner[inner.len() - most..])?;
    let mut out = Vec::with_capacity(2 * most + LANES);
    unescape(&inner[..head], replacement, &mut out);
    let length = out.len();
    unescape(&inner[tail..], replacement, &mut out);
    // A code point may stand across the place that is `least` bytes from the end.
    let enough = length >= least && out.len() - length >= least + char::MAX.len_utf8();
    enough.then(|| Cow::Owned(owned(out)))
}

/// Where bytes of a literal's text (WTF-8; in rising order) stand in the literal.
#[must_use]
pub fn locate(literal: &[u8], wanted: &[usize]) -> Vec<usize> {
    let inner = inner(literal);
    let mut found = Vec::with_capacity(wanted.len());
    let (mut decoded, mut at) = (0, 0);
    let mut note = |decoded: usize, next: usize, at: usize| {
        while let Some(offset) = wanted.get(found.len()).filter(|offset| **offset < next) {
            found.push(1 + at + offset.saturating_sub(decoded));
        }
    };
    while at < inner.len() {
        let plain = memchr::memchr(b'\\', &inner[at..]).unwrap_or(inner.len() - at);
        note(decoded, decoded + plain, at);
        (decoded, at) = (decoded + plain, at + plain);
        if at < inner.len() {
            let (_, wide, length) = escape(&inner[at..], replacement);
            // All bytes of an escaped character begin where its escape does.
            note(decoded + wide, decoded + wide, at);
            (decoded, at) = (decoded + wide, at + length);
        }
    }
    note(decoded, usize::MAX, at);
    found
}

/// The text of a literal as WTF-8: like UTF-8, but a lone surrogate is kept
/// (three bytes), as Python keeps it in a `str`.
#[must_use]
pub fn decode_wtf8(literal: &[u8]) -> Cow<'_, [u8]> {
    let inner = inner(literal);
    if memchr::memchr(b'\\', inner).is_none() {
        return Cow::Borrowed(inner);
    }
    let mut out = Vec::new();
    unescape(inner, itself, &mut out);
    Cow::Owned(out)
}

/// WTF-8 as text: each lone surrogate becomes U+FFFD.
#[must_use]
pub fn wtf8_to_str(wtf8: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(wtf8) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(
            wtf8_code_points(wtf8)
                .map(|point| char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect(),
        ),
    }
}

/// The code points of WTF-8, surrogates included.
pub fn wtf8_code_points(wtf8: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let first = u32::from(*wtf8.get(at)?);
        let (length, bits) = match first {
            0..0x80 => (1, first),
            0x80..0xE0 => (2, first & 0x1F),
            0xE0..0xF0 => (3, first & 0x0F),
            _ => (4, first & 0x07),
        };
        let tail = wtf8.get(at + 1..at + length).unwrap_or_default();
        at += length;
        Some(
            tail.iter()
                .fold(bits, |point, &byte| (point << 6) | u32::from(byte & 0x3F)),
        )
    })
}

/// Number of code points of a literal, without decoding it.
#[must_use]
pub fn count(literal: &[u8]) -> usize {
    literal::points(inner(literal))
}

/// Whether a UTF-16 code unit is the first half of a pair.
pub(super) fn is_high_surrogate(unit: u16) -> bool {
    (0xD800..0xDC00).contains(&unit)
}

/// Whether it is the second.
pub(super) fn is_low_surrogate(unit: u16) -> bool {
    (0xDC00..0xE000).contains(&unit)
}

/// What begins an escape of four digits.
static UNIT: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\\u"));

/// Whether JSON text holds the escape of a lone surrogate.
#[must_use]
pub fn has_lone_surrogate(json: &[u8]) -> bool {
    let mut done = 0;
    UNIT.find_iter(json).any(|at| {
        // Half a pair that is done with, an escaped backslash before a `u`, or no surrogate.
        if at < done
            || !matches!(json.get(at + 2), Some(b'd' | b'D'))
            || json[..at]
                .iter()
                .rev()
                .take_while(|byte| **byte == b'\\')
                .count()
                % 2
                == 1
        {
            return false;
        }
        let (said, _, length) = escape(&json[at..], itself);
        done = at + length;
        length == 6 && said[0] == 0xED && said[1] >= 0xA0
    })
}

/// Whether the literal is empty (`""`).
#[must_use]
pub fn is_empty(literal: &[u8]) -> bool {
    literal.len() <= 2
}

/// Code points of UTF-8 bytes: all but the continuation bytes.
#[must_use]
pub fn chars_in(utf8: &[u8]) -> usize {
    bytecount::num_chars(utf8)
}

/// Writes `text` as a JSON literal: UTF-8 as it is, control characters escaped.
pub fn write_literal(text: &str, out: &mut Vec<u8>) {
    // A string always serialises: the writer is memory.
    let _ = serde_json::to_writer(out, text);
}

/// `text` as a JSON literal.
#[must_use]
pub fn literal(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 2);
    write_literal(text, &mut out);
    out
}

/// WTF-8 as a JSON literal; lone surrogates get their escape back.
#[must_use]
pub fn wtf8_literal(wtf8: &[u8]) -> Vec<u8> {
    if let Ok(text) = std::str::from_utf8(wtf8) {
        return literal(text);
    }
    let mut out = vec![b'"'];
    for point in wtf8_code_points(wtf8) {
        match char::from_u32(point) {
            Some(c) => {
                let one = literal(c.encode_utf8(&mut [0; 4]));
                out.extend_from_slice(&one[1..one.len() - 1]);
            }
            None => out.extend_from_slice(format!("\\u{point:04x}").as_bytes()),
        }
    }
    out.push(b'"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn escapes_pairs_and_lone_surrogates() {
        let literal = br#""a\n\u00e9\ud83d\ude00\ud83d\u0041\udc00/\/""#;
        assert_eq!(decode(literal), "a\né😀\u{fffd}A\u{fffd}//");
        assert_eq!(count(literal), 9);
        assert!(has_lone_surrogate(literal));
        assert!(!has_lone_surrogate(br#""\ud83d\ude00""#));
        assert!(
            !has_lone_surrogate(br#""\\ud83d \\\\ud83d""#) && has_lone_surrogate(br#""\\\ud83d""#)
        );
        assert!(
            has_lone_surrogate(br#""\ud83d\ude00\ude00""#)
                && has_lone_surrogate(br#""\uD83D\u00e9""#)
        );
        let wtf8 = decode_wtf8(br#""x\ud800""#);
        assert_eq!(wtf8_code_points(&wtf8).collect::<Vec<_>>(), [0x78, 0xD800]);
        assert_eq!(wtf8_to_str(&wtf8), "x\u{fffd}");
        assert_eq!(wtf8_literal(&wtf8), br#""x\ud800""#);
    }

    #[test]
    fn a_part_of_a_literal_is_counted_like_one_of_its_own() {
        let literal = br#""a summary\n\nand \ud83d\ude00""#;
        assert_eq!(
            (count(&literal[..11]), count(&literal[9..]), count(literal)),
            (9, 7, 16)
        );
    }

    #[test]
    fn bytes_of_the_text_are_found_in_the_literal() {
        let literal = br#""a\n\u00e9\ud83d\ude00bc""#;
        assert_eq!(
            locate(literal, &[0, 1, 2, 4, 8, 9, 10]),
            [1, 2, 4, 10, 22, 23, 24]
        );
        assert_eq!(locate(b"\"\"", &[0]), [1]);
    }

    #[test]
    fn ends_are_those_of_the_whole() {
        let text = "a\n\"b\" é😀 ".repeat(2000);
        let escaped: Vec<u8> = text
            .chars()
            .fold(b"\"".to_vec(), |out, c| [out, unit(c)].concat())
            .into_iter()
            .chain(*b"\"")
            .collect();
        // Where escapes make much more of it, it is whole.
        for (literal, short) in [(literal(&text), true), (escaped, false)] {
            let ends = ends(&literal, 1000);
            assert!(
                text.starts_with(&ends[..1000])
                    && text.ends_with(&ends[ends.floor_char_boundary(ends.len() - 1000)..])
            );
            assert_eq!(ends.len() < 5000, short, "{}", ends.len());
        }
        for whole in [&text[..1300], &"x".repeat(20_000)] {
            assert_eq!(ends(&literal(whole), 1000), whole);
        }
    }

    /// A character as a literal may spell it; a blank as itself.
    fn unit(c: char) -> Vec<u8> {
        let escaped = |unit: &u16| format!("\\u{unit:04x}").into_bytes();
        if c == ' ' {
            vec![b' ']
        } else {
            c.encode_utf16(&mut [0; 2])
                .iter()
                .flat_map(escaped)
                .collect()
        }
    }

    proptest! {
        #[test]
        fn decode_inverts_write(text in any::<String>()) {
            let literal = literal(&text);
            let decoded = decode(&literal);
            prop_assert_eq!(decoded.as_ref(), &text);
            prop_assert_eq!(count(&literal), text.chars().count());
            prop_assert_eq!(wtf8_code_points(text.as_bytes()).collect::<Vec<_>>(), text.chars().map(u32::from).collect::<Vec<_>>());
        }
    }
}
