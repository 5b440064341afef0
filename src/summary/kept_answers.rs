//! Answers of a program that are kept until the run is whole, so that `--resume` does not ask for
//! them again.

use crate::base::sha256::Sha256;
use crate::summary::answer_cache::{AnswerCache, CachedAnswer};
use crate::summary::error::SummaryError;
use crate::summary::summarizer::{Summarizer, SummaryRequest};
use crate::summary::validation::clean_summary;
use std::path::{Path, PathBuf};

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
