//! Text to JSON string literals, JSON texts written by patterns, and WTF-8: UTF-8 that may also hold
//! lone surrogates, of three bytes each. It keeps what Python keeps in a `str`.

use std::borrow::Cow;

/// Appends `text` as a JSON literal: UTF-8 unchanged, control characters escaped.
pub(crate) fn write_literal(text: &str, out: &mut Vec<u8>) {
    // Serializing a string into memory can't fail.
    let _ = serde_json::to_writer(out, text);
}

/// Returns `text` as a JSON literal.
pub(crate) fn encode_literal(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 2);
    write_literal(text, &mut out);
    out
}

/// Returns WTF-8 as a JSON literal. Lone surrogates are escaped again.
pub(crate) fn encode_wtf8_literal(wtf8: &[u8]) -> Vec<u8> {
    if let Ok(text) = std::str::from_utf8(wtf8) {
        return encode_literal(text);
    }
    let mut out = vec![b'"'];
    for point in wtf8_code_points(wtf8) {
        match char::from_u32(point) {
            Some(c) => {
                let literal = encode_literal(c.encode_utf8(&mut [0; 4]));
                out.extend_from_slice(&literal[1..literal.len() - 1]);
            }
            None => out.extend_from_slice(format!("\\u{point:04x}").as_bytes()),
        }
    }
    out.push(b'"');
    out
}

/// Returns the pattern with the values in the place of its `$`, one by one.
pub(crate) fn fill_json(pattern: &str, values: &[&[u8]]) -> Vec<u8> {
    let mut json = Vec::new();
    push_json(&mut json, pattern, values);
    json
}

/// Appends what [`fill_json`] returns.
pub(crate) fn push_json(out: &mut Vec<u8>, pattern: &str, values: &[&[u8]]) {
    debug_assert_eq!(pattern.matches('$').count(), values.len(), "{pattern}");
    let length = values.iter().map(|value| value.len()).sum::<usize>();
    out.reserve(pattern.len() + length);
    let mut pieces = pattern.split('$');
    out.extend_from_slice(pieces.next().unwrap_or_default().as_bytes());
    for (value, piece) in values.iter().zip(pieces) {
        out.extend_from_slice(value);
        out.extend_from_slice(piece.as_bytes());
    }
}

/// Returns WTF-8 as text. Each lone surrogate becomes U+FFFD.
pub(crate) fn wtf8_to_str(wtf8: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(wtf8) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(
            wtf8_code_points(wtf8)
                .map(|point| char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect(),
        ),
    }
}

/// Iterates over the code points of WTF-8, surrogates included.
pub(crate) fn wtf8_code_points(wtf8: &[u8]) -> impl Iterator<Item = u32> + '_ {
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
        Some(tail.iter().fold(bits, |point, &byte| (point << 6) | u32::from(byte & 0x3F)))
    })
}

/// Returns the number of code points in UTF-8 or WTF-8: all bytes but the continuation bytes.
pub(crate) fn count_utf8_points(utf8: &[u8]) -> usize {
    bytecount::num_chars(utf8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn code_points_are_those_of_the_text(text in any::<String>()) {
            prop_assert_eq!(wtf8_code_points(text.as_bytes()).collect::<Vec<_>>(), text.chars().map(u32::from).collect::<Vec<_>>());
        }
    }
}
