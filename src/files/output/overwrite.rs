//! Protection of existing files. Inputs are never overwritten, other files only
//! with `--force`, and devices or pipes not even then.

use crate::files::input::InputEntry;
use crate::files::output::absence::is_absence;
use crate::files::output::directories::resolve_path;
use crate::files::output::error::{OverwriteError, WriteError};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A check that writing at a path loses nothing.
pub(crate) struct OverwriteGuard {
    /// The canonical paths of the inputs.
    inputs: BTreeSet<PathBuf>,
    /// True if existing files may be replaced.
    pub(super) force: bool,
}

impl OverwriteGuard {
    /// Creates a guard of these inputs.
    pub(crate) fn new(inputs: &[InputEntry], force: bool) -> Self {
        Self {
            inputs: inputs.iter().filter_map(|input| real_path(input.path.as_ref()?)).collect(),
            force,
        }
    }

    /// Checks that nothing is lost if `path` is written. Fails if `path` is an input, a directory
    /// or a special file, or exists and `force` is not set.
    pub(crate) fn check_path(&self, path: &Path) -> Result<(), WriteError> {
        self.refuse_input(path)?;
        refuse_special_file(path)?;
        match fs::symlink_metadata(path) {
            Ok(metadata) => Ok(refuse_entry(path, Some(metadata), self.force)?),
            Err(error) if is_absence(&error) => Ok(()),
            Err(error) => Err(WriteError::of_file(path)(error)),
        }
    }

    /// Checks that nothing is lost if all of `paths` are written. Fails as
    /// [`check_path`](Self::check_path) does, or if two of them lead to the same file.
    pub(crate) fn check_paths<'p>(
        &self,
        paths: impl IntoIterator<Item = &'p PathBuf>,
    ) -> Result<(), WriteError> {
        let mut seen = BTreeSet::new();
        for path in paths {
            self.check_path(path)?;
            if !seen.insert(resolve_path(path)) {
                return Err(OverwriteError::WrittenTwice(path.clone()).into());
            }
        }
        Ok(())
    }

    pub(super) fn is_input(&self, path: &Path) -> bool {
        real_path(path).is_some_and(|path| self.inputs.contains(&path))
    }

    pub(super) fn refuse_input(&self, path: &Path) -> Result<(), OverwriteError> {
        if self.is_input(path) {
            return Err(OverwriteError::IsInput(path.to_path_buf()));
        }
        Ok(())
    }
}

/// Refuses to write where this was found: only files are replaced, and only where `replaces` says so.
pub(super) fn refuse_entry(
    path: &Path,
    found: Option<fs::Metadata>,
    replaces: bool,
) -> Result<(), OverwriteError> {
    let path = path.to_path_buf();
    match found {
        Some(found) if found.is_dir() => Err(OverwriteError::IsDirectory(path)),
        Some(found) if replaces && found.is_symlink() => Err(OverwriteError::OutputIsLink(path)),
        Some(_) if !replaces => Err(OverwriteError::Exists(path)),
        _ => Ok(()),
    }
}

/// Returns the path of an existing file with all links resolved, or as far as they can be.
fn real_path(path: &Path) -> Option<PathBuf> {
    match path.canonicalize() {
        Ok(path) => Some(path),
        Err(error) if is_absence(&error) => None,
        Err(_) => Some(resolve_path(path)),
    }
}

/// Refuses a directory that is a link: what is written there would arrive elsewhere.
pub(super) fn refuse_link(directory: &Path) -> Result<(), OverwriteError> {
    if fs::symlink_metadata(directory).is_ok_and(|metadata| metadata.is_symlink()) {
        return Err(OverwriteError::DirectoryIsLink(directory.to_path_buf()));
    }
    Ok(())
}

/// Refuses a path that leads to a device or a pipe. A rename would replace it, and nothing would
/// arrive there.
pub(super) fn refuse_special_file(path: &Path) -> Result<(), OverwriteError> {
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
        return Err(OverwriteError::NotRegular(path.to_path_buf()));
    }
    Ok(())
}
