//! Deferred syncing of archive files. Syncing many at once costs the disk little
//! more than a single sync.

use crate::output::directories::sync_directory;
use crate::output::error::WriteError;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The maximum number of archive files that wait to be synced.
const MAX_UNSYNCED: usize = 512;

/// The output that relies on an archive file: it must not appear before the file is on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ReliantOutput {
    /// The output of the input with this index.
    OfInput(usize),
    /// All result files of the run together.
    Results,
}

/// The archive files that are written, but may not be on the disk yet.
#[derive(Default)]
pub(super) struct UnsyncedArchives(Mutex<PendingSync>);

#[derive(Default)]
struct PendingSync {
    files: Vec<UnsyncedFile>,
    /// The last file of each output that could not be synced. Kept to the end of the run: a second
    /// sync may succeed although the bytes are lost.
    failed: BTreeMap<ReliantOutput, FailedSync>,
}

struct UnsyncedFile {
    path: PathBuf,
    output: ReliantOutput,
}

struct FailedSync {
    path: PathBuf,
    error: Arc<io::Error>,
}

impl UnsyncedArchives {
    /// Adds a written file. Syncs all files if many are waiting.
    pub(super) fn push(&self, path: PathBuf, output: ReliantOutput) {
        let mut pending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pending.files.push(UnsyncedFile { path, output });
        if pending.files.len() >= MAX_UNSYNCED {
            pending.sync();
        }
    }

    /// Syncs all files that were added.
    ///
    /// # Errors
    /// Fails if this or an earlier sync failed for a file that `output` relies on. Other outputs
    /// are not affected.
    pub(super) fn sync_for(&self, output: ReliantOutput) -> Result<(), WriteError> {
        let mut pending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pending.sync();
        match pending.failed.get(&output) {
            None => Ok(()),
            Some(FailedSync { path, error }) => Err(WriteError::SyncArchive {
                path: path.clone(),
                source: Arc::clone(error),
            }),
        }
    }
}

impl PendingSync {
    fn sync(&mut self) {
        let mut directories = BTreeSet::new();
        for UnsyncedFile { path, output } in self.files.drain(..) {
            match File::open(&path).and_then(|file| file.sync_data()) {
                Ok(()) => directories.extend(path.parent().map(ToOwned::to_owned)),
                // The file was removed again, because its transcript is not changed.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    let error = Arc::new(error);
                    self.failed.insert(output, FailedSync { path, error });
                }
            }
        }
        directories
            .iter()
            .for_each(|directory| sync_directory(directory));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::describe_with_causes;
    use std::path::Path;

    fn written_file(directory: &Path, name: &str) -> PathBuf {
        let path = directory.join(name);
        std::fs::write(&path, name).unwrap();
        path
    }

    #[test]
    fn a_failed_sync_costs_only_the_output_that_relies_on_the_file() {
        let directory = tempfile::tempdir().unwrap();
        let archives = UnsyncedArchives::default();
        let first = written_file(directory.path(), "first");
        // A file below a file can't be opened, and that is not the error of a removed file.
        let lost = first.join("lost");
        archives.push(first, ReliantOutput::OfInput(0));
        archives.push(lost.clone(), ReliantOutput::OfInput(1));
        archives.push(directory.path().join("removed"), ReliantOutput::OfInput(2));
        assert!(archives.sync_for(ReliantOutput::OfInput(0)).is_ok());
        for _ in 0..2 {
            let error = archives.sync_for(ReliantOutput::OfInput(1)).unwrap_err();
            let text = describe_with_causes(&error);
            let wanted = format!("can't sync the archive {}: ", lost.display());
            assert!(
                text.starts_with(&wanted) && text.len() > wanted.len(),
                "{text}"
            );
        }
        let later = written_file(directory.path(), "later");
        archives.push(later, ReliantOutput::OfInput(3));
        for output in [2, 3].map(ReliantOutput::OfInput) {
            assert!(archives.sync_for(output).is_ok(), "{output:?}");
        }
    }

    #[test]
    fn a_sync_that_failed_early_is_not_forgotten() {
        let directory = tempfile::tempdir().unwrap();
        let archives = UnsyncedArchives::default();
        let file = written_file(directory.path(), "file");
        archives.push(file.join("lost"), ReliantOutput::Results);
        for _ in 0..MAX_UNSYNCED {
            archives.push(file.clone(), ReliantOutput::Results);
        }
        let pending = archives.0.lock().unwrap();
        assert_eq!((pending.files.len(), pending.failed.len()), (1, 1));
        drop(pending);
        assert!(archives.sync_for(ReliantOutput::Results).is_err());
    }
}
