//! Results of batch files as a summarizer: each summary is looked up by the hash of
//! its question, so a result whose question has changed is never used.

use crate::error::describe_with_causes;
use crate::input::InputError;
use crate::input::line_files::{LineFiles, LinePosition};
use crate::output::print_message;
use crate::report::SummaryUsage;
use crate::summary::answer_cache::{AnswerCache, CachedAnswer};
use crate::summary::model::{
    BatchResultLine, ModelEndpoint, SummaryTask, read_batch_result, read_reply,
};
use crate::summary::{PendingAnswer, Summarizer, SummaryAnswer, SummaryError, SummaryRequest};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The most lines that are no results and are reported each.
const MAX_REPORTED: u64 = 20;

/// The number of lines in the result files, by kind.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ResultTally {
    /// Results.
    pub results: u64,
    /// Further results for the same request.
    pub duplicates: u64,
    /// Lines that are no results.
    pub malformed: u64,
}

/// The results of a run, by the id of their request.
pub(crate) struct RequestResults {
    target: ModelEndpoint,
    files: LineFiles,
    found: HashMap<String, FoundResult>,
    cache: Option<AnswerCache>,
    /// The number of lines, by kind.
    pub tally: ResultTally,
    used: Arc<Mutex<UsedResults>>,
}

/// The use that a run made of results.
#[derive(Debug, Default)]
pub(crate) struct UsedResults {
    /// The ids that were looked up.
    asked: HashSet<String>,
    /// Summaries that were written.
    pub summaries: u64,
    /// Results that say why there is no summary, or that can't be used.
    pub failed: u64,
    /// Requests without a result.
    pub missing: u64,
}

#[derive(Clone, Copy)]
struct FoundResult {
    place: LinePosition,
    succeeded: bool,
}

impl RequestResults {
    /// Indexes result files.
    ///
    /// # Errors
    /// Fails if a file can't be read.
    pub(crate) fn open(paths: Vec<PathBuf>, target: ModelEndpoint) -> Result<Self, InputError> {
        let files = LineFiles::new(paths);
        let (mut found, mut tally, mut contested) = (
            HashMap::<String, FoundResult>::new(),
            ResultTally::default(),
            Vec::new(),
        );
        files.visit_lines(|place, bytes| {
            let Some(result) = parse_result(bytes) else {
                tally.malformed += 1;
                if tally.malformed <= MAX_REPORTED {
                    print_message(&format!(
                        "{}: no result line; left out",
                        files.display_position(place)
                    ));
                }
                return;
            };
            tally.results += 1;
            let new = FoundResult {
                place,
                succeeded: result.body.is_ok(),
            };
            match found.get_mut(&result.custom_id) {
                None => drop(found.insert(result.custom_id, new)),
                Some(old) => {
                    tally.duplicates += 1;
                    match (old.succeeded, new.succeeded) {
                        (false, true) => *old = new,
                        (true, true) => contested.push((result.custom_id, new)),
                        (_, false) => {}
                    }
                }
            }
        })?;
        // The choice between two good answers may not depend on the order of files.
        for (id, new) in contested {
            if let Some(old) = found.get_mut(&id)
                && files.read_line(new.place)? < files.read_line(old.place)?
            {
                *old = new;
            }
        }
        let cache = target
            .cache
            .as_deref()
            .and_then(|directory| AnswerCache::open(directory).ok());
        Ok(Self {
            target,
            files,
            found,
            cache,
            tally,
            used: Arc::default(),
        })
    }

    /// Returns the use that is made of results, to be looked at after the run.
    #[must_use]
    pub(crate) fn usage(&self) -> Arc<Mutex<UsedResults>> {
        Arc::clone(&self.used)
    }

    /// Returns the ids of all results.
    #[must_use]
    pub(crate) fn ids(&self) -> Vec<String> {
        self.found.keys().cloned().collect()
    }

    fn answer_task(&self, task: &SummaryTask) -> SummaryAnswer {
        let id = task.question.id();
        let mut asked = SummaryUsage {
            id: id.clone(),
            model: self.target.model.clone(),
            ..SummaryUsage::default()
        };
        let text = self.find_text(task, &id, &mut asked);
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        match &text {
            Ok(_) => used.summaries += 1,
            Err(_) if self.found.contains_key(&id) => used.failed += 1,
            Err(_) => used.missing += 1,
        }
        used.asked.insert(id);
        drop(used);
        SummaryAnswer {
            text,
            asked: Some(asked),
        }
    }

    fn find_text(
        &self,
        task: &SummaryTask,
        id: &str,
        asked: &mut SummaryUsage,
    ) -> Result<String, SummaryError> {
        let cached = || {
            self.cache
                .as_ref()
                .and_then(|cache| task.check_answer(&cache.get(id)?.text, &self.target).ok())
        };
        let Some(found) = self.found.get(id) else {
            asked.cache_hit = true;
            return cached().ok_or_else(|| {
                asked.cache_hit = false;
                SummaryError::MissingResult(id.to_owned())
            });
        };
        let line = self
            .files
            .read_line(found.place)
            .map_err(|error| SummaryError::UnreadableResult(describe_with_causes(&error)))?;
        let Some(result) = parse_result(&line) else {
            let place = self.files.display_position(found.place);
            return Err(SummaryError::ChangedResult(place));
        };
        let body = result.body?;
        let reply = read_reply(&body, result.dialect).ok_or(SummaryError::UnknownResultForm)?;
        (asked.input_tokens, asked.output_tokens) = (reply.input_tokens, reply.output_tokens);
        // Both providers ask half the price for batches.
        asked.cost = self
            .target
            .price
            .map(|price| price.cost(reply.input_tokens, reply.output_tokens) / 2.0);
        let text = task.check_answer(&reply.text?, &self.target)?;
        if let Some(cache) = &self.cache {
            let stored = CachedAnswer::new(
                id,
                &self.target.model,
                &text,
                reply.input_tokens,
                reply.output_tokens,
            );
            // It stays in the result file.
            let _ = cache.put(&stored);
        }
        Ok(text)
    }
}

impl UsedResults {
    /// Returns true if a result was looked for.
    #[must_use]
    pub(crate) fn was_asked(&self, id: &str) -> bool {
        self.asked.contains(id)
    }
}

fn parse_result(bytes: &[u8]) -> Option<BatchResultLine> {
    // Some programs begin a file with a byte order mark.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    read_batch_result(&serde_json::from_slice::<Value>(bytes.trim_ascii()).ok()?)
}

impl Summarizer for RequestResults {
    fn summarize(&self, request: &SummaryRequest<'_>) -> Result<String, SummaryError> {
        self.begin(request).wait().text
    }

    fn begin<'s>(&'s self, request: &SummaryRequest<'_>) -> PendingAnswer<'s> {
        PendingAnswer::Ready(self.answer_task(&SummaryTask::new(&self.target, request)))
    }
}
