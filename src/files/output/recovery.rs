//! What a dead run left: a decided publication is completed, everything else is removed.

use crate::files::archive::path_below::StoredPath;
use crate::files::output::absence::has_entry;
use crate::files::output::directories::remove_if_exists;
use crate::files::output::error::{OverwriteError, WriteError};
use crate::files::output::journal::{
    COMMIT_FILE, JOURNAL_FILE, JournalFile, JournalHeader, PublicationPart, staging_directory,
};
use crate::files::output::journal_seal::SealKey;
use crate::files::output::message::print_message;
use crate::files::output::permissions::AccessLimit;
use crate::files::output::publication::{Publication, rename};
use crate::files::output::run_lock::{LockHolder, run_directory};
use crate::files::output::staged_file::sync_directory;
use crate::files::output::terms::WritingTerms;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Clears up after the run that held the lock of `root` and ended without removing it. The lock is
/// held. Fails if a decided publication can't be completed, or is not proved to be one of this
/// user.
pub(super) fn recover_dead_run(
    root: &Path,
    dead: Option<LockHolder>,
    terms: &WritingTerms,
) -> Result<(), WriteError> {
    let directory = run_directory(root);
    let holder = dead.as_ref().map_or_else(|| "an earlier run".to_owned(), LockHolder::describe);
    let completed = complete_decided(root, &directory, terms).map_err(|source| match source {
        foreign @ WriteError::Refused(OverwriteError::ForeignJournal(_)) => foreign,
        source => WriteError::Unfinished { holder: holder.clone(), source: Box::new(source) },
    })?;
    let staging = staging_directory(&directory);
    let unfinished = fs::read_dir(&staging).map_or(0, Iterator::count);
    remove_tree(&staging)
        .and_then(|()| remove_if_exists(&directory.join(JOURNAL_FILE)))
        .map_err(WriteError::cannot("remove the unfinished files in", &directory))?;
    if completed {
        print_message(&format!(
            "epitome: {holder} was interrupted in {}; its publication was completed",
            root.display()
        ));
    } else if dead.is_some() || unfinished > 0 {
        print_message(&format!(
            "epitome: {holder} was interrupted in {}; removed {unfinished} of its unfinished files",
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
fn decided_journal<'r>(
    root: &'r Path,
    keys: &[SealKey],
) -> Result<Option<JournalFile<'r>>, WriteError> {
    let [commit, journal] = [COMMIT_FILE, JOURNAL_FILE].map(|name| JournalFile { root, name });
    if has_entry(&commit.path())? {
        return Ok(Some(commit));
    }
    if is_decided_elsewhere(journal, keys)? {
        return Ok(Some(journal));
    }
    // The run in the other directory may have been completed meanwhile, and have decided this one.
    Ok(has_entry(&commit.path())?.then_some(commit))
}

/// Completes a decided publication. Returns false if there is none.
fn complete_decided(
    root: &Path,
    directory: &Path,
    terms: &WritingTerms,
) -> Result<bool, WriteError> {
    let keys = SealKey::read_all(&terms.key_directories);
    let Some(journal) = decided_journal(root, &keys)? else {
        return Ok(false);
    };
    if !journal.is_sealed(&keys)? {
        return Err(OverwriteError::ForeignJournal(directory.to_path_buf()).into());
    }
    if let Some(header) = journal.read_header()? {
        for follower in header.decides {
            decide_follower(&header.run, follower, &keys)?;
        }
    }
    let publication =
        Publication { root, run_directory: directory, journal, access: AccessLimit::UMASK };
    for part in [PublicationPart::Archive, PublicationPart::Result] {
        publication.publish_part(part)?;
    }
    publication.remove_stale()?;
    let path = journal.path();
    remove_if_exists(&path).map_err(WriteError::of_file(&path))?;
    Ok(true)
}

/// Returns true if the journal of a root belongs to a publication that another root has decided.
fn is_decided_elsewhere(journal: JournalFile<'_>, keys: &[SealKey]) -> Result<bool, WriteError> {
    let Some(header) = read_undecided_header(journal)? else {
        return Ok(false);
    };
    let Some(decider) = header.decided_in.map(PathBuf::from) else {
        return Ok(false);
    };
    // What a stranger's journal names is not even looked at.
    if !journal.is_sealed(keys)? {
        return Ok(false);
    }
    let commit = JournalFile { root: &decider, name: COMMIT_FILE };
    let decided = commit.read_header()?;
    Ok(decided.is_some_and(|decided| decided.run == header.run) && commit.is_sealed(keys)?)
}

/// Reads the header of a journal that may be cut within it: then nothing was decided.
fn read_undecided_header(journal: JournalFile<'_>) -> Result<Option<JournalHeader>, WriteError> {
    match journal.read_header() {
        Err(WriteError::Journal { source, .. })
            if matches!(source.kind(), ErrorKind::InvalidData | ErrorKind::UnexpectedEof) =>
        {
            Ok(None)
        }
        header => header,
    }
}

/// Decides the journal of another root, before the commit that decides it is removed.
fn decide_follower(run: &str, follower: StoredPath, keys: &[SealKey]) -> Result<(), WriteError> {
    let root = PathBuf::from(follower);
    let directory = run_directory(&root);
    let file = JournalFile { root: &root, name: JOURNAL_FILE };
    let belongs = read_undecided_header(file)?.is_some_and(|header| header.run == run);
    if !belongs || !file.is_sealed(keys)? {
        return Ok(());
    }
    let journal = file.path();
    match rename(&journal, &directory.join(COMMIT_FILE)) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(WriteError::of_file(&journal)(error))
        }
        Err(_) => Ok(()),
        Ok(()) => sync_directory(&directory),
    }
}
