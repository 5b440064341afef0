//! Text to JSON string literals.

use crate::reading::json::wtf8::wtf8_code_points;

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
