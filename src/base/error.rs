//! The error of a record, and the text of an error with its causes.

use crate::base::text::line_and_column;
use thiserror::Error;

/// The reason why a record can't be read as a transcript. Other records are not affected.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{reason}")]
pub(crate) struct RecordError {
    /// Byte offset in the record, if the fault has a place.
    pub offset: Option<usize>,
    /// The fault, with the field and the value found there.
    pub reason: String,
    /// True if the fault is in one message, and all others of the record can be read.
    pub costs_message: bool,
}

impl RecordError {
    /// Creates an error about the record as a whole.
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self { offset: None, reason: reason.into(), costs_message: false }
    }

    /// Creates an error at a byte offset of the record.
    pub(crate) fn at(offset: usize, reason: impl Into<String>) -> Self {
        Self { offset: Some(offset), reason: reason.into(), costs_message: false }
    }

    /// Creates an error that costs one message of the record.
    pub(crate) fn of_message(offset: usize, reason: impl Into<String>) -> Self {
        Self { costs_message: true, ..Self::at(offset, reason) }
    }
}

/// Returns the message of an error and of each of its causes, joined by `: `.
pub(crate) fn describe_with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    for cause in std::iter::successors(error.source(), |cause| cause.source()) {
        text.push_str(": ");
        text.push_str(&cause.to_string());
    }
    text
}

/// Returns what is wrong with a text in TOML, with its line.
pub(crate) fn describe_toml_error(text: &str, error: &toml::de::Error) -> String {
    let (line, _) = line_and_column(text, error.span().map_or(0, |span| span.start));
    format!("line {line}: {}", error.message())
}
