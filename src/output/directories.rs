//! Directories that outputs lie in, and the real paths of files in them.

use crate::output::error::{OverwriteError, WriteError};
use crate::output::overwrite::refuse_link;
use crate::output::permissions::AccessLimit;
use std::fs::{self, File};
use std::io;
use std::path::{Component, Path, PathBuf};

/// Creates a directory that must be empty.
///
/// # Errors
/// Fails if the directory can't be created or is not empty.
pub(crate) fn create_empty_directory(path: &Path, access: AccessLimit) -> Result<(), WriteError> {
    refuse_link(path)?;
    create_directory_all(path, access)?;
    let mut entries = fs::read_dir(path).map_err(|source| WriteError::ReadDirectory {
        path: path.to_path_buf(),
        source,
    })?;
    if entries.next().is_some() {
        return Err(OverwriteError::NotEmpty(path.to_path_buf()).into());
    }
    Ok(())
}

/// Creates a directory and its parents, as open as `access` allows.
pub(super) fn create_directory_all(path: &Path, access: AccessLimit) -> Result<(), WriteError> {
    let created = access.create_directory(path, true);
    created.map_err(|source| WriteError::CreateDirectory {
        path: path.to_path_buf(),
        source,
    })
}

/// Creates the directories of a file below `root`. They must be real directories, so that no link
/// leads out of `root`.
pub(super) fn create_parents(
    root: &Path,
    relative: &Path,
    access: AccessLimit,
) -> Result<(), WriteError> {
    let mut directory = root.to_path_buf();
    refuse_link(root)?;
    create_directory_all(&directory, access)?;
    for part in relative.parent().into_iter().flat_map(Path::components) {
        directory.push(part);
        match fs::symlink_metadata(&directory) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => return Err(OverwriteError::NotRealDirectory(directory).into()),
            Err(_) => match access.create_directory(&directory, false) {
                // Another thread may have created it in the meantime.
                Err(source) if source.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(WriteError::CreateDirectory {
                        path: directory,
                        source,
                    });
                }
                _ => {}
            },
        }
    }
    Ok(())
}

/// Returns the path with all links resolved, even if the file does not exist yet.
pub(super) fn resolve_path(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut real = PathBuf::new();
    for part in absolute.components() {
        match part {
            Component::ParentDir => drop(real.pop()),
            part => real.push(part),
        }
        real = real.canonicalize().unwrap_or(real);
    }
    real
}

/// Removes a file if it exists.
pub(super) fn remove_if_exists(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error)
            if !matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Err(error)
        }
        _ => Ok(()),
    }
}

/// Makes renames in a directory durable, if the system can do that.
pub(super) fn sync_directory(path: &Path) {
    let path = if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    };
    if let Ok(directory) = File::open(path) {
        let _ = directory.sync_all();
    }
}
