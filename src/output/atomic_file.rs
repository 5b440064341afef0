//! Files outside the directories of a run, such as reports: they appear under their name only when
//! they are complete.

use crate::output::directories::create_directory_all;
use crate::output::error::WriteError;
use crate::output::overwrite::refuse_special_file;
use crate::output::permissions::AccessLimit;
use crate::output::staged_file::BUFFER_BYTES;
use crate::output::sync::sync_directory;
use std::error::Error;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A temporary file that is renamed to its path when it is complete.
pub(crate) struct AtomicFile {
    file: BufWriter<NamedTempFile>,
    path: PathBuf,
}

impl AtomicFile {
    /// Creates the temporary file beside `path`. It is not more open than `access` allows, nor than
    /// a file that it replaces.
    ///
    /// # Errors
    /// Fails if the directory or the file can't be created, or `path` is a special file.
    pub(crate) fn create(path: &Path, access: AccessLimit) -> Result<Self, WriteError> {
        refuse_special_file(path)?;
        let parent = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
            .unwrap_or_else(|| Path::new("."));
        create_directory_all(parent, access)?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".epitome-");
        let access = access.and_file(path);
        // Temporary files are private by default.
        #[cfg(unix)]
        builder.permissions(access.file_permissions());
        let file = builder
            .tempfile_in(parent)
            .and_then(|file| access.limit_group(file.as_file()).map(|()| file))
            .map_err(|source| WriteError::CreateFile {
                directory: parent.to_path_buf(),
                source,
            })?;
        Ok(Self {
            file: BufWriter::with_capacity(BUFFER_BYTES, file),
            path: path.to_path_buf(),
        })
    }

    /// Removes all bytes behind the first `length` bytes.
    ///
    /// # Errors
    /// Fails if the file can't be written or truncated.
    pub(crate) fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.file.flush()?;
        let file = self.file.get_mut().as_file_mut();
        file.set_len(length)?;
        file.seek(SeekFrom::Start(length)).map(drop)
    }

    /// Syncs the file and renames it to its path.
    ///
    /// # Errors
    /// Fails if the file can't be written, synced or renamed. It then does not appear.
    pub(crate) fn publish(self) -> Result<(), WriteError> {
        let Self { file, path } = self;
        sync_and_rename(file, &path).map_err(|source| WriteError::Publish { path, source })
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

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
