//! Errors of several lines.

use crate::base::foreign_text::harmless_line;
use thiserror::Error;

/// An error with further lines that explain it. Text of strangers in a line can't end it.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct LinesError(String);

impl LinesError {
    /// Creates an error of these lines.
    pub(crate) fn new<'l>(lines: impl IntoIterator<Item = &'l str>) -> Self {
        let lines: Vec<_> = lines.into_iter().map(harmless_line).collect();
        Self(lines.join("\n"))
    }
}
