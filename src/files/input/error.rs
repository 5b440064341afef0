//! Reasons why an input can't be found, opened or read.
//!
//! `Display` gives the outermost message only; the causes follow through `source`.

use crate::files::input::foreign_file::{ForeignEntry, ForeignFile};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A failure to read one input. No part of its output may be published.
#[derive(Debug, Error)]
pub(crate) enum InputError {
    #[error("can't open it")]
    Open(#[source] io::Error),
    /// The beginning of the file can't be read or decompressed.
    #[error("can't read it")]
    ReadHead(#[source] FramingError),
    /// A later part of the file can't be read.
    #[error(transparent)]
    Framing(#[from] FramingError),
    /// A file beside the inputs can't be read.
    #[error("can't read {}", path.display())]
    ReadFile { path: PathBuf, source: io::Error },
    /// A file that was read before can't be read a second time.
    #[error("can't read {} again", path.display())]
    ReadAgain { path: PathBuf, source: io::Error },
    /// A line of a file beside the inputs exceeds the limit for a record.
    #[error("{}:{line}: the line is longer than {limit} bytes (--max-record-bytes)", path.display())]
    LineTooLong { path: PathBuf, line: u64, limit: usize },
    #[error("can't read the directory {}", path.display())]
    ReadDirectory { path: PathBuf, source: io::Error },
}

impl InputError {
    /// Returns true if the system could not read: the file itself may be good.
    pub(crate) fn is_fault(&self) -> bool {
        let error = match self {
            Self::Open(error)
            | Self::ReadHead(FramingError::Io(error))
            | Self::Framing(FramingError::Io(error))
            | Self::ReadFile { source: error, .. }
            | Self::ReadAgain { source: error, .. }
            | Self::ReadDirectory { source: error, .. } => error,
            Self::ReadHead(error) | Self::Framing(error) => {
                return matches!(
                    error,
                    FramingError::CreatePipeCopy(_) | FramingError::WritePipeCopy(_)
                );
            }
            Self::LineTooLong { .. } => return false,
        };
        error.raw_os_error().is_some()
    }
}

/// A failure to cut a file into records.
#[derive(Debug, Error)]
pub(crate) enum FramingError {
    /// The bytes can't be read or decompressed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A record that may have several lines exceeds the limit, so that its end is not searched for.
    #[error("line {line}: the record is longer than {limit} bytes (--max-record-bytes)")]
    RecordTooLong { line: u64, limit: usize },
    #[error("the document is longer than {limit} bytes (--max-record-bytes)")]
    DocumentTooLong { limit: usize },
    /// A journal, which is read as a whole, exceeds the limit for a record.
    #[error("the journal is longer than {limit} bytes (--max-record-bytes)")]
    JournalTooLong { limit: usize },
    /// Single messages or events, of which each must be a line, are spread over several lines.
    #[error(
        "its records are single messages over several lines; write one a line, as `jq -c .` does"
    )]
    MessagesOverLines,
    /// Interleaved threads exceed the limit for a record.
    #[error(
        "line {line}: the messages of threads that are still open are longer than {limit} bytes together (--max-record-bytes)"
    )]
    ThreadsTooLong { line: u64, limit: usize },
    /// The file holds no JSON.
    #[error("{0}")]
    Foreign(ForeignFile),
    #[error("can't make a temporary copy of a pipe")]
    CreatePipeCopy(#[source] io::Error),
    #[error("can't write the temporary copy of a pipe")]
    WritePipeCopy(#[source] io::Error),
}

/// A failure to list the inputs that the command line names.
#[derive(Debug, Error)]
pub(crate) enum ListingError {
    /// The command line names no input.
    #[error("no INPUT: name files, directories, or - for stdin")]
    NoInput,
    #[error("can't read the list of inputs {}", path.display())]
    PathList { path: PathBuf, source: io::Error },
    #[error("the list of inputs {} is empty", path.display())]
    EmptyPathList { path: PathBuf },
    #[error("the list of inputs {} holds JSON; it names files, one a line", path.display())]
    ListIsJson { path: PathBuf },
    #[error("stdin holds the list of --files-from; it can't be an INPUT, too")]
    ListIsInput,
    /// A named input does not exist or can't be accessed.
    #[error("can't find the input {}{}", path.display(), pattern_hint(path))]
    NotFound { path: PathBuf, source: io::Error },
    /// A named input has no last path component, so that its output has no name.
    #[error("the input {} has no file name", path.display())]
    NoFileName { path: PathBuf },
    /// A named directory holds no file with a known extension.
    #[error(
        "the directory {} holds no transcript file ({extensions}, each also {compressions}){}{}",
        path.display(),
        left_alone(*links, *hidden, *left_out),
        name_database(database.as_deref())
    )]
    NoTranscript {
        path: PathBuf,
        links: usize,
        hidden: usize,
        left_out: usize,
        database: Option<Box<ForeignEntry>>,
        extensions: String,
        compressions: String,
    },
    /// Two inputs have the same output path.
    #[error(
        "{first} and {second} would both be written to {} of the output directory; \
         name another folder above one of them, or run twice",
        output.display()
    )]
    SameOutput { first: String, second: String, output: PathBuf },
}

/// Says which database is in a directory, and the way from it to files that are read.
fn name_database(found: Option<&ForeignEntry>) -> String {
    found.map_or_else(String::new, |ForeignEntry { name, kind }| {
        format!("; {} in it can't be read: {kind}", name.display())
    })
}

/// Says what in a directory was not looked at, and the option that changes it.
fn left_alone(links: usize, hidden: usize, left_out: usize) -> String {
    let mut text = match links {
        0 => String::new(),
        1 => "; a link in it is not followed (--follow reads it)".to_owned(),
        _ => format!("; {links} links in it are not followed (--follow reads them)"),
    };
    match hidden {
        0 => {}
        1 => text.push_str("; a hidden directory in it is not entered (--hidden reads it)"),
        _ => text.push_str(&format!(
            "; {hidden} hidden directories in it are not entered (--hidden reads them)"
        )),
    }
    match left_out {
        0 => {}
        1 => text.push_str("; a file in it is left out by --include or --exclude"),
        _ => text
            .push_str(&format!("; {left_out} files in it are left out by --include or --exclude")),
    }
    text
}

/// Returns the remedy where a name that does not exist is a pattern.
fn pattern_hint(path: &Path) -> &'static str {
    if path.to_string_lossy().contains(['*', '?', '[']) {
        " (no file fits the pattern, or quotes kept the shell from expanding it; --include takes patterns)"
    } else {
        ""
    }
}
