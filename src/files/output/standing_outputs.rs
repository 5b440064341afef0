//! The outputs of an interrupted run, for the run that goes on with it.

use crate::files::archive::manifest::{ManifestError, ManifestLine, visit_manifest_lines};
use crate::files::archive::path_below::PathBelow;
use crate::files::input::{manifest_files, open_if_exists};
use crate::files::output::error::WriteError;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The outputs that an earlier run recorded, and what becomes of them.
#[derive(Debug)]
pub(super) struct StandingOutputs {
    /// The hashes of the origins of the outputs that the manifest names, by those of their paths.
    recorded: HashMap<u64, Option<u64>>,
    /// The hashes of the outputs that archive files belong to, by those of their paths.
    files: HashSet<(u64, u64)>,
    kept: AtomicUsize,
    replaced: AtomicBool,
}

impl StandingOutputs {
    /// Reads which outputs an archive directory records. Fails if a manifest can't be read.
    pub(super) fn read(archive: &Path) -> Result<Self, WriteError> {
        let (mut recorded, mut files) = (HashMap::new(), HashSet::new());
        for path in manifest_files(archive).map_err(io::Error::other)? {
            let Some(lines) = open_if_exists(archive, &path).map_err(io::Error::other)? else {
                continue;
            };
            let visited = visit_manifest_lines(lines, |line| {
                match line {
                    ManifestLine::Output(line) => {
                        let origin = line.from.as_deref().map(hash_of);
                        recorded.insert(hash_of(&line.output), origin);
                    }
                    ManifestLine::ArchiveFile(line) => {
                        files.insert((hash_of(line.file.as_path()), hash_of(&line.of)));
                    }
                    ManifestLine::Version(_) => {}
                }
                Ok::<_, ManifestError>(())
            });
            visited.map_err(|source| WriteError::Manifest { path: archive.join(path), source })?;
        }
        Ok(Self { recorded, files, kept: AtomicUsize::new(0), replaced: AtomicBool::new(false) })
    }

    /// Returns true if the manifest names an output.
    pub(super) fn has_recorded(&self, path: &PathBelow) -> bool {
        self.recorded.contains_key(&hash_of(path))
    }

    /// Returns true if the manifest names outputs, but none of these.
    pub(super) fn holds_none_of(&self, outputs: &[PathBuf]) -> Result<bool, WriteError> {
        for output in outputs {
            if self.has_recorded(&PathBelow::new(output)?) {
                return Ok(false);
            }
        }
        Ok(!self.recorded.is_empty())
    }

    /// Returns true if the manifest names an output with this origin.
    pub(super) fn has_origin(&self, path: &PathBelow, origin: Option<&str>) -> bool {
        let recorded = self.recorded.get(&hash_of(path)).copied().flatten();
        recorded.is_some() && recorded == origin.map(hash_of)
    }

    /// Returns true if the manifest names an output that is known to have another origin.
    pub(super) fn is_of_other_origin(&self, path: &PathBelow, origin: Option<&str>) -> bool {
        let recorded = self.recorded.get(&hash_of(path)).copied().flatten();
        recorded.is_some() && recorded != origin.map(hash_of)
    }

    /// Returns true if the manifest says that an archive file belongs to an output.
    pub(super) fn is_file_of(&self, file: &PathBelow, output: &PathBelow) -> bool {
        let pair = (hash_of(file.as_path()), hash_of(output));
        self.files.contains(&pair)
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

fn hash_of(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
