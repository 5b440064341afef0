//! The journal of a run directory: the moves that publish the files of a run. Once it is named
//! `commit`, the moves are made, by this run or by the next.

use crate::files::archive::RUN_DIR;
use crate::files::archive::path_below::{PathBelow, StoredPath};
use crate::files::input::open_if_exists;
use crate::files::output::error::WriteError;
use crate::files::output::journal_seal::{SealKey, Sealing};
use crate::files::output::run_lock::run_directory;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The journal while it is written.
pub(super) const JOURNAL_FILE: &str = "journal";
/// The journal whose moves are decided.
pub(super) const COMMIT_FILE: &str = "commit";
/// The directory of staged files.
const STAGING_DIR: &str = "new";

/// A longer line is no line of ours: a path has at most some thousand bytes.
const MAX_JOURNAL_LINE: u64 = 1 << 20;

/// Returns the path of a staged file.
pub(super) fn staged_path(run_directory: &Path, number: u64) -> PathBuf {
    staging_directory(run_directory).join(number.to_string())
}

/// Returns the directory of staged files.
pub(super) fn staging_directory(run_directory: &Path) -> PathBuf {
    run_directory.join(STAGING_DIR)
}

/// The first line of a journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct JournalHeader {
    /// The random name of the run.
    pub run: String,
    /// The root whose commit decides about this one, too.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub decided_in: Option<StoredPath>,
    /// The roots that this one decides about.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub decides: Vec<StoredPath>,
}

/// The part of a publication that a file belongs to: what outputs rely on comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum PublicationPart {
    /// Archive files, originals and the manifest.
    Archive,
    /// Outputs and the report.
    Result,
}

/// A line of a journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum JournalEntry {
    /// A staged file gets its name.
    Publish {
        /// The number of the staged file.
        staged: u64,
        /// The path below the root.
        path: PathBelow,
        part: PublicationPart,
        /// The file may replace one that exists.
        replaces: bool,
    },
    /// A file of an earlier run is removed.
    Remove {
        /// The path below the root.
        path: PathBelow,
    },
    /// The seal of all lines before it, which ends the journal.
    Seal(String),
}

/// A journal that is being written.
#[derive(Debug)]
pub(super) struct JournalWriter {
    file: BufWriter<File>,
    path: PathBuf,
    length: u64,
    start: u64,
}

impl JournalWriter {
    /// Begins a journal.
    pub(super) fn create(run_directory: &Path, header: &JournalHeader) -> Result<Self, WriteError> {
        let path = run_directory.join(JOURNAL_FILE);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(true);
        let file = options.open(&path).map_err(|source| journal_error(&path, source))?;
        let mut writer = Self { file: BufWriter::new(file), path, length: 0, start: 0 };
        writer.push_line(header)?;
        writer.start = writer.length;
        Ok(writer)
    }

    /// Appends an entry.
    pub(super) fn push(&mut self, entry: &JournalEntry) -> Result<(), WriteError> {
        self.push_line(entry)
    }

    fn push_line(&mut self, line: &impl Serialize) -> Result<(), WriteError> {
        let failed = |source| journal_error(&self.path, source);
        let mut bytes = serde_json::to_vec(line).map_err(|error| failed(error.into()))?;
        bytes.push(b'\n');
        self.length += bytes.len() as u64;
        self.file.write_all(&bytes).map_err(failed)
    }

    /// Returns the present length.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Takes back all entries behind a length that [`JournalWriter::length`] returned, and removes
    /// their staged files.
    pub(super) fn rewind(
        &mut self,
        length: Option<u64>,
        run_directory: &Path,
    ) -> Result<(), WriteError> {
        let length = length.unwrap_or(self.start);
        let failed = |source| journal_error(&self.path, source);
        self.file.flush().map_err(failed)?;
        let file = self.file.get_mut();
        file.seek(SeekFrom::Start(length)).map_err(failed)?;
        let mut lines = Vec::new();
        io::copy(file, &mut lines).map_err(failed)?;
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            if let Ok(JournalEntry::Publish { staged, .. }) = serde_json::from_slice(line) {
                // What stays is removed at the end of the run.
                let _ = fs::remove_file(staged_path(run_directory, staged));
            }
        }
        file.set_len(length).map_err(failed)?;
        file.seek(SeekFrom::Start(length)).map_err(failed)?;
        self.length = length;
        Ok(())
    }

    /// Ends the journal with its seal and syncs it. Without a key it gets none: then only this run
    /// can make its moves.
    pub(super) fn finish(mut self, key: Option<&SealKey>, root: &Path) -> Result<(), WriteError> {
        if let Some(key) = key {
            let failed = |source| journal_error(&self.path, source);
            self.file.flush().map_err(failed)?;
            let file = self.file.get_mut();
            file.seek(SeekFrom::Start(0)).map_err(failed)?;
            let place = root.canonicalize().map_err(failed)?;
            let seal = key.seal(&place, file).map_err(failed)?;
            self.push_line(&JournalEntry::Seal(seal))?;
        }
        let synced = self.file.flush().and_then(|()| self.file.get_ref().sync_data());
        synced.map_err(|source| journal_error(&self.path, source))
    }

    /// Writes what is buffered, so that the entries can be read.
    pub(super) fn flush(&mut self) -> Result<(), WriteError> {
        self.file.flush().map_err(|source| journal_error(&self.path, source))
    }
}

/// A journal in the run directory of a root.
#[derive(Debug, Clone, Copy)]
pub(super) struct JournalFile<'r> {
    /// The directory that the run writes into.
    pub root: &'r Path,
    pub name: &'static str,
}

impl JournalFile<'_> {
    /// Returns the path, for messages and removal.
    pub(super) fn path(self) -> PathBuf {
        run_directory(self.root).join(self.name)
    }

    /// Reads the header. Returns none if there is no such file.
    pub(super) fn read_header(self) -> Result<Option<JournalHeader>, WriteError> {
        let Some(mut lines) = self.open()? else {
            return Ok(None);
        };
        read_journal_line(&mut lines, &self.path())
    }

    /// Returns true if the journal ends with the seal that one of the keys gives it in this place.
    pub(super) fn is_sealed(self, keys: &[SealKey]) -> Result<bool, WriteError> {
        let Some(mut lines) = self.open()? else {
            return Ok(false);
        };
        let place = self.root.canonicalize();
        let checked = place.and_then(|place| is_sealed(&mut lines, keys, &place));
        checked.map_err(|source| journal_error(&self.path(), source))
    }

    /// Calls `visit` with each entry.
    pub(super) fn visit(
        self,
        mut visit: impl FnMut(JournalEntry) -> Result<(), WriteError>,
    ) -> Result<(), WriteError> {
        let path = self.path();
        let Some(mut lines) = self.open()? else {
            return Err(journal_error(&path, ErrorKind::NotFound.into()));
        };
        read_journal_line::<JournalHeader>(&mut lines, &path)?;
        while let Some(entry) = read_journal_line(&mut lines, &path)? {
            visit(entry)?;
        }
        Ok(())
    }

    fn open(self) -> Result<Option<impl BufRead + use<>>, WriteError> {
        open_if_exists(self.root, &Path::new(RUN_DIR).join(self.name))
            .map_err(|error| journal_error(&self.path(), io::Error::other(error)))
    }
}

/// Compares the last line of a journal with the seals of all lines before it.
fn is_sealed(lines: &mut impl BufRead, keys: &[SealKey], place: &Path) -> io::Result<bool> {
    let mut sealings: Vec<Sealing> = keys.iter().map(|key| key.begin(place)).collect();
    let (mut line, mut next) = (Vec::new(), Vec::new());
    loop {
        next.clear();
        if (&mut *lines).take(MAX_JOURNAL_LINE).read_until(b'\n', &mut next)? == 0 {
            break;
        }
        sealings.iter_mut().for_each(|sealing| sealing.update(&line));
        std::mem::swap(&mut line, &mut next);
    }
    let Ok(JournalEntry::Seal(seal)) = serde_json::from_slice(&line) else {
        return Ok(false);
    };
    Ok(sealings.into_iter().any(|sealing| sealing.finish() == seal))
}

fn read_journal_line<T: DeserializeOwned>(
    lines: &mut impl BufRead,
    path: &Path,
) -> Result<Option<T>, WriteError> {
    let failed = |source| journal_error(path, source);
    let mut line = Vec::new();
    if lines.read_until(b'\n', &mut line).map_err(failed)? == 0 {
        return Ok(None);
    }
    serde_json::from_slice(&line).map(Some).map_err(|error| failed(error.into()))
}

fn journal_error(path: &Path, source: io::Error) -> WriteError {
    WriteError::Journal { path: path.to_path_buf(), source }
}
