//! JSON as JavaScript's `JSON.stringify` writes it, and its length in UTF-16 code units.

use crate::reading::json::{decode_literal_wtf8, wtf8_code_points};
use std::fmt::Write;

/// Returns the units of a JSON value. Blanks between its parts don't count, numbers count as
/// spelled.
pub(crate) fn json_units(bytes: &[u8]) -> u64 {
    let (mut units, mut at) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        if byte == b'"' {
            let end = at + literal_length(&bytes[at..]);
            units += literal_units(&bytes[at..end]);
            at = end;
        } else {
            units += u64::from(!matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
            at += 1;
        }
    }
    units
}

/// Returns the bytes up to and including the closing quote.
fn literal_length(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        at += found + 1;
        if bytes[at - 1] == b'"' {
            return at;
        }
        at += 1; // the escaped byte
    }
    bytes.len()
}

/// Returns the units of a string literal with its quotes, as `JSON.stringify` escapes it.
pub(crate) fn literal_units(literal: &[u8]) -> u64 {
    let wtf8 = decode_literal_wtf8(literal);
    let units = wtf8_code_points(&wtf8).map(|point| match point {
        0x22 | 0x5C | 0x08 | 0x09 | 0x0A | 0x0C | 0x0D => 2,
        0..0x20 | 0xD800..=0xDFFF => 6,
        0x1_0000.. => 2,
        _ => 1,
    });
    units.sum::<u64>() + 2
}

/// Returns a JSON value without blanks between its parts, its strings escaped as JavaScript does.
/// Numbers stay as spelled.
pub(crate) fn stringify_json(bytes: &[u8]) -> String {
    let (mut text, mut at) = (String::with_capacity(bytes.len()), 0);
    while let Some(&byte) = bytes.get(at) {
        if byte == b'"' {
            let end = at + literal_length(&bytes[at..]);
            push_literal(&bytes[at..end], &mut text);
            at = end;
            continue;
        }
        if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
            text.push(char::from(byte));
        }
        at += 1;
    }
    text
}

/// Appends a string literal as JavaScript writes it.
fn push_literal(literal: &[u8], text: &mut String) {
    text.push('"');
    for point in wtf8_code_points(&decode_literal_wtf8(literal)) {
        // Writing to a String can't fail.
        let _ = match (point, char::from_u32(point)) {
            (0x22, _) => write!(text, "\\\""),
            (0x5C, _) => write!(text, "\\\\"),
            (0x08, _) => write!(text, "\\b"),
            (0x09, _) => write!(text, "\\t"),
            (0x0A, _) => write!(text, "\\n"),
            (0x0C, _) => write!(text, "\\f"),
            (0x0D, _) => write!(text, "\\r"),
            (0..0x20, _) | (_, None) => write!(text, "\\u{point:04x}"),
            (_, Some(character)) => {
                text.push(character);
                Ok(())
            }
        };
    }
    text.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_those_of_javascript() {
        // Each right side is JSON.stringify(JSON.parse(left)).length.
        for (text, length) in [
            (r#"{ "a" : [1, "x y"] }"#, 15),
            (r#""\u00e9\n\"\/""#, 8),
            (r#""\ud83d\ude00""#, 4),
            (r#""\ud83d""#, 8),
            (r#""\u0001""#, 8),
            ("\"日本\"", 4),
            ("\t[ ]\r\n", 2),
        ] {
            assert_eq!(json_units(text.as_bytes()), length, "{text}");
            let units = stringify_json(text.as_bytes()).encode_utf16().count() as u64;
            assert_eq!(units, length, "{text}");
        }
    }
}
