//! Failures of summarizer programs.

use std::path::PathBuf;
use std::process::ExitStatus;
use std::string::FromUtf8Error;
use thiserror::Error;

/// A failure of a summarizer program.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the summarizer {} {failure}", program.display())]
pub(crate) struct CommandError {
    /// The program.
    pub program: PathBuf,
    /// The failure.
    pub failure: CommandFailure,
}

/// The way in which a program failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum CommandFailure {
    /// It can't be started, for this reason.
    #[error("can't be started: {0}")]
    Start(String),
    /// The system does not report its end, for this reason.
    #[error("can't be waited for: {0}")]
    Wait(String),
    /// A child of it keeps its output open.
    #[error("exited, but a process that it started still holds its output open")]
    OutputOpen,
    /// It ended with a status other than 0.
    #[error("failed ({status}): {stderr}")]
    Status {
        /// The status.
        status: ExitStatus,
        /// The last line that it wrote to stderr.
        stderr: String,
    },
    /// Its stdin can't be written, for this reason.
    #[error("does not read its prompt: {0}")]
    Stdin(String),
    /// Its output exceeds the limit.
    #[error("wrote more than the limit of {limit} bytes")]
    TooLong {
        /// The limit in bytes.
        limit: u64,
    },
    /// Its output is not UTF-8.
    #[error("wrote invalid UTF-8: {0}")]
    NotUtf8(FromUtf8Error),
}
