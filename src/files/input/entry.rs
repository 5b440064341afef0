//! Input files as they are named or found, before they are opened.

use crate::files::input::extensions::output_name;
use std::fs;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;

/// The name of stdin on the command line.
pub(crate) const STDIN: &str = "-";
const STDIN_OUTPUT: &str = "stdin.jsonl";

/// A file to read, or stdin.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct InputEntry {
    /// The name in messages.
    pub name: String,
    /// The path; none for stdin.
    pub path: Option<PathBuf>,
    /// The path below the named directory, or the file name.
    pub relative_path: PathBuf,
    /// The path of the output below the output directory: `relative_path`, with another extension
    /// if a conversion asks for it.
    pub output: PathBuf,
    /// The contents, where they are in memory.
    pub contents: Option<Arc<[u8]>>,
    /// The size in bytes, if it is known.
    pub bytes: Option<u64>,
    /// True for a regular file and for contents in memory. Others, such as pipes, can't be read twice.
    pub is_regular: bool,
    /// The reason why the file can't be read at all.
    pub problem: Option<String>,
    /// The system's code of the fault that kept a directory from being listed.
    pub listing_fault: Option<i32>,
}

impl InputEntry {
    pub(super) fn stdin() -> Self {
        Self {
            name: "stdin".to_owned(),
            relative_path: STDIN_OUTPUT.into(),
            output: STDIN_OUTPUT.into(),
            ..Self::default()
        }
    }

    /// Returns an entry for a file whose contents are in memory.
    pub(super) fn in_memory(name: &str, contents: Vec<u8>) -> Self {
        Self {
            bytes: Some(contents.len() as u64),
            contents: Some(contents.into()),
            name: name.to_owned(),
            is_regular: true,
            ..Self::stdin()
        }
    }

    pub(super) fn from_metadata(
        path: PathBuf,
        relative_path: PathBuf,
        metadata: &fs::Metadata,
    ) -> Self {
        let is_regular = metadata.is_file();
        Self {
            name: path.display().to_string(),
            path: Some(path),
            output: output_name(&relative_path),
            relative_path,
            bytes: is_regular.then_some(metadata.len()),
            is_regular,
            ..Self::default()
        }
    }

    /// Returns an entry that fails with `problem` when it is opened, so that the run reports it and
    /// goes on.
    pub(super) fn unreadable(path: PathBuf, relative_path: PathBuf, problem: String) -> Self {
        Self {
            name: path.display().to_string(),
            path: Some(path),
            output: relative_path.clone(),
            relative_path,
            problem: Some(problem),
            ..Self::default()
        }
    }

    /// Returns true if the entry fails when it is opened.
    pub(crate) fn is_unreadable(&self) -> bool {
        self.problem.is_some()
    }

    /// Opens the file at its beginning. Only a regular file can be opened again.
    pub(super) fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        if let Some(code) = self.listing_fault {
            return Err(io::Error::from_raw_os_error(code));
        }
        if let Some(problem) = &self.problem {
            return Err(io::Error::other(problem.clone()));
        }
        if let Some(contents) = &self.contents {
            return Ok(Box::new(io::Cursor::new(Arc::clone(contents))));
        }
        match &self.path {
            Some(path) => Ok(Box::new(fs::File::open(path)?)),
            None => Ok(Box::new(io::stdin())),
        }
    }
}
