//! The digest of a run: totals, and the transcripts worth naming.
//!
//! All views of a report render it. Its size doesn't grow with the input.

use crate::reporting::report::conversions::Conversions;
use crate::reporting::report::totals::RunTotals;
use crate::reporting::report::transcript_report::{TranscriptReport, TranscriptStatus};

/// The number of savings and of failures that are named.
const MAX_NAMED: usize = 20;

/// The totals of a run and the transcripts worth naming.
#[derive(Debug, Clone, Default)]
pub(crate) struct RunDigest {
    /// True if nothing was written: the digest says what would be.
    pub is_plan: bool,
    /// What was run; none where nobody is to read it.
    pub facts: Option<RunFacts>,
    /// The totals.
    pub totals: RunTotals,
    /// The largest savings, in descending order.
    pub largest: Vec<TranscriptSaving>,
    /// The first failures.
    pub failures: Vec<TranscriptFailure>,
    /// Values that conversions left out or changed, by kind.
    pub conversions: Conversions,
}

/// A transcript that got smaller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TranscriptSaving {
    /// The tokens saved.
    pub saved: usize,
    /// The thread id.
    pub thread_id: String,
    /// The file and line.
    pub place: String,
    /// The name of the token counter.
    pub counter: &'static str,
    /// The tokens before and after.
    pub tokens: [usize; 2],
}

/// A transcript that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TranscriptFailure {
    /// The file and line.
    pub place: String,
    /// The error.
    pub error: String,
}

impl RunDigest {
    /// Returns the title of a page.
    pub(super) fn title(&self) -> &'static str {
        if self.is_plan {
            "Plan of a transcript compaction: nothing was written"
        } else {
            "Transcript compaction"
        }
    }

    /// Adds the report of one transcript. `is_over_limit` is true if its result exceeds a limit.
    pub(crate) fn add_report(&mut self, report: &TranscriptReport, is_over_limit: bool) {
        self.totals.add_report(report, is_over_limit);
        if let Some(converted) = &report.converted {
            self.conversions.add_outcome(&report.file, converted);
        }
        if let Some(error) = &report.error
            && self.failures.len() < MAX_NAMED
        {
            self.failures.push(TranscriptFailure { place: report.place(), error: error.clone() });
        }
        let saved = report.tokens_before.saturating_sub(report.tokens_after);
        if report.status == TranscriptStatus::Compacted && saved > 0 {
            self.insert_saving(TranscriptSaving {
                saved,
                thread_id: report.thread_id.clone().unwrap_or_default(),
                place: report.place(),
                counter: report.counter,
                tokens: [report.tokens_before, report.tokens_after],
            });
        }
    }

    /// Adds the digest of transcripts that come later in the input.
    pub(crate) fn merge_part(&mut self, part: Self) {
        self.totals += &part.totals;
        self.conversions.merge_part(part.conversions);
        self.failures.extend(part.failures);
        self.failures.truncate(MAX_NAMED);
        for saving in part.largest {
            self.insert_saving(saving);
        }
    }

    /// Inserts a saving after all that are as large, so that the first in input order are named.
    fn insert_saving(&mut self, saving: TranscriptSaving) {
        let at = self.largest.partition_point(|other| other.saved >= saving.saved);
        self.largest.insert(at, saving);
        self.largest.truncate(MAX_NAMED);
    }
}

/// What was run.
#[derive(Debug, Clone)]
pub(crate) struct RunFacts {
    /// The command, as `epitome compact`.
    pub command: String,
    /// The time at which it began, as in `2026-11-29T01:25:39Z`.
    pub time: String,
    /// The inputs as the user named them.
    pub inputs: Vec<String>,
    /// True if the data on the run are part of `report.json`. Otherwise that depends on the records
    /// and the policy only, as the rows of `stream` do.
    pub is_reported: bool,
    /// The policy as TOML.
    pub policy: String,
}
