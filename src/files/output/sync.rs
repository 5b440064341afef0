//! Syncing: a write is durable only behind it, and its errors are errors of the run.

use crate::files::output::error::WriteError;
use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

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
