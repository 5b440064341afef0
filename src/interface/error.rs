//! The errors of the library.

use crate::running::conversation::source_location;
use std::path::PathBuf;

/// The reason why an input can't be opened.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct OpenError {
    pub(super) message: String,
}

/// The reason why the rest of a file, or a record, can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {message}", read_error_place(.file, *.line, *.column))]
pub struct ReadError {
    /// The input file.
    pub file: String,
    /// The line of the record, from 1; none if the error is about the whole file.
    pub line: Option<u64>,
    /// The column in bytes, from 1, where a single byte is to blame.
    pub column: Option<u64>,
    /// The fault.
    pub message: String,
}

/// Returns the place of a fault: the file alone, if the error is about the whole file.
fn read_error_place(file: &str, line: Option<u64>, column: Option<u64>) -> String {
    match line {
        Some(line) => source_location(file, line, column),
        None => file.to_owned(),
    }
}

/// The reason why a conversation can't be planned or compacted.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct CompactError {
    pub(super) message: String,
}

/// The reason why inputs can't be restored.
#[derive(Debug, thiserror::Error)]
pub enum RestoreFailure {
    /// Nothing could be restored.
    #[error("{0}")]
    Failed(String),
    /// Files could not be restored; all others were.
    #[error("{} files could not be restored into {}: {}", .failures.len(), .output.display(), .failures.join("; "))]
    Incomplete {
        /// The directory that holds the others.
        output: PathBuf,
        /// The files, as `file: error`.
        failures: Vec<String>,
    },
}
