//! Files outside the directories of a run, such as reports: they appear under their name only when
//! they are complete.

use crate::files::output::directories::create_directory_all;
use crate::files::output::overwrite::refuse_special_file;
use crate::files::output::permissions::AccessLimit;
use crate::files::output::staged_file::{BUFFER_BYTES, NamedFile, sync_directory};
use crate::files::output::{error::WriteError, message::print_message, run_lock::is_same_file};
use std::error::Error;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

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
