//! A directory of answers, each in a file named by the hash of its question.
//!
//! Files appear complete by a rename, so that a killed run leaves no partial file, and any number
//! of runs may share the directory. Only answers that were used as summaries are kept.

use crate::base::sha256::Sha256;
use crate::summary::error::SummaryError;
use crate::summary::summarizer::{Summarizer, SummaryRequest, clean_summary};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

const VERSION: u32 = 1;
/// The pause between two attempts to take a lock.
const LOCK_POLL: Duration = Duration::from_millis(20);
/// The number of first digits of an id that select its lock.
const LOCK_DIGITS: usize = 3;

#[derive(Debug, Clone)]
pub(crate) struct AnswerCache {
    directory: PathBuf,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CachedAnswer {
    version: u32,
    /// The hash of the question.
    id: String,
    /// The model that wrote the answer.
    pub model: String,
    /// The summary.
    pub text: String,
    /// The tokens of the question, as the server reported them.
    pub input_tokens: u64,
    /// The tokens of the answer, as the server reported them.
    pub output_tokens: u64,
}

impl CachedAnswer {
    /// Creates the answer to the question with this id.
    pub(crate) fn new(
        id: &str,
        model: &str,
        text: &str,
        input_tokens: u64,
        output_tokens: u64,
    ) -> Self {
        Self {
            version: VERSION,
            id: id.to_owned(),
            model: model.to_owned(),
            text: text.to_owned(),
            input_tokens,
            output_tokens,
        }
    }
}

impl AnswerCache {
    /// Opens the cache in a directory, which is created if needed. Only its owner can access it,
    /// because conversations are private. Fails if the directory can't be created.
    pub(crate) fn open(directory: &Path) -> io::Result<Self> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(directory.join("locks"))?;
        Ok(Self { directory: directory.to_path_buf() })
    }

    /// Returns the cache in a directory that may not exist. Nothing is created.
    pub(crate) fn existing(directory: &Path) -> Self {
        Self { directory: directory.to_path_buf() }
    }

    fn answer_path(&self, id: &str) -> PathBuf {
        self.directory.join(&id[..2.min(id.len())]).join(format!("{id}.json"))
    }

    /// Returns the answer to a question. A damaged file counts as missing.
    pub(crate) fn get(&self, id: &str) -> Option<CachedAnswer> {
        let path = self.answer_path(id);
        if !is_real(path.parent()?, true) || !is_real(&path, false) {
            return None;
        }
        let stored: CachedAnswer = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        (stored.version == VERSION && stored.id == id).then_some(stored)
    }

    /// Stores an answer. Fails if the file can't be written. An older answer then stays.
    pub(crate) fn put(&self, stored: &CachedAnswer) -> io::Result<()> {
        // The rename comes first, so that the answer survives a kill. A power cut before the sync
        // leaves a damaged file, which counts as missing.
        self.persist(stored)?.sync_data()
    }

    /// Stores an answer that a power cut may take away. Fails as [`AnswerCache::put`] does.
    fn put_unsynced(&self, stored: &CachedAnswer) -> io::Result<()> {
        self.persist(stored).map(drop)
    }

    fn persist(&self, stored: &CachedAnswer) -> io::Result<File> {
        let path = self.answer_path(&stored.id);
        let parent = path.parent().unwrap_or(&self.directory);
        fs::create_dir_all(parent)?;
        if !is_real(parent, true) {
            return Err(io::Error::other("a link is in the place of a directory"));
        }
        let mut file = tempfile::Builder::new().prefix(".answer-").tempfile_in(parent)?;
        file.write_all(&serde_json::to_vec(stored)?)?;
        file.persist(&path).map_err(|error| error.error)
    }

    /// Removes all answers. What can't be removed stays.
    pub(crate) fn remove(self) {
        let _ = fs::remove_dir_all(self.directory);
    }

    /// Waits until no other thread or run asks the same question. It may be answered then. Returns
    /// none if files can't be locked, or `gave_up` returns true while waiting. The only effect is
    /// that a question may be asked twice.
    pub(crate) fn lock(&self, id: &str, gave_up: impl Fn() -> bool) -> Option<File> {
        let locks = self.directory.join("locks");
        let path = locks.join(&id[..LOCK_DIGITS.min(id.len())]);
        if !is_real(&locks, true) || (fs::symlink_metadata(&path).is_ok() && !is_real(&path, false))
        {
            return None;
        }
        let file = File::options().create(true).append(true).open(path).ok()?;
        loop {
            match file.try_lock() {
                Ok(()) => return Some(file),
                Err(fs::TryLockError::WouldBlock) if !gave_up() => std::thread::sleep(LOCK_POLL),
                Err(_) => return None,
            }
        }
    }
}

/// Returns true for a directory or a regular file, and no link to one: the directory may have come
/// from somebody else.
fn is_real(path: &Path, is_directory: bool) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| {
        metadata.is_dir() == is_directory && (is_directory || metadata.is_file())
    })
}

/// The hexadecimal digits of the hash of a question.
const ID_DIGITS: usize = 64;

/// A summarizer whose answers are kept in a directory.
pub(crate) struct KeptAnswers {
    summarizer: Box<dyn Summarizer>,
    /// The command line of the summarizer. Answers of another one are not used.
    program: String,
    directory: PathBuf,
    /// Answers of an earlier run are used.
    resumes: bool,
}

impl KeptAnswers {
    /// Keeps the answers of `summarizer`, whose command line is `program`, in a directory. Those that
    /// an earlier run kept there are used if `resumes`.
    pub(crate) fn new(
        summarizer: Box<dyn Summarizer>,
        program: &str,
        directory: &Path,
        resumes: bool,
    ) -> Self {
        Self {
            summarizer,
            program: program.to_owned(),
            directory: directory.to_path_buf(),
            resumes,
        }
    }

    /// Returns the hash of everything that an answer depends on.
    fn question_id(&self, request: &SummaryRequest<'_>) -> String {
        let mut hash = Sha256::default();
        for part in [
            self.program.as_str(),
            request.thread_id,
            &request.turns.len().to_string(),
            &(request.prompt)().text(),
        ] {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        hash.hex_prefix(ID_DIGITS)
    }
}

impl Summarizer for KeptAnswers {
    fn summarize(&self, request: &SummaryRequest<'_>) -> Result<String, SummaryError> {
        let id = self.question_id(request);
        let kept = || AnswerCache::existing(&self.directory).get(&id);
        // A link there would lead out of the archive.
        let is_link = self.directory.is_symlink();
        if let Some(kept) = (self.resumes && !is_link).then(kept).flatten() {
            return Ok(kept.text);
        }
        let text = self.summarizer.summarize(request)?;
        if !is_link
            && clean_summary(&text).is_ok()
            && let Ok(cache) = AnswerCache::open(&self.directory)
        {
            // An answer that can't be kept is only asked for again.
            let _ = cache.put_unsynced(&CachedAnswer::new(&id, &self.program, &text, 0, 0));
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0123456789abcdef0123456789abcdef01234567";

    #[test]
    fn stored_answers_are_found_and_damaged_files_are_not() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("a/b");
        assert_eq!(AnswerCache::existing(&root).get(ID), None);
        assert!(!root.exists());
        let cache = AnswerCache::open(&root).unwrap();
        let stored = CachedAnswer::new(ID, "m", "text", 1, 2);
        cache.put(&stored).unwrap();
        assert_eq!(cache.get(ID), Some(stored.clone()));
        fs::write(cache.answer_path(ID), &serde_json::to_vec(&stored).unwrap()[..20]).unwrap();
        assert_eq!(cache.get(ID), None, "cut");
        cache.put(&stored).unwrap();
        fs::rename(cache.answer_path(ID), cache.answer_path(&ID.replace("67", "68"))).unwrap();
        assert_eq!(cache.get(&ID.replace("67", "68")), None, "of another question");
        let left: Vec<_> = fs::read_dir(root.join("01")).unwrap().collect();
        assert_eq!(left.len(), 1, "no temporary files stay");
    }

    #[cfg(unix)]
    #[test]
    fn the_directory_is_private() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("cache");
        let cache = AnswerCache::open(&root).unwrap();
        cache.put(&CachedAnswer::new(ID, "m", "text", 1, 2)).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o077;
        assert_eq!((mode(&root), mode(&cache.answer_path(ID))), (0, 0));
    }

    #[test]
    fn a_question_is_locked_until_its_lock_is_dropped() {
        let directory = tempfile::tempdir().unwrap();
        let cache = AnswerCache::open(directory.path()).unwrap();
        let held = cache.lock(ID, || false);
        assert!(held.is_some());
        assert!(cache.lock(ID, || true).is_none(), "given up");
        assert!(cache.lock("fff", || true).is_some(), "another question");
        drop(held);
        assert!(cache.lock(ID, || true).is_some());
    }
}
