//! JSON that becomes part of a line of another JSON text.

use crate::reading::json::wtf8_code_points;

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
    use crate::reading::json::decode_literal_wtf8;

    #[test]
    fn embedded_json_is_one_line_of_utf8() {
        let wtf8 = decode_literal_wtf8(br#""{\"a\":\n\"\ud83d\"}""#).into_owned();
        assert!(std::str::from_utf8(&wtf8).is_err());
        assert_eq!(embed_json(&wtf8), br#"{"a": "\ud83d"}"#);
    }
}
