//! Tells paths that lead to nothing from those that can't be looked at: behind these there may be a
//! file that must not be lost.

use crate::output::error::WriteError;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Returns true if an error means that nothing has the path.
pub(super) fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Returns true if a file, a directory or a link has the path.
///
/// # Errors
/// Fails if the path can't be looked at.
pub(super) fn has_entry(path: &Path) -> Result<bool, WriteError> {
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if is_absence(&error) => Ok(false),
        Err(source) => Err(WriteError::LookAt {
            path: path.to_path_buf(),
            source,
        }),
    }
}
