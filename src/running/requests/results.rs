//! Results of batch files as a summarizer: each summary is looked up by the hash of
//! its question, so a result whose question has changed is never used.

use crate::base::error::describe_with_causes;
use crate::files::input::InputError;
use crate::files::input::line_files::{LineFiles, LinePosition};
use crate::files::output::print_message;
use crate::reporting::report::SummaryUsage;
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
    /// The places of all results of a request: which of them is good shows when it is asked for.
    found: HashMap<String, Vec<LinePosition>>,
    cache: Option<AnswerCache>,
    /// The number of lines, by kind.
    pub tally: ResultTally,
    used: Arc<Mutex<UsedResults>>,
}

/// The use that a run made of results.
#[derive(Debug, Default)]
pub(crate) struct UsedResults {
    /// The ids that were looked up.
    pub asked: HashSet<String>,
    /// Summaries that were written.
    pub summaries: u64,
    /// Results that say why there is no summary, or that can't be used.
    pub failed: u64,
    /// Requests without a result.
    pub missing: u64,
}

/// A summary that a result holds, and the usage of the model that wrote it.
struct ResultText {
    text: String,
    input_tokens: u64,
    output_tokens: u64,
}

impl RequestResults {
    /// Indexes result files, whose lines may have `max_line_bytes`. Fails if a file can't be read,
    /// or a line is too long.
    pub(crate) fn open(
        paths: Vec<PathBuf>,
        max_line_bytes: usize,
        target: ModelEndpoint,
    ) -> Result<Self, InputError> {
        let files = LineFiles::new(paths, max_line_bytes);
        let mut found = HashMap::<String, Vec<LinePosition>>::new();
        let mut tally = ResultTally::default();
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
            let places = found.entry(result.custom_id).or_default();
            tally.duplicates += u64::from(!places.is_empty());
            places.push(place);
        })?;
        let cache = target.cache.as_deref().and_then(|directory| AnswerCache::open(directory).ok());
        Ok(Self { target, files, found, cache, tally, used: Arc::default() })
    }

    /// Returns the use that is made of results, to be looked at after the run.
    pub(crate) fn usage(&self) -> Arc<Mutex<UsedResults>> {
        Arc::clone(&self.used)
    }

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
        SummaryAnswer { text, asked: Some(asked) }
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
        let Some(places) = self.found.get(id) else {
            asked.cache_hit = true;
            return cached().ok_or_else(|| {
                asked.cache_hit = false;
                SummaryError::MissingResult(id.to_owned())
            });
        };
        let ResultText { text, input_tokens, output_tokens } = self.best_text(task, places)?;
        (asked.input_tokens, asked.output_tokens) = (input_tokens, output_tokens);
        // Both providers ask half the price for batches.
        asked.cost = self.target.price.map(|price| price.cost(input_tokens, output_tokens) / 2.0);
        if let Some(cache) = &self.cache {
            let stored =
                CachedAnswer::new(id, &self.target.model, &text, input_tokens, output_tokens);
            // It stays in the result file.
            let _ = cache.put(&stored);
        }
        Ok(text)
    }

    /// Returns the text of the first good result among those of a request. Neither the order of the
    /// files nor that of their lines matters. Fails if none is good, with the error of the first.
    fn best_text(
        &self,
        task: &SummaryTask,
        places: &[LinePosition],
    ) -> Result<ResultText, SummaryError> {
        let mut lines = Vec::new();
        for place in places {
            let line = self
                .files
                .read_line(*place)
                .map_err(|error| SummaryError::UnreadableResult(describe_with_causes(&error)))?;
            lines.push((line, *place));
        }
        lines.sort_by(|(line, _), (other, _)| line.cmp(other));
        lines.dedup_by(|(line, _), (other, _)| line == other);
        let mut first_error = None;
        for (line, place) in &lines {
            match self.result_text(task, line, *place) {
                Ok(found) => return Ok(found),
                Err(error) => {
                    first_error.get_or_insert(error);
                }
            }
        }
        Err(first_error.unwrap_or(SummaryError::UnknownResultForm))
    }

    /// Returns the summary that a line holds. Fails if the line says why there is none, or if its
    /// text is no summary.
    fn result_text(
        &self,
        task: &SummaryTask,
        line: &[u8],
        place: LinePosition,
    ) -> Result<ResultText, SummaryError> {
        let Some(result) = parse_result(line) else {
            let place = self.files.display_position(place);
            return Err(SummaryError::ChangedResult(place));
        };
        let body = result.body?;
        let reply = read_reply(&body, result.dialect).ok_or(SummaryError::UnknownResultForm)?;
        Ok(ResultText {
            text: task.check_answer(&reply.text?, &self.target)?,
            input_tokens: reply.input_tokens,
            output_tokens: reply.output_tokens,
        })
    }
}

/// Returns the id of the request that a line of a result file answers. None if it is no result.
pub(crate) fn result_id(line: &[u8]) -> Option<String> {
    parse_result(line).map(|result| result.custom_id)
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
