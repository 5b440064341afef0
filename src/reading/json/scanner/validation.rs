//! Checks of a whole text.

use super::cursor::{ScanResult, Scanner};

/// Checks that `bytes` are exactly one JSON value.
pub(crate) fn validate_json(bytes: &[u8]) -> ScanResult<()> {
    let mut scanner = Scanner::new(bytes);
    scanner.skip_value()?;
    scanner.expect_end()
}

/// Returns true if more bytes could make `bytes` one JSON value.
pub(crate) fn is_unfinished_json(bytes: &[u8]) -> bool {
    validate_json(bytes).is_err_and(|error| error.offset == Some(bytes.len()))
}
