//! Deferred syncing of archive files. Syncing many at once costs the disk little
//! more than a single sync.

use crate::output::directories::sync_directory;
use crate::output::error::WriteError;
use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The maximum number of archive files that wait to be synced.
const MAX_UNSYNCED: usize = 512;

/// The archive files that are written, but may not be on the disk yet.
#[derive(Default)]
pub(super) struct UnsyncedArchives(Mutex<PendingSync>);

#[derive(Default)]
struct PendingSync {
    paths: Vec<PathBuf>,
    /// The last file that could not be synced, with the reason. From then on nothing may be
    /// published.
    failed: Option<(PathBuf, String)>,
}

impl UnsyncedArchives {
    /// Adds a written file. Syncs all files if many are waiting.
    pub(super) fn push(&self, path: PathBuf) {
        let mut pending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pending.paths.push(path);
        if pending.paths.len() >= MAX_UNSYNCED {
            pending.sync();
        }
    }

    /// Syncs all files that were added.
    ///
    /// # Errors
    /// Fails if this or an earlier sync failed.
    pub(super) fn sync_all(&self) -> Result<(), WriteError> {
        let mut pending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pending.sync();
        match &pending.failed {
            None => Ok(()),
            Some((path, reason)) => Err(WriteError::SyncArchive {
                path: path.clone(),
                reason: reason.clone(),
            }),
        }
    }
}

impl PendingSync {
    fn sync(&mut self) {
        let mut directories = BTreeSet::new();
        for path in self.paths.drain(..) {
            match File::open(&path).and_then(|file| file.sync_data()) {
                Ok(()) => directories.extend(path.parent().map(ToOwned::to_owned)),
                // The file was removed again, because its transcript is not changed.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => self.failed = Some((path, error.to_string())),
            }
        }
        directories
            .iter()
            .for_each(|directory| sync_directory(directory));
    }
}
