//! What a dead run left: a decided publication is completed, everything else is removed.

use crate::archive::stored_path::StoredPath;
use crate::output::absence::has_entry;
use crate::output::directories::remove_if_exists;
use crate::output::error::WriteError;
use crate::output::journal::{
    COMMIT_FILE, JOURNAL_FILE, JournalHeader, PublicationPart, read_journal_header,
    staging_directory,
};
use crate::output::message::print_message;
use crate::output::permissions::AccessLimit;
use crate::output::publication::{Publication, rename};
use crate::output::run_lock::{LockHolder, run_directory};
use crate::output::sync::sync_directory;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Clears up after the run that held the lock of `root` and ended without removing it. The lock is
/// held.
///
/// # Errors
/// Fails if a decided publication can't be completed.
pub(super) fn recover_dead_run(root: &Path, dead: Option<LockHolder>) -> Result<(), WriteError> {
    let directory = run_directory(root);
    let holder = dead
        .as_ref()
        .map_or_else(|| "an earlier run".to_owned(), LockHolder::describe);
    let completed =
        complete_decided(root, &directory).map_err(|source| WriteError::Unfinished {
            holder: holder.clone(),
            source: Box::new(source),
        })?;
    let staging = staging_directory(&directory);
    let unfinished = fs::read_dir(&staging).map_or(0, Iterator::count);
    remove_tree(&staging)
        .and_then(|()| remove_if_exists(&directory.join(JOURNAL_FILE)))
        .map_err(|source| WriteError::RemoveUnfinished {
            directory: directory.clone(),
            source,
        })?;
    if completed {
        print_message(&format!(
            "epitome: {holder} ended early in {}; its publication was completed",
            root.display()
        ));
    } else if dead.is_some() || unfinished > 0 {
        print_message(&format!(
            "epitome: {holder} ended early in {}; its unfinished files were removed ({unfinished})",
            root.display()
        ));
    }
    Ok(())
}

fn remove_tree(directory: &Path) -> io::Result<()> {
    match fs::remove_dir_all(directory) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Returns the journal of a decided publication, if there is one.
fn decided_journal(directory: &Path) -> Result<Option<PathBuf>, WriteError> {
    let commit = directory.join(COMMIT_FILE);
    if has_entry(&commit)? {
        return Ok(Some(commit));
    }
    if is_decided_elsewhere(directory)? {
        return Ok(Some(directory.join(JOURNAL_FILE)));
    }
    // The run in the other directory may have been completed meanwhile, and have decided this one.
    Ok(has_entry(&commit)?.then_some(commit))
}

/// Completes a decided publication. Returns false if there is none.
fn complete_decided(root: &Path, directory: &Path) -> Result<bool, WriteError> {
    let Some(journal) = decided_journal(directory)? else {
        return Ok(false);
    };
    let header = read_journal_header(&journal)?;
    if let Some(header) = header {
        for follower in header.decides {
            decide_follower(&header.run, follower)?;
        }
    }
    let publication = Publication {
        root,
        run_directory: directory,
        journal: journal.clone(),
        access: AccessLimit::UMASK,
    };
    for part in [PublicationPart::Archive, PublicationPart::Result] {
        publication.publish_part(part)?;
    }
    publication.remove_stale()?;
    remove_if_exists(&journal).map_err(WriteError::of_file(&journal))?;
    Ok(true)
}

/// Returns true if the journal of a root belongs to a publication that another root has decided.
fn is_decided_elsewhere(directory: &Path) -> Result<bool, WriteError> {
    let Some(header) = read_undecided_header(&directory.join(JOURNAL_FILE))? else {
        return Ok(false);
    };
    let Some(decider) = header.decided_in else {
        return Ok(false);
    };
    let commit = run_directory(&PathBuf::from(decider)).join(COMMIT_FILE);
    let decided = read_journal_header(&commit)?;
    Ok(decided.is_some_and(|decided| decided.run == header.run))
}

/// Reads the header of a journal that may be cut within it: then nothing was decided.
fn read_undecided_header(path: &Path) -> Result<Option<JournalHeader>, WriteError> {
    match read_journal_header(path) {
        Err(WriteError::Journal { source, .. })
            if matches!(
                source.kind(),
                ErrorKind::InvalidData | ErrorKind::UnexpectedEof
            ) =>
        {
            Ok(None)
        }
        header => header,
    }
}

/// Decides the journal of another root, before the commit that decides it is removed.
fn decide_follower(run: &str, follower: StoredPath) -> Result<(), WriteError> {
    let directory = run_directory(&PathBuf::from(follower));
    let journal = directory.join(JOURNAL_FILE);
    let belongs = read_undecided_header(&journal)?.is_some_and(|header| header.run == run);
    if !belongs {
        return Ok(());
    }
    match rename(&journal, &directory.join(COMMIT_FILE)) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(WriteError::of_file(&journal)(error))
        }
        Err(_) => Ok(()),
        Ok(()) => sync_directory(&directory),
    }
}
