//! The kinds of JSON values.

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
}
