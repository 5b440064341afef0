//! Checks of all paths that a run will write, before it writes any.

use crate::files::archive::manifest::{MANIFEST_FILE, RecordedOutputs, manifest_part_number};
use crate::files::archive::{ARCHIVE_DIRS, ORIGINALS_DIR};
use crate::files::input::{manifest_files, open_if_exists};
use crate::files::output::absence::{has_entry, look_at};
use crate::files::output::error::{OverwriteError, WriteError};
use crate::files::output::{directories::resolve_path, overwrite::OverwriteGuard};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Files in the place of those that a run writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExistingFiles {
    /// There are none.
    None,
    /// There are some, which may be replaced.
    Some,
}

/// The directories that a run writes into.
pub(super) struct Destinations<'t> {
    /// The output directory; none for stdout.
    pub output: Option<&'t Path>,
    /// The archive directory.
    pub archive: &'t Path,
    /// What may be replaced.
    pub guard: &'t OverwriteGuard,
}

impl Destinations<'_> {
    /// Checks all paths that the run will write: `outputs`, relative to the output directory, and
    /// `reports`. Fails if one of them would be lost, or written twice.
    pub(super) fn check(
        &self,
        outputs: &[PathBuf],
        reports: &[PathBuf],
    ) -> Result<ExistingFiles, WriteError> {
        let mut existing = ExistingFiles::None;
        let mut seen = BTreeSet::new();
        let archive = resolve_path(self.archive);
        let archive_directories = ARCHIVE_DIRS.map(|name| resolve_path(&self.archive.join(name)));
        let in_output =
            self.output.iter().flat_map(|output| outputs.iter().map(|path| output.join(path)));
        for path in in_output.chain(reports.iter().cloned()) {
            self.guard.check_path(&path)?;
            if has_entry(&path)? {
                existing = ExistingFiles::Some;
            }
            let real = resolve_path(&path);
            if archive_directories.iter().any(|directory| real.starts_with(directory)) {
                return Err(OverwriteError::AmongArchives(path).into());
            }
            if real == archive {
                return Err(OverwriteError::ArchiveIsOutput(self.archive.to_path_buf()).into());
            }
            if !seen.insert(real) {
                return Err(OverwriteError::WrittenTwice(path).into());
            }
        }
        match self.check_archives(outputs)? {
            ExistingFiles::Some => Ok(ExistingFiles::Some),
            ExistingFiles::None => Ok(existing),
        }
    }

    /// Checks the directories for archives. The archives of an earlier run may be the only copy of
    /// what that run removed. Fails if one of them is no directory, or holds an archive that may
    /// not be replaced.
    pub(super) fn check_archives(&self, outputs: &[PathBuf]) -> Result<ExistingFiles, WriteError> {
        let mut existing = ExistingFiles::None;
        for name in ARCHIVE_DIRS {
            let path = self.archive.join(name);
            let force = self.guard.force;
            match look_at(&path)? {
                Some(metadata) if metadata.is_symlink() => {
                    return Err(OverwriteError::ArchiveIsLink(path).into());
                }
                Some(metadata) if !metadata.is_dir() && !force => {
                    return Err(OverwriteError::ArchiveIsFile(path).into());
                }
                Some(_) if self.holds_archive(name, &path, outputs)? => {
                    if !force {
                        return Err(OverwriteError::EarlierArchive(path).into());
                    }
                    existing = ExistingFiles::Some;
                }
                _ => {}
            }
        }
        Ok(existing)
    }

    /// Returns true if a directory holds something that this run could replace. A manifest by
    /// itself only says that other outputs lost nothing.
    fn holds_archive(
        &self,
        name: &str,
        path: &Path,
        outputs: &[PathBuf],
    ) -> Result<bool, WriteError> {
        let Ok(entries) = fs::read_dir(path) else {
            return Ok(true);
        };
        let mut has_manifest = false;
        for entry in entries {
            let entry = entry.map_err(WriteError::cannot("read the directory", path))?;
            let file = entry.file_name();
            let is_part = || file.to_str().and_then(manifest_part_number).is_some();
            if name == ORIGINALS_DIR && (file == MANIFEST_FILE || is_part()) {
                has_manifest = true;
            } else {
                return Ok(true);
            }
        }
        if !has_manifest || self.guard.force {
            return Ok(has_manifest);
        }
        let mut recorded = RecordedOutputs::default();
        let manifests = manifest_files(self.archive).map_err(io::Error::other)?;
        for path in manifests {
            if let Some(lines) = open_if_exists(self.archive, &path).map_err(io::Error::other)? {
                let added = recorded.add_from(lines);
                added.map_err(|source| WriteError::Manifest {
                    path: self.archive.join(path),
                    source,
                })?;
            }
        }
        Ok(outputs.iter().any(|output| recorded.0.contains_key(output)))
    }
}
