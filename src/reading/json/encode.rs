//! Text to JSON string literals, and JSON texts written by patterns.

use crate::reading::json::wtf8_code_points;

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
