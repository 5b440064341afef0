//! What can be wrong with one record. Everything else (files, options, the
//! disk) is `anyhow` at the edge; this one type is what the core reports.

use std::fmt;

/// Why a record can't be read as a transcript. It costs that record only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordError {
    /// Byte offset in the record, where one place is to blame.
    pub offset: Option<usize>,
    /// What is wrong, naming the field and what was found there.
    pub reason: String,
}

impl RecordError {
    /// An error about the record as a whole.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Self {
            offset: None,
            reason: reason.into(),
        }
    }

    /// An error at a byte offset of the record.
    #[must_use]
    pub fn at(offset: usize, reason: impl Into<String>) -> Self {
        Self {
            offset: Some(offset),
            reason: reason.into(),
        }
    }
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for RecordError {}

/// Returns the message of an error and of each of its causes, joined by `: `.
#[must_use]
pub fn describe_with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    for cause in std::iter::successors(error.source(), |cause| cause.source()) {
        text.push_str(": ");
        text.push_str(&cause.to_string());
    }
    text
}
