//! What is wrong with a text that is no JSON, once that is known: places and
//! words for people. Nothing here runs on a good text.

use super::{ScanResult, Scanner};
use crate::error::RecordError;

impl Scanner<'_> {
    /// What is wrong with the string whose content begins at `at`.
    #[cold]
    pub(super) fn broken_string(&self, mut at: usize) -> RecordError {
        loop {
            match self.bytes.get(at) {
                None | Some(b'"') => return self.unterminated("a string"),
                Some(b'\\') => match self.escape_length(at) {
                    Ok(length) => at += length,
                    Err(error) => return error,
                },
                Some(control @ 0..0x20) => {
                    return RecordError::at(
                        at,
                        format!(
                            "raw control character 0x{control:02x} inside a string (JSON wants it escaped)"
                        ),
                    );
                }
                Some(_) => at += 1,
            }
        }
    }

    /// The length of the escape at `at`.
    fn escape_length(&self, at: usize) -> ScanResult<usize> {
        match self.bytes.get(at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(2),
            Some(b'u') => {
                let digits = &self.bytes[at + 2..self.bytes.len().min(at + 6)];
                let hex = digits.iter().all(u8::is_ascii_hexdigit);
                if hex && digits.len() < 4 {
                    return Err(self.unterminated("a string"));
                }
                if !hex {
                    return Err(RecordError::at(at, "\\u without four hexadecimal digits"));
                }
                Ok(6)
            }
            Some(_) => Err(RecordError::at(at, "unknown escape in a string")),
            None => Err(self.unterminated("a string")),
        }
    }

    /// An error at the end of the bytes: with more of them there might be none.
    #[cold]
    pub(super) fn unterminated(&self, what: &str) -> RecordError {
        RecordError::at(
            self.bytes.len(),
            format!("not JSON: the record ends inside {what}"),
        )
    }

    #[cold]
    pub(super) fn unexpected(&self, wanted: &str) -> RecordError {
        match std::str::from_utf8(&self.bytes[self.pos..])
            .ok()
            .and_then(|rest| rest.chars().next())
        {
            Some(found) => RecordError::at(
                self.pos,
                format!("not JSON: expected {wanted}, found {found:?}"),
            ),
            None => RecordError::at(
                self.pos,
                format!("not JSON: expected {wanted}, but the record ends"),
            ),
        }
    }
}
