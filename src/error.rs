//! The error of a record. It is the only error that reading a transcript returns.

use thiserror::Error;

/// The reason why a record can't be read as a transcript. Other records are not affected.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{reason}")]
pub struct RecordError {
    /// Byte offset in the record, if the fault has a place.
    pub offset: Option<usize>,
    /// The fault, with the field and the value found there.
    pub reason: String,
}

impl RecordError {
    /// Creates an error about the record as a whole.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Self {
            offset: None,
            reason: reason.into(),
        }
    }

    /// Creates an error at a byte offset of the record.
    #[must_use]
    pub fn at(offset: usize, reason: impl Into<String>) -> Self {
        Self {
            offset: Some(offset),
            reason: reason.into(),
        }
    }
}
