//! Files of JSON lines that are looked at twice: once to know what is in them,
//! later one line at a time.

use anyhow::{Context, Result};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Where a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinePosition {
    file: usize,
    offset: u64,
    length: usize,
    /// Its number in its file, from 1.
    pub line: u64,
}

/// The files, by number.
#[derive(Debug)]
pub struct LineFiles {
    paths: Vec<PathBuf>,
}

impl LineFiles {
    /// These files.
    #[must_use]
    pub fn new(paths: Vec<PathBuf>) -> Self {
        Self { paths }
    }

    /// Calls `visit` with every line that is not blank.
    ///
    /// # Errors
    /// If a file can't be read.
    pub fn visit_lines(&self, mut visit: impl FnMut(LinePosition, &[u8])) -> Result<()> {
        for (file, path) in self.paths.iter().enumerate() {
            let context = || format!("can't read {}", path.display());
            let mut reader = BufReader::new(File::open(path).with_context(context)?);
            let (mut offset, mut number, mut bytes) = (0, 0, Vec::new());
            while reader.read_until(b'\n', &mut bytes).with_context(context)? > 0 {
                number += 1;
                if !bytes.trim_ascii().is_empty() {
                    visit(
                        LinePosition {
                            file,
                            offset,
                            length: bytes.len(),
                            line: number,
                        },
                        &bytes,
                    );
                }
                offset += bytes.len() as u64;
                bytes.clear();
            }
        }
        Ok(())
    }

    /// One line again.
    ///
    /// # Errors
    /// If it can't be read.
    pub fn read_line(&self, place: LinePosition) -> Result<Vec<u8>> {
        let path = &self.paths[place.file];
        let read = || -> std::io::Result<Vec<u8>> {
            let mut file = File::open(path)?;
            file.seek(SeekFrom::Start(place.offset))?;
            let mut bytes = vec![0; place.length];
            file.read_exact(&mut bytes)?;
            Ok(bytes)
        };
        read().with_context(|| format!("can't read {} again", path.display()))
    }

    /// `file:line`, as messages say it.
    #[must_use]
    pub fn display_position(&self, place: LinePosition) -> String {
        format!("{}:{}", self.paths[place.file].display(), place.line)
    }
}

/// The whole text of a small file; none if there is no such file.
///
/// # Errors
/// If it can't be read.
pub fn read_small_file(path: &Path) -> Result<Option<String>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("can't read {}", path.display())),
    }
}

/// A file to be read from its start, and its length.
///
/// # Errors
/// If it can't be opened.
pub fn open_with_length(path: &Path) -> std::io::Result<(Box<dyn Read + Send>, u64)> {
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    Ok((Box::new(file), length))
}

/// The files of a directory whose names begin with one of these, in order of their names.
///
/// # Errors
/// If the directory can't be read.
pub fn files_with_prefixes(directory: &Path, beginnings: &[&str]) -> Result<Vec<PathBuf>> {
    let context = || format!("can't read the directory {}", directory.display());
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).with_context(context)? {
        let entry = entry.with_context(context)?;
        let name = entry.file_name();
        if beginnings
            .iter()
            .any(|beginning| name.to_string_lossy().starts_with(beginning))
        {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}
