//! The kinds of JSON values.

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
