//! The kinds of JSON values, and their byte ranges in a record.

use crate::base::error::RecordError;

/// The kind of a JSON value. Its first byte decides it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JsonKind {
    /// `{`
    Object,
    /// `[`
    Array,
    /// `"`
    String,
    /// `-` or a digit
    Number,
    /// `true` or `false`
    Bool,
    /// `null`
    Null,
}

impl JsonKind {
    /// Returns the kind with its article, for messages.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Object => "an object",
            Self::Array => "an array",
            Self::String => "a string",
            Self::Number => "a number",
            Self::Bool => "a boolean",
            Self::Null => "null",
        }
    }

    /// Returns the error that a value of this kind, at an offset, is not the expected one. `path`
    /// names the value.
    pub(crate) fn wrong(self, at: usize, path: &str, expected: &str) -> RecordError {
        let reason = format!("{path} is {}, it must be {expected}", self.noun());
        RecordError::at(at, reason)
    }
}

/// A half-open byte range in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
}

impl Span {
    /// Returns the bytes that the span covers.
    ///
    /// # Panics
    /// If the span reaches beyond `bytes`.
    pub(crate) fn slice(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.start..self.end]
    }

    /// Returns true if `other` is within the span.
    pub(crate) fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Returns the span with offsets that are greater by so many bytes.
    pub(crate) fn shifted(self, by: usize) -> Self {
        Self { start: self.start + by, end: self.end + by }
    }

    /// Returns the same span with offsets that count from `start`.
    pub(crate) fn relative_to(self, start: usize) -> Self {
        Self { start: self.start - start, end: self.end - start }
    }
}
