//! JSON texts written by patterns.

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
