//! The outputs of an interrupted run, for the run that goes on with it.

use crate::archive::manifest::{ManifestError, visit_manifest_lines};
use crate::archive::stored_path::StoredPath;
use crate::input::{manifest_files, open_if_exists};
use crate::output::error::WriteError;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The outputs that an earlier run recorded, and what becomes of them.
#[derive(Debug)]
pub(super) struct StandingOutputs {
    /// The hashes of the paths that the manifest names. Two paths with one hash cost nothing but a
    /// comparison: the files decide.
    recorded: HashSet<u64>,
    kept: AtomicUsize,
    replaced: AtomicBool,
}

impl StandingOutputs {
    /// Reads which outputs an archive directory records.
    ///
    /// # Errors
    /// Fails if a manifest can't be read.
    pub(super) fn read(archive: &Path) -> Result<Self, WriteError> {
        let mut recorded = HashSet::new();
        for path in manifest_files(archive).map_err(io::Error::other)? {
            let Some(lines) = open_if_exists(&path).map_err(io::Error::other)? else {
                continue;
            };
            let visited = visit_manifest_lines(lines, |line| {
                recorded.extend(line.output().map(hash_path));
                Ok::<_, ManifestError>(())
            });
            visited.map_err(|source| WriteError::Manifest { path, source })?;
        }
        Ok(Self {
            recorded,
            kept: AtomicUsize::new(0),
            replaced: AtomicBool::new(false),
        })
    }

    /// Returns true if the manifest names an output.
    pub(super) fn has_recorded(&self, path: &StoredPath) -> bool {
        self.recorded.contains(&hash_path(path))
    }

    /// Notes that an output stays.
    pub(super) fn note_kept(&self) {
        self.kept.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that an output takes the place of another.
    pub(super) fn note_replaced(&self) {
        self.replaced.store(true, Ordering::Relaxed);
    }

    /// Returns the number of outputs that stay.
    pub(super) fn kept(&self) -> usize {
        self.kept.load(Ordering::Relaxed)
    }

    /// Returns true if the run replaces files of the earlier one.
    pub(super) fn are_replaced(&self) -> bool {
        self.replaced.load(Ordering::Relaxed)
    }
}

fn hash_path(path: &StoredPath) -> u64 {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    hasher.finish()
}
