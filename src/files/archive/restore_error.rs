//! Reasons why an input can't be restored from an output and its originals.

use crate::files::archive::path_below::EscapingPath;
use std::io;

/// An error while reading originals or restoring an input from them.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RestoreError {
    /// The header names a version that this program can't read.
    #[error("version {0} of the originals is not known")]
    UnknownVersion(u32),
    /// The header names an input path outside the directory of restored files.
    #[error("the name of the input is not below the directory")]
    EscapingName(#[from] EscapingPath),
    /// The offsets of the entries don't increase.
    #[error("the originals are not in the order of their places")]
    UnorderedEntries,
    /// The bytes of an entry are not followed by a line end.
    #[error("the line of an original is not followed by {0} bytes")]
    WrongLength(u64),
    /// The output has another length than when the originals were written.
    #[error("the compacted file has {actual} bytes, but its originals belong to one of {expected}")]
    WrongOutputLength {
        /// Bytes of the output that was given.
        actual: u64,
        /// Bytes of the output that the originals belong to.
        expected: u64,
    },
    /// A stretch of the output is not the one that was written.
    #[error(
        "the compacted file was changed: somewhere in its bytes {} to {} (lines {} to {}) it is not \
         what was written",
        .0.from_byte, .0.to_byte, .0.from_line, .0.to_line
    )]
    ChangedOutput(OutputStretch),
    /// Original bytes are not those that were removed.
    #[error("the originals of line {line} of the input were changed")]
    ChangedOriginals {
        /// The line of the input where the record begins.
        line: u64,
    },
    /// A line of the originals is not the one that was written.
    #[error(
        "the originals were changed: a line between the original bytes is not what was written"
    )]
    ChangedLines,
    /// A checksum is missing.
    #[error("a checksum is missing in the originals")]
    MissingChecksum,
    /// The output ends before the offset of an entry.
    #[error(
        "the compacted file ends before the place of an original: it is not the one that they belong to"
    )]
    OutputTooShort,
    /// The originals end early.
    #[error("the originals are cut off")]
    CutOff(#[source] Option<io::Error>),
    /// A line of the originals is not the JSON that belongs there.
    #[error("a line of the originals can't be read")]
    InvalidLine(#[source] serde_json::Error),
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The place of a stretch of an output: bytes and lines count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OutputStretch {
    /// The first byte.
    pub from_byte: u64,
    /// The last byte.
    pub to_byte: u64,
    /// The line of the first byte.
    pub from_line: u64,
    /// The line of the last byte.
    pub to_line: u64,
}
