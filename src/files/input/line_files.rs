//! Files beside the inputs: JSON lines that are read twice, and small files.
//!
//! Result files are scanned once to find the position of each line. Single
//! lines are read again later, so that the files need not fit into memory.

use crate::files::input::{error::InputError, opened_below::open_below};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

const READ_BYTES: usize = 128 << 10;

/// The position of a line in [`LineFiles`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LinePosition {
    file: usize,
    offset: u64,
    length: usize,
    /// The line number in the file, from 1.
    pub line: u64,
}

/// A list of files of JSON lines.
#[derive(Debug)]
pub(crate) struct LineFiles {
    paths: Vec<PathBuf>,
    /// The most bytes that a line may have.
    max_line_bytes: usize,
}

impl LineFiles {
    /// Creates the list without opening the files.
    pub(crate) fn new(paths: Vec<PathBuf>, max_line_bytes: usize) -> Self {
        Self { paths, max_line_bytes }
    }

    /// Creates the list of one file below a directory that somebody else may have made. Fails if a
    /// link or something else is in the place of the file.
    pub(crate) fn below(
        directory: &Path,
        name: &str,
        max_line_bytes: usize,
    ) -> Result<Self, InputError> {
        open_if_exists(directory, Path::new(name))?;
        Ok(Self::new(vec![directory.join(name)], max_line_bytes))
    }

    /// Calls `visit` with every line that is not blank. Fails if a file can't be read, or a line is
    /// too long.
    pub(crate) fn visit_lines(
        &self,
        mut visit: impl FnMut(LinePosition, &[u8]),
    ) -> Result<(), InputError> {
        for (file, path) in self.paths.iter().enumerate() {
            let mut reader = BufReader::new(File::open(path).map_err(read_file_error(path))?);
            let (mut offset, mut number, mut bytes) = (0, 0, Vec::new());
            let limit = self.max_line_bytes as u64;
            while (&mut reader)
                .take(limit.saturating_add(1))
                .read_until(b'\n', &mut bytes)
                .map_err(read_file_error(path))?
                > 0
            {
                number += 1;
                if bytes.len() as u64 > limit && !bytes.ends_with(b"\n") {
                    return Err(InputError::LineTooLong {
                        path: path.clone(),
                        line: number,
                        limit: self.max_line_bytes,
                    });
                }
                if !bytes.trim_ascii().is_empty() {
                    let position = LinePosition { file, offset, length: bytes.len(), line: number };
                    visit(position, &bytes);
                }
                offset += bytes.len() as u64;
                bytes.clear();
            }
        }
        Ok(())
    }

    /// Reads a line again. Fails if the file can't be read.
    pub(crate) fn read_line(&self, position: LinePosition) -> Result<Vec<u8>, InputError> {
        let path = &self.paths[position.file];
        read_range(path, position)
            .map_err(|source| InputError::ReadAgain { path: path.clone(), source })
    }

    /// Returns `file:line`, for messages.
    pub(crate) fn display_position(&self, position: LinePosition) -> String {
        format!("{}:{}", self.paths[position.file].display(), position.line)
    }
}

fn read_range(path: &Path, position: LinePosition) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(position.offset))?;
    let mut bytes = vec![0; position.length];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn read_file_error(path: &Path) -> impl Fn(io::Error) -> InputError {
    move |source| InputError::ReadFile { path: path.to_path_buf(), source }
}

/// Opens a file below `root` for buffered reading, without decompression. Returns none if it does
/// not exist. Fails as [`open_below`] does.
pub(crate) fn open_if_exists(
    root: &Path,
    path: &Path,
) -> Result<Option<impl BufRead + use<>>, InputError> {
    let opened = open_below(root, path).map_err(read_file_error(&root.join(path)))?;
    Ok(opened.map(|file| BufReader::with_capacity(READ_BYTES, file)))
}

/// Reads a small file below `root` as text. Returns none if it does not exist. Fails as
/// [`open_below`] does, and if the file can't be read.
pub(crate) fn read_small_file(root: &Path, path: &Path) -> Result<Option<String>, InputError> {
    let mut text = String::new();
    let Some(mut file) = open_if_exists(root, path)? else {
        return Ok(None);
    };
    let read = file.read_to_string(&mut text);
    read.map_err(read_file_error(&root.join(path)))?;
    Ok(Some(text))
}

/// Opens a file below `root` and returns its length in bytes. Fails as [`open_below`] does, and if
/// there is no such file.
pub(crate) fn open_with_length(
    root: &Path,
    path: &Path,
) -> io::Result<(Box<dyn Read + Send>, u64)> {
    let file = open_below(root, path)?.ok_or(ErrorKind::NotFound)?;
    let length = file.metadata()?.len();
    Ok((Box::new(file), length))
}

/// Lists the files of a directory whose names begin with one of `prefixes`, sorted by name. Fails
/// if the directory can't be read.
pub(crate) fn files_with_prefixes(
    directory: &Path,
    prefixes: &[&str],
) -> Result<Vec<PathBuf>, InputError> {
    let failed = |source| InputError::ReadDirectory { path: directory.to_path_buf(), source };
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        if prefixes.iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
            if !entry.file_type().map_err(failed)?.is_file() {
                return Err(read_file_error(&entry.path())(io::Error::other(
                    "it is not a regular file; name it itself to read it",
                )));
            }
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}
