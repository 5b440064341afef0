//! Restoring the inputs of an earlier compaction.

use crate::base::error::describe_with_causes;
use crate::files::output::WritingTerms;
use crate::files::restoration::RestorationPaths;
use crate::settings::key_directories;
use std::path::{Path, PathBuf};

/// The number of files that were restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restored {
    /// Files that got back what was removed from them.
    pub restored: u64,
    /// Files from which nothing had been removed.
    pub copied: u64,
}

/// Restores the inputs of an earlier `epitome compact` into `output`, byte for byte. `directory` is
/// its output directory, with the archives in it. Nothing that exists is replaced.
///
/// # Errors
/// Fails if the directory holds no output of a compaction, or a file can't be restored.
pub fn restore(
    directory: impl AsRef<Path>,
    output: impl AsRef<Path>,
) -> Result<Restored, RestoreFailure> {
    let (directory, output) = (directory.as_ref(), output.as_ref());
    let paths = RestorationPaths { directory, archive: directory, output: Some(output) };
    let terms =
        WritingTerms { key_directories: key_directories(), ..WritingTerms::for_library("restore") };
    let restoration = paths
        .restore(&terms)
        .map_err(|error| RestoreFailure::Failed(describe_with_causes(&error)))?;
    if !restoration.failures.is_empty() {
        return Err(RestoreFailure::Incomplete {
            output: output.to_path_buf(),
            failures: restoration.failures,
        });
    }
    Ok(Restored { restored: restoration.restored, copied: restoration.copied })
}

/// The reason why inputs can't be restored.
#[derive(Debug, thiserror::Error)]
pub enum RestoreFailure {
    /// Nothing could be restored.
    #[error("{0}")]
    Failed(String),
    /// Files could not be restored; all others were.
    #[error("{} files could not be restored into {}: {}", .failures.len(), .output.display(), .failures.join("; "))]
    Incomplete {
        /// The directory that holds the others.
        output: PathBuf,
        /// The files, as `file: error`.
        failures: Vec<String>,
    },
}
