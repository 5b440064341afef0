//! A file in the run directory, before it has its name. A write is durable only behind a sync,
//! whose errors are errors of the run.

use crate::files::archive::path_below::PathBelow;
use crate::files::output::{error::WriteError, permissions::AccessLimit};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The buffer size in bytes. Writes of at least this length are not copied into the buffer.
pub(super) const BUFFER_BYTES: usize = 32 << 10;

/// The directory of a run that a staged file will lie in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunRoot {
    /// The output directory.
    Output,
    /// The archive directory.
    Archive,
}

/// A complete staged file. It is removed with this value, unless it joined a publication.
#[derive(Debug)]
pub(crate) struct StagedName {
    /// The path in the run directory.
    pub(super) staged: PathBuf,
    pub(super) number: u64,
    pub(super) root: RunRoot,
    /// The path below the root that the file will have.
    pub(super) relative: PathBelow,
    /// Who may use the file.
    pub(super) access: AccessLimit,
    /// True if the name tells the contents, so that the file may be there already.
    pub(super) shared: bool,
    /// True if the file is left to a publication.
    pub(super) joined: bool,
}

impl StagedName {
    /// Returns the path in the run directory.
    pub(super) fn path(&self) -> &Path {
        &self.staged
    }

    /// Leaves the file to a publication.
    pub(super) fn set_joined(&mut self) {
        self.joined = true;
    }

    pub(super) fn create(&self) -> Result<File, WriteError> {
        let created = self.access.file_options().read(true).open(&self.staged);
        let limited = created.and_then(|file| self.access.limit_group(&file).map(|()| file));
        let directory = self.staged.parent().unwrap_or(&self.staged);
        limited.map_err(WriteError::cannot("create a file in", directory))
    }
}

impl Drop for StagedName {
    fn drop(&mut self) {
        if !self.joined {
            // What stays is removed with the run directory.
            let _ = fs::remove_file(&self.staged);
        }
    }
}

/// A staged file that is being written.
#[derive(Debug)]
pub(crate) struct StagedFile {
    file: BufWriter<File>,
    name: StagedName,
}

impl StagedFile {
    pub(super) fn create(name: StagedName) -> Result<Self, WriteError> {
        Ok(Self { file: BufWriter::with_capacity(BUFFER_BYTES, name.create()?), name })
    }

    /// Writes what is buffered and closes the file. Fails if the file can't be written.
    pub(crate) fn finish(self) -> Result<StagedName, WriteError> {
        let Self { mut file, name } = self;
        let flushed = file.flush();
        flushed.map_err(WriteError::of_file(name.relative.as_path()))?;
        Ok(name)
    }
}

impl NamedFile for StagedFile {
    /// The path below its directory.
    fn path(&self) -> &Path {
        self.name.relative.as_path()
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.file.flush()?;
        let file = self.file.get_mut();
        file.set_len(length)?;
        file.seek(SeekFrom::Start(length)).map(drop)
    }
}

impl Write for StagedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A file that is being written.
pub(crate) trait NamedFile: Write {
    /// Returns the path that the file will have.
    fn path(&self) -> &Path;

    /// Removes all bytes behind the first `length` bytes.
    fn cut(&mut self, length: u64) -> io::Result<()>;

    /// Appends bytes. Fails with an error that names the file.
    fn append(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        let written = self.write_all(bytes);
        written.map_err(WriteError::of_file(self.path()))
    }

    /// Keeps the first `length` bytes. Fails with an error that names the file.
    fn truncate(&mut self, length: u64) -> Result<(), WriteError> {
        let cut = self.cut(length);
        cut.map_err(WriteError::of_file(self.path()))
    }
}

/// Up to this many files or directories are synced one by one. Where there are more, one barrier
/// for the whole file system is cheaper.
pub(super) const MAX_SYNCED_SINGLY: usize = 32;

/// What is not synced may be lost.
const SYNC: &str = "sync";

/// Makes the bytes of a file durable. A file that is gone needs nothing.
pub(super) fn sync_file(path: &Path) -> Result<(), WriteError> {
    match File::open(path).and_then(|file| file.sync_data()) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(WriteError::cannot(SYNC, path)(error))
        }
        _ => Ok(()),
    }
}

/// Makes the names in a directory durable, if the system can do that.
pub(super) fn sync_directory(path: &Path) -> Result<(), WriteError> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    sync_open_directory(path).map_err(WriteError::cannot(SYNC, path))
}

#[cfg(unix)]
fn sync_open_directory(path: &Path) -> io::Result<()> {
    match File::open(path)?.sync_all() {
        // Some file systems have nothing to sync in a directory, and say so.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        synced => synced,
    }
}

#[cfg(not(unix))]
fn sync_open_directory(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Makes the names in many directories durable.
pub(super) fn sync_directories(directories: BTreeSet<PathBuf>) -> Result<(), WriteError> {
    // A directory comes before those that it is in.
    directories.iter().rev().try_for_each(|path| sync_directory(path))
}

/// Makes everything durable that was written to the file system of a directory. Returns false if
/// the system has no such call.
#[cfg(target_os = "linux")]
pub(super) fn sync_file_system(path: &Path) -> Result<bool, WriteError> {
    let synced = File::open(path).and_then(|directory| Ok(rustix::fs::syncfs(directory)?));
    synced.map(|()| true).map_err(WriteError::cannot(SYNC, path))
}

/// Makes everything durable that was written to the file system of a directory. Returns false if
/// the system has no such call.
#[cfg(not(target_os = "linux"))]
pub(super) fn sync_file_system(_: &Path) -> Result<bool, WriteError> {
    Ok(false)
}
