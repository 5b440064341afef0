//! Tells paths that lead to nothing from those that can't be looked at: behind these there may be a
//! file that must not be lost.

use crate::files::output::error::WriteError;
use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::path::Path;

/// Returns true if an error means that nothing has the path.
pub(super) fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Returns true if a file, a directory or a link has the path. Fails if the path can't be looked
/// at.
pub(super) fn has_entry(path: &Path) -> Result<bool, WriteError> {
    Ok(look_at(path)?.is_some())
}

/// Returns the metadata of the file, directory or link that has the path. None if nothing has it.
/// Fails if the path can't be looked at.
pub(super) fn look_at(path: &Path) -> Result<Option<Metadata>, WriteError> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => Ok(Some(metadata)),
        Err(error) if is_absence(&error) => Ok(None),
        Err(error) => Err(WriteError::cannot("examine", path)(error)),
    }
}
