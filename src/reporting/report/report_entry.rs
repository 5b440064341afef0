//! An entry of a report, read back.

use crate::deciding::plan::Reason;
use crate::deciding::tokens::COUNTERS;
use crate::reading::format;
use crate::reporting::report::transcript_report::{TranscriptReport, TranscriptStatus};
use crate::reporting::report::{redaction::RedactionCounts, summary_usage::SummaryUsage};
use serde::Deserialize;

/// The counter of an entry whose own is not in the table: a tokenizer of the user.
const FOREIGN_COUNTER: &str = "file";

/// The figures of an entry that totals are made of.
#[derive(Debug, Deserialize)]
pub(crate) struct ReportEntry {
    thread_id: Option<String>,
    format: Option<String>,
    model: Option<String>,
    input_limit: Option<u64>,
    counter: String,
    messages_before: usize,
    messages_after: usize,
    tokens_before: usize,
    total_tokens: usize,
    tokens_after: usize,
    summarized: bool,
    summarized_messages: usize,
    truncated_args: usize,
    evicted: Vec<String>,
    pruned: usize,
    #[serde(default)]
    deduplicated: Option<usize>,
    #[serde(default)]
    shortened_results: Option<usize>,
    archive: Option<String>,
    status: TranscriptStatus,
    reasons: Vec<Reason>,
    asked: Option<SummaryUsage>,
    redacted: Option<RedactionCounts>,
    warnings: Vec<String>,
    error: Option<String>,
}

impl ReportEntry {
    /// Returns the report of a transcript in this place with these figures.
    pub(crate) fn into_report(
        self,
        file: &str,
        line: u64,
        column: Option<u64>,
    ) -> TranscriptReport {
        let format = self.format.as_deref();
        let format = format.and_then(format::format_by_name);
        let counters = COUNTERS.iter().map(|kind| kind.name);
        let counter = counters.into_iter().find(|name| *name == self.counter);
        TranscriptReport {
            thread_id: self.thread_id,
            file: file.to_owned(),
            line,
            column,
            format: format.map(format::Format::name),
            counter: counter.unwrap_or(FOREIGN_COUNTER),
            model: self.model,
            input_limit: self.input_limit,
            messages_before: self.messages_before,
            messages_after: self.messages_after,
            tokens_before: self.tokens_before,
            total_tokens: self.total_tokens,
            tokens_after: self.tokens_after,
            summarized: self.summarized,
            summarized_messages: self.summarized_messages,
            truncated_args: self.truncated_args,
            evicted: self.evicted,
            pruned: self.pruned,
            deduplicated: self.deduplicated,
            shortened_results: self.shortened_results,
            archive: self.archive,
            status: self.status,
            reasons: self.reasons,
            asked: self.asked,
            redacted: self.redacted,
            warnings: self.warnings,
            error: self.error,
            ..TranscriptReport::default()
        }
    }
}
