//! The directory of a run below a directory that it writes into: the lock, the staged files and
//! the journal.

use crate::files::archive::path_below::{PathBelow, StoredPath};
use crate::files::output::directories::{create_directory_all, missing_directories};
use crate::files::output::journal::{
    COMMIT_FILE, JOURNAL_FILE, JournalEntry, JournalFile, JournalHeader, JournalWriter,
    PublicationPart, staged_path, staging_directory,
};
use crate::files::output::publication::{Publication, rename};
use crate::files::output::run_lock::{LOCK_FILE, RunLock, run_directory};
use crate::files::output::staged_file::{RunRoot, StagedName, sync_directory};
use crate::files::output::{
    absence::has_entry, error::WriteError, journal_seal::SealKey, message::print_message,
    permissions::AccessLimit, recovery::recover_dead_run, terms::WritingTerms,
};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{fs, io};

/// A run that locks directories.
#[derive(Clone, Copy)]
pub(super) struct RunOwner<'t> {
    /// What it may do there, and how other runs see it.
    pub terms: &'t WritingTerms,
    /// Its random name.
    pub run: &'t str,
    /// Who may use the directories that it makes.
    pub access: AccessLimit,
}

/// The locked directory of a run. It is removed when the run ends, unless a decided publication
/// could not be completed.
#[derive(Debug)]
pub(super) struct RunDirectory {
    root: PathBuf,
    path: PathBuf,
    /// Holds the lock.
    _lock: RunLock,
    /// Who may use the directories that are made.
    access: AccessLimit,
    /// Where the keys of journals may lie.
    key_directories: Vec<PathBuf>,
    /// Directories that were created for the root, the deepest first.
    created: Vec<PathBuf>,
    /// The names of the run directory and of the root are on the disk.
    durable: AtomicBool,
    staged: AtomicU64,
    header: JournalHeader,
    journal: Mutex<Option<JournalWriter>>,
    /// A decided publication is not complete.
    unfinished: AtomicBool,
}

impl RunDirectory {
    /// Creates and locks the run directory of `root`, and clears up after a dead run. Fails if
    /// another run holds the lock, the directory can't be written, or the publication of a dead run
    /// can't be completed.
    pub(super) fn acquire(root: &Path, owner: RunOwner<'_>) -> Result<Self, WriteError> {
        let created = missing_directories(root);
        create_directory_all(root, owner.access)?;
        match Self::lock_root(root, created.clone(), owner) {
            Ok(directory) => Ok(directory),
            Err(error) => {
                remove_directories(&created);
                Err(error)
            }
        }
    }

    fn lock_root(
        root: &Path,
        created: Vec<PathBuf>,
        owner: RunOwner<'_>,
    ) -> Result<Self, WriteError> {
        let mut lock = RunLock::acquire(root, owner.terms.lock)?;
        let path = run_directory(root);
        recover_dead_run(root, lock.dead.take(), owner.terms)?;
        let prepared = lock
            .describe_holder(&owner.terms.identity)
            .and_then(|()| fs::create_dir_all(staging_directory(&path)));
        // From here on the directory is removed whatever happens.
        let directory = Self {
            root: root.to_path_buf(),
            path,
            _lock: lock,
            access: owner.access,
            key_directories: owner.terms.key_directories.clone(),
            created,
            durable: AtomicBool::new(false),
            staged: AtomicU64::new(0),
            header: JournalHeader {
                run: owner.run.to_owned(),
                decided_in: None,
                decides: Vec::new(),
            },
            journal: Mutex::new(None),
            unfinished: AtomicBool::new(false),
        };
        prepared.map_err(WriteError::cannot("create a file in", &directory.path))?;
        Ok(directory)
    }

    /// Lets the commit of `decider` decide about the publications in this directory.
    pub(super) fn follow(&mut self, decider: &mut Self) {
        let absolute = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        self.header.decided_in = Some(StoredPath::from(absolute(&decider.root).as_path()));
        let own = StoredPath::from(absolute(&self.root).as_path());
        decider.header.decides.push(own);
    }

    /// Returns a place for files without a name.
    pub(super) fn staging(&self) -> PathBuf {
        staging_directory(&self.path)
    }

    /// Names a new staged file.
    pub(super) fn new_staged(
        &self,
        root: RunRoot,
        relative: &Path,
        access: AccessLimit,
    ) -> Result<StagedName, WriteError> {
        let number = self.staged.fetch_add(1, Ordering::Relaxed);
        Ok(StagedName {
            staged: staged_path(&self.path, number),
            number,
            root,
            relative: PathBelow::new(relative)?,
            access: access.and_file(&self.root.join(relative)),
            shared: false,
            joined: false,
        })
    }

    fn journal(&self) -> MutexGuard<'_, Option<JournalWriter>> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an entry to the next publication.
    pub(super) fn push(&self, entry: &JournalEntry) -> Result<(), WriteError> {
        let mut journal = self.journal();
        let writer = match journal.take() {
            Some(writer) => writer,
            None => JournalWriter::create(&self.path, &self.header)?,
        };
        journal.insert(writer).push(entry)
    }

    /// Returns the length of the journal; none if it holds nothing.
    pub(super) fn journal_length(&self) -> Option<u64> {
        self.journal().as_ref().map(JournalWriter::length)
    }

    /// Takes back the entries behind a length that [`RunDirectory::journal_length`] returned.
    pub(super) fn rewind(&self, length: Option<u64>) -> Result<(), WriteError> {
        match &mut *self.journal() {
            Some(journal) => journal.rewind(length, &self.path),
            None => Ok(()),
        }
    }

    fn publication(&self, journal: &'static str) -> Publication<'_> {
        Publication {
            root: &self.root,
            run_directory: &self.path,
            journal: JournalFile { root: &self.root, name: journal },
            access: self.access,
        }
    }

    /// Makes everything ready for the decision: the directories exist, and the staged files and the
    /// journal are on the disk.
    pub(super) fn prepare(&self) -> Result<(), WriteError> {
        let mut journal = match self.journal().take() {
            Some(journal) => journal,
            None => JournalWriter::create(&self.path, &self.header)?,
        };
        journal.flush()?;
        let publication = self.publication(JOURNAL_FILE);
        let files = publication.prepare()?;
        publication.sync_staged(files)?;
        let key = SealKey::read_or_create(&self.key_directories);
        journal.finish(key.as_ref(), &self.root)?;
        sync_directory(&self.path)?;
        if !self.durable.load(Ordering::Relaxed) {
            sync_directory(&self.root)?;
            for directory in &self.created {
                sync_directory(directory.parent().unwrap_or(directory))?;
            }
            self.durable.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Decides the publication: from here on it is completed, by this run or by the next.
    pub(super) fn decide(&self) -> Result<(), WriteError> {
        let (journal, commit) = (self.path.join(JOURNAL_FILE), self.path.join(COMMIT_FILE));
        rename(&journal, &commit).map_err(WriteError::of_file(&commit))?;
        self.unfinished.store(true, Ordering::Relaxed);
        sync_directory(&self.path)
    }

    /// Notes that another root has decided the publication.
    pub(super) fn set_unfinished(&self) {
        self.unfinished.store(true, Ordering::Relaxed);
    }

    /// Follows the decision of another root, unless that is done.
    pub(super) fn follow_decision(&self) -> Result<(), WriteError> {
        let commit = self.path.join(COMMIT_FILE);
        if has_entry(&commit)? {
            return Ok(());
        }
        self.decide()
    }

    /// Returns true if a decided publication is not complete.
    pub(super) fn is_unfinished(&self) -> bool {
        self.unfinished.load(Ordering::Relaxed)
    }

    /// Publishes a part of the decided files.
    pub(super) fn publish_part(&self, part: PublicationPart) -> Result<(), WriteError> {
        self.publication(COMMIT_FILE).publish_part(part)
    }

    /// Removes what the publication replaces without a successor.
    pub(super) fn remove_stale(&self) -> Result<(), WriteError> {
        self.publication(COMMIT_FILE).remove_stale()
    }

    /// Ends a complete publication.
    pub(super) fn complete(&self) -> Result<(), WriteError> {
        let path = self.path.join(COMMIT_FILE);
        let removed = fs::remove_file(&path).map_err(WriteError::of_file(&path));
        if removed.is_ok() {
            self.unfinished.store(false, Ordering::Relaxed);
        }
        removed
    }
}

impl Drop for RunDirectory {
    fn drop(&mut self) {
        drop(self.journal().take());
        if self.is_unfinished() {
            return;
        }
        // The lock file is the last to go: until then no other run comes in.
        let _ = fs::remove_dir_all(self.staging());
        let _ = fs::remove_file(self.path.join(JOURNAL_FILE));
        remove_lock(&self.path);
        remove_directories(&self.created);
    }
}

/// Removes the lock file and the run directory.
fn remove_lock(run_directory: &Path) {
    let _ = fs::remove_file(run_directory.join(LOCK_FILE));
    // Another run may have created its lock by now: then the directory is not empty.
    let _ = fs::remove_dir(run_directory);
}

/// Removes directories that are still empty.
fn remove_directories(created: &[PathBuf]) {
    let _: Option<io::Result<()>> = created.iter().map(fs::remove_dir).find(Result::is_err);
}

/// Clears up after a dead run in a directory that is only read. Waits for a run that is alive.
/// Fails if another run holds the lock and may not be waited for, or a decided publication can't be
/// completed.
pub(crate) fn settle_dead_run(root: &Path, terms: &WritingTerms) -> Result<(), WriteError> {
    let path = run_directory(root);
    if !has_entry(&path)? {
        return Ok(());
    }
    let is_decided = has_entry(&path.join(COMMIT_FILE))? || has_entry(&path.join(JOURNAL_FILE))?;
    let owner = RunOwner { terms, run: "", access: AccessLimit::UMASK };
    match RunDirectory::acquire(root, owner) {
        Err(WriteError::Lock { path, source }) if is_read_only(&source) => {
            if !is_decided {
                // What a dead run left there is not read.
                return Ok(());
            }
            Err(WriteError::Unfinished {
                holder: "an earlier run".to_owned(),
                source: Box::new(WriteError::Lock { path, source }),
            })
        }
        settled => settled.map(drop),
    }
}

/// Waits until no other run writes into a directory that is only read. Nothing is written there:
/// what a dead run decided and did not carry out is only told. Fails if another run holds the lock
/// and may not be waited for.
pub(crate) fn await_other_run(root: &Path, terms: &WritingTerms) -> Result<(), WriteError> {
    RunLock::await_release(root, terms.lock)?;
    if has_entry(&run_directory(root).join(COMMIT_FILE))? {
        print_message(&format!(
            "epitome: a run in {} did not finish; its files are read as they are; the next run that writes \
             there completes it, or says why it can't",
            root.display()
        ));
    }
    Ok(())
}

fn is_read_only(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}
