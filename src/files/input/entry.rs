//! Input files as they are named or found, alone or in a list of paths, before they are opened, and
//! how they are cut into records and units.

use crate::files::archive::path_below::StoredPath;
use crate::files::input::{error::ListingError, extensions::output_name};
use crate::reading::format::Format;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The name of stdin on the command line.
pub(crate) const STDIN: &str = "-";
const STDIN_OUTPUT: &str = "stdin.jsonl";

/// A file to read, or stdin.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct InputEntry {
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

/// Limits on what is read. Memory is bounded by them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadLimits {
    /// The size in bytes above which a record is copied without being parsed, and a journal or a
    /// document is not read.
    pub max_record_bytes: usize,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self { max_record_bytes: 1 << 30 }
    }
}

#[derive(Clone, Copy)]
pub(crate) struct ReadOptions {
    /// The format that the user names; none to detect it.
    pub format: Option<&'static dyn Format>,
    pub limits: ReadLimits,
    /// The maximum number of records in a unit: 1 where each record takes long.
    pub records_per_unit: usize,
    /// Tells the format of each line by itself, whatever the lines around it are, unless lines belong
    /// together.
    pub tells_each_line: bool,
    /// Reads the records in files that are no JSON. False where these files would have to be written.
    pub opens_containers: bool,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            format: None,
            limits: ReadLimits::default(),
            records_per_unit: usize::MAX,
            tells_each_line: false,
            opens_containers: true,
        }
    }
}

/// Reads a list of paths from a file, or from stdin if it is `-`: one a line, or each ended by a
/// NUL byte, as `find -print0` prints them. Blank lines are skipped. Fails if the list can't be
/// read or names nothing.
pub(crate) fn read_path_list(list: &Path) -> Result<Vec<PathBuf>, ListingError> {
    let bytes = read_list(list)
        .map_err(|source| ListingError::PathList { path: list.to_path_buf(), source })?;
    if bytes.trim_ascii_start().starts_with(b"{\"") {
        return Err(ListingError::ListIsJson { path: list.to_path_buf() });
    }
    let paths = split_list(&bytes);
    if paths.is_empty() {
        return Err(ListingError::EmptyPathList { path: list.to_path_buf() });
    }
    Ok(paths)
}

fn read_list(list: &Path) -> io::Result<Vec<u8>> {
    if list.as_os_str() != STDIN {
        return fs::read(list);
    }
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn split_list(bytes: &[u8]) -> Vec<PathBuf> {
    let has_nul = memchr::memchr(0, bytes).is_some();
    let end = if has_nul { 0 } else { b'\n' };
    let paths = bytes.split(|byte| *byte == end).map(|path| {
        let is_ended_twice = cfg!(windows) && !has_nul;
        path.strip_suffix(b"\r").filter(|_| is_ended_twice).unwrap_or(path)
    });
    let paths = paths.filter(|path| !path.is_empty()).map(|path| match path {
        // Stdin can't be listed.
        b"-" => Path::new(".").join(STDIN),
        path => StoredPath::Bytes(path.to_vec()).into(),
    });
    paths.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_end_with_a_line_or_a_nul() {
        let paths = |list: &str| -> Vec<String> {
            let paths = split_list(list.as_bytes()).into_iter();
            paths.map(|path| path.display().to_string()).collect()
        };
        assert_eq!(paths("a b\n\n- c\n-\nd"), ["a b", "- c", "./-", "d"]);
        assert_eq!(paths("a\nb\0c\0"), ["a\nb", "c"]);
        assert!(paths("\n\n").is_empty());
    }
}
