//! A report file and the place where it goes: a file of its own, the end of another, or stdout.
//!
//! Files outside the directories of a run, such as reports: they appear under their name only when
//! they are complete.

use crate::files::output::directories::create_directory_all;
use crate::files::output::overwrite::refuse_special_file;
use crate::files::output::permissions::AccessLimit;
use crate::files::output::staged_file::{BUFFER_BYTES, NamedFile, sync_directory};
use crate::files::output::{error::WriteError, message::print_message, run_lock::is_same_file};
use std::error::Error;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The place where a report goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReportDestination {
    /// A file of its own.
    File(PathBuf),
    /// The end of a file that others write to as well.
    Appended(PathBuf),
    Stdout,
}

impl ReportDestination {
    /// Returns the path of a file that the report would replace.
    pub(crate) fn replaced_path(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Appended(_) | Self::Stdout => None,
        }
    }
}

/// A report that is being written. It appears when it is published.
pub(crate) struct ReportFile(OpenReportFile);

enum OpenReportFile {
    Atomic(AtomicFile),
    /// The report waits in a file without a name, because what is appended can't be taken back.
    Waiting {
        waiting: File,
        destination: ReportDestination,
    },
}

impl ReportFile {
    /// Begins a report. Fails if a file can't be created, or a report can't be appended to
    /// `destination`.
    pub(crate) fn create(
        destination: &ReportDestination,
        access: AccessLimit,
    ) -> Result<Self, WriteError> {
        let waiting = || {
            Ok(OpenReportFile::Waiting {
                waiting: tempfile::tempfile()?,
                destination: destination.clone(),
            })
        };
        let open: Result<OpenReportFile, WriteError> = match destination {
            ReportDestination::File(path) => {
                AtomicFile::create(path, access).map(OpenReportFile::Atomic)
            }
            ReportDestination::Appended(path) => {
                refuse_special_file(path)?;
                open_end(path).map_err(WriteError::of_file(path))?;
                waiting()
            }
            ReportDestination::Stdout => waiting(),
        };
        open.map(Self)
    }

    /// Puts the report where it goes. Fails if the report can't be written. A file of its own then
    /// does not appear.
    pub(crate) fn publish(self) -> Result<(), WriteError> {
        match self.0 {
            OpenReportFile::Atomic(file) => file.publish(),
            OpenReportFile::Waiting { mut waiting, destination } => {
                waiting.rewind()?;
                match destination {
                    ReportDestination::File(path) | ReportDestination::Appended(path) => {
                        let copied =
                            open_end(&path).and_then(|mut end| io::copy(&mut waiting, &mut end));
                        copied.map(drop).map_err(WriteError::of_file(&path))
                    }
                    ReportDestination::Stdout => {
                        let mut stdout = io::stdout().lock();
                        let copied = io::copy(&mut waiting, &mut stdout);
                        copied.and_then(|_| stdout.flush()).map_err(WriteError::Stdout)
                    }
                }
            }
        }
    }

    /// Writes the bytes of the report and publishes it. Fails if the report can't be written.
    pub(crate) fn publish_bytes(mut self, bytes: &[u8]) -> Result<(), WriteError> {
        self.append(bytes)?;
        self.publish()
    }
}

fn open_end(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).open(path)
}

impl NamedFile for ReportFile {
    fn path(&self) -> &Path {
        match &self.0 {
            OpenReportFile::Atomic(file) => file.path(),
            OpenReportFile::Waiting { destination, .. } => match destination {
                ReportDestination::File(path) | ReportDestination::Appended(path) => path,
                ReportDestination::Stdout => Path::new("stdout"),
            },
        }
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        match &mut self.0 {
            OpenReportFile::Atomic(file) => file.cut(length),
            OpenReportFile::Waiting { waiting, .. } => {
                waiting.set_len(length)?;
                waiting.seek(SeekFrom::Start(length)).map(drop)
            }
        }
    }
}

impl Write for ReportFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            OpenReportFile::Atomic(file) => file.write(bytes),
            OpenReportFile::Waiting { waiting, .. } => waiting.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            OpenReportFile::Atomic(file) => file.flush(),
            OpenReportFile::Waiting { waiting, .. } => waiting.flush(),
        }
    }
}

/// The beginning of the name of a temporary file.
const PREFIX: &str = ".epitome-file-";

/// A temporary file that is renamed to its path when it is complete. It is locked until then: those
/// that are not are left by dead runs.
pub(crate) struct AtomicFile {
    file: BufWriter<NamedTempFile>,
    path: PathBuf,
}

impl AtomicFile {
    /// Creates the temporary file beside `path`, and removes those of dead runs there. It is not
    /// more open than `access` allows, nor than a file that it replaces. Fails if the directory or
    /// the file can't be created, or `path` is a special file.
    pub(crate) fn create(path: &Path, access: AccessLimit) -> Result<Self, WriteError> {
        refuse_special_file(path)?;
        let parent = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
            .unwrap_or_else(|| Path::new("."));
        create_directory_all(parent, access)?;
        remove_dead_files(parent);
        let file = create_locked(parent, access.and_file(path))
            .map_err(WriteError::cannot("create a file in", parent))?;
        Ok(Self { file: BufWriter::with_capacity(BUFFER_BYTES, file), path: path.to_path_buf() })
    }

    /// Syncs the file and renames it to its path. Fails if the file can't be written, synced or
    /// renamed. It then does not appear.
    pub(crate) fn publish(self) -> Result<(), WriteError> {
        let Self { file, path } = self;
        sync_and_rename(file, &path).map_err(|source| WriteError::Publish { path, source })
    }
}

/// Creates a temporary file and locks it.
fn create_locked(directory: &Path, access: AccessLimit) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    // Temporary files are private by default.
    #[cfg(unix)]
    builder.permissions(access.file_permissions());
    loop {
        let file = builder.tempfile_in(directory)?;
        access.limit_group(file.as_file())?;
        // Where the system has no locks, nothing is removed as dead either.
        let is_taken = matches!(file.as_file().try_lock(), Err(TryLockError::WouldBlock));
        // Before the lock another run could take the file for a dead one.
        if !is_taken && is_same_file(file.as_file(), file.path()) {
            return Ok(file);
        }
    }
}

/// Removes the temporary files of dead runs in a directory: those that nobody locks.
fn remove_dead_files(directory: &Path) {
    let mut removed = 0;
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let is_temporary = entry.file_name().to_string_lossy().starts_with(PREFIX)
            && entry.file_type().is_ok_and(|kind| kind.is_file());
        if !is_temporary {
            continue;
        }
        let Ok(file) = File::open(entry.path()) else {
            continue;
        };
        if file.try_lock().is_ok() && fs::remove_file(entry.path()).is_ok() {
            removed += 1;
        }
    }
    if removed > 0 {
        print_message(&format!(
            "epitome: removed {removed} unfinished files of interrupted runs in {}",
            directory.display()
        ));
    }
}

fn sync_and_rename(
    file: BufWriter<NamedTempFile>,
    path: &Path,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    if let Some(parent) = path.parent() {
        sync_directory(parent)?;
    }
    Ok(())
}

impl NamedFile for AtomicFile {
    fn path(&self) -> &Path {
        &self.path
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.file.flush()?;
        let file = self.file.get_mut().as_file_mut();
        file.set_len(length)?;
        file.seek(SeekFrom::Start(length)).map(drop)
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
