//! Answers by the hash of their question, one file each. A file appears whole
//! by a rename, so nothing is half there after a kill, and any number of runs
//! may share the directory. Only answers that were used as summaries are kept.

use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

const VERSION: u32 = 1;
/// How long to wait between looks at a lock that another holds.
const LOOK: Duration = Duration::from_millis(20);
/// Locks are shared by all ids with the same first digits.
const LOCK_DIGITS: usize = 3;

/// A directory of answers.
#[derive(Debug, Clone)]
pub struct AnswerCache {
    directory: PathBuf,
}

/// One answer as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CachedAnswer {
    version: u32,
    /// The hash of the question.
    id: String,
    /// The model that wrote it.
    pub model: String,
    /// The summary.
    pub text: String,
    /// Tokens of the question, as the server reported them.
    pub input_tokens: u64,
    /// Tokens of the answer, as the server reported them.
    pub output_tokens: u64,
}

impl CachedAnswer {
    /// An answer to the question with this id.
    #[must_use]
    pub fn new(id: &str, model: &str, text: &str, input_tokens: u64, output_tokens: u64) -> Self {
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
    /// The cache in this directory, which is made if it is not there. Conversations are private, and so is it.
    ///
    /// # Errors
    /// If it can't be made.
    pub fn open(directory: &Path) -> io::Result<Self> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(directory.join("locks"))?;
        Ok(Self {
            directory: directory.to_path_buf(),
        })
    }

    /// The cache as it is: nothing is made, where there is none nothing is found.
    #[must_use]
    pub fn existing(directory: &Path) -> Self {
        Self {
            directory: directory.to_path_buf(),
        }
    }

    fn path(&self, id: &str) -> PathBuf {
        self.directory
            .join(&id[..2.min(id.len())])
            .join(format!("{id}.json"))
    }

    /// The answer to a question. A file that is damaged is none.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<CachedAnswer> {
        let stored: CachedAnswer = serde_json::from_slice(&fs::read(self.path(id)).ok()?).ok()?;
        (stored.version == VERSION && stored.id == id).then_some(stored)
    }

    /// Keeps an answer.
    ///
    /// # Errors
    /// If it can't be written; an older answer then stays.
    pub fn put(&self, stored: &CachedAnswer) -> io::Result<()> {
        let path = self.path(&stored.id);
        let parent = path.parent().unwrap_or(&self.directory);
        fs::create_dir_all(parent)?;
        let mut file = tempfile::Builder::new()
            .prefix(".answer-")
            .tempfile_in(parent)?;
        file.write_all(&serde_json::to_vec(stored)?)?;
        // The name first, so that a kill finds it; then the disk. A power cut between the two leaves a file that is no answer.
        file.persist(&path)
            .map_err(|error| error.error)?
            .sync_data()
    }

    /// Waits until nobody else asks the same question; then it may be answered already. None where files can't
    /// be locked, or `gave_up` says so: then a question may be asked twice, and nothing else goes wrong.
    pub fn lock(&self, id: &str, gave_up: impl Fn() -> bool) -> Option<File> {
        let path = self
            .directory
            .join("locks")
            .join(&id[..LOCK_DIGITS.min(id.len())]);
        let file = File::options().create(true).append(true).open(path).ok()?;
        loop {
            match file.try_lock() {
                Ok(()) => return Some(file),
                Err(fs::TryLockError::WouldBlock) if !gave_up() => std::thread::sleep(LOOK),
                Err(_) => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0123456789abcdef0123456789abcdef01234567";

    #[test]
    fn what_is_put_is_found_and_what_is_damaged_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("a/b");
        assert_eq!(AnswerCache::existing(&root).get(ID), None);
        assert!(!root.exists());
        let cache = AnswerCache::open(&root).unwrap();
        let stored = CachedAnswer::new(ID, "m", "text", 1, 2);
        cache.put(&stored).unwrap();
        assert_eq!(cache.get(ID), Some(stored.clone()));
        fs::write(cache.path(ID), &serde_json::to_vec(&stored).unwrap()[..20]).unwrap();
        assert_eq!(cache.get(ID), None, "cut");
        cache.put(&stored).unwrap();
        fs::rename(cache.path(ID), cache.path(&ID.replace("67", "68"))).unwrap();
        assert_eq!(
            cache.get(&ID.replace("67", "68")),
            None,
            "of another question"
        );
        let left: Vec<_> = fs::read_dir(root.join("01")).unwrap().collect();
        assert_eq!(left.len(), 1, "no temporary files stay");
    }

    #[cfg(unix)]
    #[test]
    fn it_is_private() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("cache");
        let cache = AnswerCache::open(&root).unwrap();
        cache
            .put(&CachedAnswer::new(ID, "m", "text", 1, 2))
            .unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o077;
        assert_eq!((mode(&root), mode(&cache.path(ID))), (0, 0));
    }

    #[test]
    fn the_same_question_is_locked_until_the_first_is_done() {
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
