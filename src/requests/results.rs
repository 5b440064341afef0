//! RequestResults as a summarizer: each summary is looked up by the hash of its
//! question, so a result whose question has changed is never used.

use crate::input::line_files::{LineFiles, LinePosition};
use crate::report::SummaryUsage;
use crate::summary::cache::{AnswerCache, CachedAnswer};
use crate::summary::model::{
    BatchResultLine, ModelEndpoint, SummaryTask, read_batch_result, read_reply,
};
use crate::summary::{PendingAnswer, Summarizer, SummaryAnswer, SummaryError, SummaryRequest};
use anyhow::Result;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Lines that are no results and are told one by one.
const TOLD: u64 = 20;

/// What was found in the files.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct ResultTally {
    pub results: u64,
    /// More than one result for the same request.
    pub duplicates: u64,
    /// Lines that are no results.
    pub malformed: u64,
}

/// All results of a run.
pub struct RequestResults {
    target: ModelEndpoint,
    files: LineFiles,
    found: HashMap<String, FoundResult>,
    cache: Option<AnswerCache>,
    pub tally: ResultTally,
    used: Arc<Mutex<UsedResults>>,
}

/// What became of results.
#[derive(Debug, Default)]
pub struct UsedResults {
    /// Ids that were looked up.
    asked: HashSet<String>,
    pub summaries: u64,
    pub failed: u64,
    pub missing: u64,
}

#[derive(Clone, Copy)]
struct FoundResult {
    place: LinePosition,
    succeeded: bool,
}

impl RequestResults {
    /// Looks through result files.
    ///
    /// # Errors
    /// If one can't be read.
    pub fn open(paths: Vec<PathBuf>, target: ModelEndpoint) -> Result<Self> {
        let files = LineFiles::new(paths);
        let (mut found, mut tally, mut contested) = (
            HashMap::<String, FoundResult>::new(),
            ResultTally::default(),
            Vec::new(),
        );
        files.visit_lines(|place, bytes| {
            let Some(result) = parse(bytes) else {
                tally.malformed += 1;
                if tally.malformed <= TOLD {
                    crate::output::print_message(&format!(
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
        // Which of two good answers is used may not depend on the order of files.
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

    /// What became of results, to be looked at after the run.
    pub fn used(&self) -> Arc<Mutex<UsedResults>> {
        Arc::clone(&self.used)
    }

    /// The ids of all results.
    pub fn ids(&self) -> Vec<String> {
        self.found.keys().cloned().collect()
    }

    fn answer(&self, task: &SummaryTask) -> SummaryAnswer {
        let id = task.question.id();
        let mut asked = SummaryUsage {
            id: id.clone(),
            model: self.target.model.clone(),
            ..SummaryUsage::default()
        };
        let text = self.text(task, &id, &mut asked);
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

    fn text(
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
        let line = self.files.read_line(found.place).map_err(|error| {
            SummaryError::UnreadableResult(crate::error::describe_with_causes(&error))
        })?;
        let Some(result) = parse(&line) else {
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
    /// Whether a result was looked for.
    pub fn was_asked(&self, id: &str) -> bool {
        self.asked.contains(id)
    }
}

fn parse(bytes: &[u8]) -> Option<BatchResultLine> {
    // Some programs begin a file with a mark.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    read_batch_result(&serde_json::from_slice::<Value>(bytes.trim_ascii()).ok()?)
}

impl Summarizer for RequestResults {
    fn summarize(&self, request: &SummaryRequest<'_>) -> Result<String, SummaryError> {
        self.begin(request).wait().text
    }

    fn begin<'s>(&'s self, request: &SummaryRequest<'_>) -> PendingAnswer<'s> {
        PendingAnswer::Ready(self.answer(&SummaryTask::new(&self.target, request)))
    }
}
