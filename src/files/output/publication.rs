//! The publication of staged files: the moves of a journal, which can be made again after any
//! interruption until all of them are made.

use crate::files::archive::path_below::PathBelow;
#[cfg(unix)]
use crate::files::input::ParentBelow;
use crate::files::output::absence::{has_entry, is_absence, look_at};
use crate::files::output::directories::{create_parents, ensure_real_parents};
use crate::files::output::error::{OverwriteError, WriteError};
use crate::files::output::journal::{
    JournalEntry, JournalFile, PublicationPart, staged_path, staging_directory,
};
use crate::files::output::overwrite::refuse_entry;
use crate::files::output::permissions::AccessLimit;
use crate::files::output::staged_file::{
    MAX_SYNCED_SINGLY, sync_directories, sync_directory, sync_file, sync_file_system,
};
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The moves of a journal in one root.
pub(super) struct Publication<'r> {
    /// The directory that the files go into.
    pub root: &'r Path,
    /// The run directory that they come from.
    pub run_directory: &'r Path,
    pub journal: JournalFile<'r>,
    /// Who may use the directories that are made, unless a file in them is for fewer.
    pub access: AccessLimit,
}

impl Publication<'_> {
    /// Creates the directories of all files, and checks that nothing is replaced that must stay.
    /// Returns the number of files. Fails if a directory can't be created, or a file exists that
    /// must not be replaced.
    pub(super) fn prepare(&self) -> Result<usize, WriteError> {
        let mut files = 0;
        self.journal.visit(|entry| {
            let JournalEntry::Publish { staged, path, replaces, .. } = entry else {
                return Ok(());
            };
            files += 1;
            self.create_parents(staged, path.as_path())?;
            let path = self.root.join(path.as_path());
            Ok(refuse_entry(&path, look_at(&path)?, replaces)?)
        })?;
        Ok(files)
    }

    /// Creates the directories of a staged file that are missing.
    fn create_parents(&self, staged: u64, relative: &Path) -> Result<(), WriteError> {
        let is_direct = relative.parent().is_none_or(|parent| parent.as_os_str().is_empty());
        if is_direct {
            return Ok(());
        }
        let access = self.access.and_file(&staged_path(self.run_directory, staged));
        create_parents(self.root, relative, access)
    }

    /// Makes sure that `files` staged files are on the disk. Fails if one of them can't be synced.
    pub(super) fn sync_staged(&self, files: usize) -> Result<(), WriteError> {
        let staging = staging_directory(self.run_directory);
        if files > MAX_SYNCED_SINGLY && sync_file_system(&staging)? {
            return Ok(());
        }
        self.journal.visit(|entry| match entry {
            JournalEntry::Publish { staged, .. } => {
                sync_file(&staged_path(self.run_directory, staged))
            }
            JournalEntry::Remove { .. } | JournalEntry::Seal(_) => Ok(()),
        })?;
        sync_directories(BTreeSet::from([staging]))
    }

    /// Gives the files of one part their names, and makes that durable. Fails if a file can't be
    /// renamed or synced.
    pub(super) fn publish_part(&self, wanted: PublicationPart) -> Result<(), WriteError> {
        let mut touched = BTreeSet::new();
        let mut moved = Vec::new();
        self.journal.visit(|entry| {
            let JournalEntry::Publish { staged, path, part, .. } = entry else {
                return Ok(());
            };
            if part != wanted {
                return Ok(());
            }
            self.create_parents(staged, path.as_path())?;
            self.rename_staged(staged, &path)?;
            add_parents(self.root, path.as_path(), &mut touched);
            if moved.len() <= MAX_SYNCED_SINGLY {
                moved.push(self.root.join(path.as_path()));
            }
            Ok(())
        })?;
        if moved.is_empty() {
            return Ok(());
        }
        if moved.len().max(touched.len()) > MAX_SYNCED_SINGLY && sync_file_system(self.root)? {
            return Ok(());
        }
        if wanted == PublicationPart::Archive {
            // Some file systems keep the new name of a file with the file.
            moved.iter().try_for_each(|path| sync_file(path))?;
        }
        sync_directories(touched)?;
        sync_directory(&staging_directory(self.run_directory))
    }

    /// Renames a staged file. One that is gone has its name already.
    fn rename_staged(&self, staged: u64, path: &PathBelow) -> Result<(), WriteError> {
        match rename_below(&staged_path(self.run_directory, staged), self.root, path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(WriteError::of_file(&self.root.join(path.as_path()))(error))
            }
            _ => Ok(()),
        }
    }

    /// Removes the files of an earlier run that this one does not write. Fails if one can't be
    /// removed, or that can't be made durable.
    pub(super) fn remove_stale(&self) -> Result<(), WriteError> {
        let mut touched = BTreeSet::new();
        self.journal.visit(|entry| {
            let JournalEntry::Remove { path } = entry else {
                return Ok(());
            };
            let relative = path.as_path();
            match ensure_real_parents(self.root, relative) {
                Ok(()) => {}
                // Behind a link there is nothing that an earlier run wrote.
                Err(WriteError::Refused(OverwriteError::NotRealDirectory(_))) => return Ok(()),
                Err(error) => return Err(error),
            }
            remove_below(self.root, &path).map_err(|source| WriteError::RemoveResult {
                name: relative.display().to_string(),
                source,
            })?;
            touched.extend(remove_empty_parents(self.root, relative)?);
            Ok(())
        })?;
        let mut left = BTreeSet::new();
        for directory in touched {
            // It may have gone with another file.
            if has_entry(&directory)? {
                left.insert(directory);
            }
        }
        sync_directories(left)
    }
}

/// Renames a file.
#[cfg(unix)]
pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, renameat};
    Ok(renameat(CWD, from, CWD, to)?)
}

/// Renames a file.
#[cfg(not(unix))]
pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)
}

/// Gives a file a name below `root`, whatever links somebody puts on the way meanwhile.
#[cfg(unix)]
pub(super) fn rename_below(from: &Path, root: &Path, to: &PathBelow) -> io::Result<()> {
    use rustix::fs::{CWD, renameat};
    let parent = ParentBelow::open(root, to)?;
    Ok(renameat(CWD, from, parent.directory, parent.name)?)
}

/// Gives a file a name below `root`.
#[cfg(not(unix))]
pub(super) fn rename_below(from: &Path, root: &Path, to: &PathBelow) -> io::Result<()> {
    fs::rename(from, root.join(to.as_path()))
}

/// Removes a file below `root` if it exists, whatever links somebody puts on the way meanwhile.
fn remove_below(root: &Path, path: &PathBelow) -> io::Result<()> {
    match unlink_below(root, path) {
        Err(error) if !is_absence(&error) => Err(error),
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn unlink_below(root: &Path, path: &PathBelow) -> io::Result<()> {
    let parent = ParentBelow::open(root, path)?;
    Ok(rustix::fs::unlinkat(parent.directory, parent.name, rustix::fs::AtFlags::empty())?)
}

#[cfg(not(unix))]
fn unlink_below(root: &Path, path: &PathBelow) -> io::Result<()> {
    fs::remove_file(root.join(path.as_path()))
}

/// Adds the directories of a file, up to `root`: each may be new.
fn add_parents(root: &Path, relative: &Path, touched: &mut BTreeSet<PathBuf>) {
    for parent in relative.ancestors().skip(1) {
        if !touched.insert(root.join(parent)) {
            break;
        }
    }
}

/// Removes the directories of a removed file that are empty now. Returns the one that is left.
fn remove_empty_parents(root: &Path, relative: &Path) -> Result<Option<PathBuf>, WriteError> {
    for parent in relative.ancestors().skip(1) {
        let directory = root.join(parent);
        if parent.as_os_str().is_empty() || fs::remove_dir(&directory).is_err() {
            return Ok(has_entry(&directory)?.then_some(directory));
        }
    }
    Ok(None)
}
