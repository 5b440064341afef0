//! Error messages for text that is not JSON. Nothing here runs on valid text.

use crate::base::error::RecordError;

/// Returns the error in the string whose content begins at `at`.
#[cold]
pub(super) fn string_error(bytes: &[u8], mut at: usize) -> RecordError {
    loop {
        match bytes.get(at) {
            None | Some(b'"') => return unterminated_error(bytes, "a string"),
            Some(b'\\') => match escape_length(bytes, at) {
                Ok(length) => at += length,
                Err(error) => return error,
            },
            Some(control @ 0..0x20) => {
                let what = format!("raw control character 0x{control:02x} inside a string");
                return RecordError::at(at, format!("{what} (JSON wants it escaped)"));
            }
            Some(_) => at += 1,
        }
    }
}

/// Returns the length of the escape at `at` in bytes.
fn escape_length(bytes: &[u8], at: usize) -> Result<usize, RecordError> {
    match bytes.get(at + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(2),
        Some(b'u') => {
            let digits = &bytes[at + 2..bytes.len().min(at + 6)];
            let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
            if is_hex && digits.len() < 4 {
                return Err(unterminated_error(bytes, "a string"));
            }
            if !is_hex {
                return Err(RecordError::at(at, "\\u without four hexadecimal digits"));
            }
            Ok(6)
        }
        Some(_) => Err(RecordError::at(at, "unknown escape in a string")),
        None => Err(unterminated_error(bytes, "a string")),
    }
}

/// Returns an error at the end of `bytes`. More bytes might make the text valid.
#[cold]
pub(super) fn unterminated_error(bytes: &[u8], what: &str) -> RecordError {
    RecordError::at(bytes.len(), format!("not JSON: the record ends inside {what}"))
}

/// Returns the error that something other than `wanted` is at `at`.
#[cold]
pub(super) fn unexpected_error(bytes: &[u8], at: usize, wanted: &str) -> RecordError {
    match std::str::from_utf8(&bytes[at..]).ok().and_then(|rest| rest.chars().next()) {
        Some(found) => RecordError::at(at, format!("not JSON: expected {wanted}, found {found:?}")),
        None => RecordError::at(at, format!("not JSON: expected {wanted}, but the record ends")),
    }
}
