//! Directories that outputs lie in, and the real paths of files in them.

use crate::files::archive::RUN_DIR;
use crate::files::output::absence::{is_absence, look_at};
use crate::files::output::error::{OverwriteError, WriteError};
use crate::files::output::permissions::AccessLimit;
use std::path::{Component, Path, PathBuf};
use std::{fs, io};

/// Fails if a directory can't be read, or holds anything but the run directory of this run.
pub(super) fn ensure_empty(path: &Path) -> Result<(), WriteError> {
    let failed = WriteError::cannot("read the directory", path);
    for entry in fs::read_dir(path).map_err(&failed)? {
        if entry.map_err(&failed)?.file_name() != RUN_DIR {
            return Err(OverwriteError::NotEmpty(path.to_path_buf()).into());
        }
    }
    Ok(())
}

/// Returns the names of the files in a directory, or nothing if there is no such directory. Names
/// that are no Unicode are left out.
pub(super) fn file_names(path: &Path) -> Result<Vec<String>, WriteError> {
    let failed = WriteError::cannot("read the directory", path);
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(&failed)?;
        if entry.file_type().map_err(&failed)?.is_file() {
            names.extend(entry.file_name().into_string());
        }
    }
    Ok(names)
}

/// Creates a directory and its parents, as open as `access` allows.
pub(super) fn create_directory_all(path: &Path, access: AccessLimit) -> Result<(), WriteError> {
    let created = access.create_directory(path, true);
    created.map_err(|source| WriteError::CreateDirectory { path: path.to_path_buf(), source })
}

/// Returns the directories on the way to a path that do not exist, the deepest first.
pub(super) fn missing_directories(path: &Path) -> Vec<PathBuf> {
    path.ancestors()
        .take_while(|ancestor| !ancestor.as_os_str().is_empty() && !ancestor.exists())
        .map(Path::to_path_buf)
        .collect()
}

/// Creates the directories of a file below `root`. They must be real directories, so that no link
/// leads out of `root`.
pub(super) fn create_parents(
    root: &Path,
    relative: &Path,
    access: AccessLimit,
) -> Result<(), WriteError> {
    for directory in parents_below(root, relative) {
        if is_real_directory(&directory)? {
            continue;
        }
        match access.create_directory(&directory, false) {
            // Something else may have created it in the meantime.
            Err(source) if source.kind() == io::ErrorKind::AlreadyExists => {
                is_real_directory(&directory)?;
            }
            Err(source) => {
                return Err(WriteError::CreateDirectory { path: directory, source });
            }
            Ok(()) => {}
        }
    }
    Ok(())
}

/// Fails if a directory of a file below `root` is no real directory. Those that do not exist may be
/// created later.
pub(super) fn ensure_real_parents(root: &Path, relative: &Path) -> Result<(), WriteError> {
    for directory in parents_below(root, relative) {
        if !is_real_directory(&directory)? {
            break;
        }
    }
    Ok(())
}

/// Returns the directories between `root` and a file below it, the outermost first.
fn parents_below(root: &Path, relative: &Path) -> Vec<PathBuf> {
    let parts = relative.parent().into_iter().flat_map(Path::components);
    parts
        .scan(root.to_path_buf(), |directory, part| {
            directory.push(part);
            Some(directory.clone())
        })
        .collect()
}

/// Returns true for a directory, and false if nothing has the path. Fails if anything else has the
/// path, or if it can't be looked at.
fn is_real_directory(path: &Path) -> Result<bool, WriteError> {
    match look_at(path)? {
        Some(metadata) if metadata.is_dir() => Ok(true),
        Some(_) => Err(OverwriteError::NotRealDirectory(path.to_path_buf()).into()),
        None => Ok(false),
    }
}

/// Returns the path with all links resolved, even if the file does not exist yet. An empty path is the
/// working directory.
pub(crate) fn resolve_path(path: &Path) -> PathBuf {
    let path = if path == Path::new("") { Path::new(".") } else { path };
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

pub(super) fn remove_if_exists(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if !is_absence(&error) => Err(error),
        _ => Ok(()),
    }
}
