//! The digest of a run: totals, and the transcripts worth naming.
//!
//! All views of a report render it. Its size doesn't grow with the input.

use crate::base::sums::{add_fields, add_some};
use crate::deciding::plan::Stage;
use crate::reporting::report::conversions::{ConversionTotals, Conversions};
use crate::reporting::report::numbers::{count_nouns, group_count};
use crate::reporting::report::stay_reason::{StayReason, StayedTranscripts};
use crate::reporting::report::transcript_report::{TranscriptReport, TranscriptStatus};
use crate::reporting::report::{redaction::RedactionCounts, summary_usage::SummaryUsageTotals};
use crate::reporting::retention::RetentionScores;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::AddAssign;

/// The number of savings and of failures that are named.
const MAX_NAMED: usize = 20;

/// The totals of a run and the transcripts worth naming.
#[derive(Debug, Clone, Default)]
pub(crate) struct RunDigest {
    /// True if nothing was written: the digest says what would be.
    pub is_plan: bool,
    /// What was run; none where nobody is to read it.
    pub facts: Option<RunFacts>,
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
    pub thread_id: String,
    /// The file and line.
    pub place: String,
    /// The name of the token counter.
    pub counter: &'static str,
    /// The tokens before and after.
    pub tokens: [usize; 2],
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TranscriptFailure {
    /// The file and line.
    pub place: String,
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
    pub policy: String,
}

/// Sums over transcripts.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct RunTotals {
    /// Transcripts read.
    pub transcripts: u64,
    /// Transcripts that were changed.
    pub compacted: u64,
    /// Transcripts that were left as they were.
    pub unchanged: u64,
    /// Transcripts that failed, including records that could not be read.
    pub failed: u64,
    /// Messages as logged.
    pub messages_before: u64,
    /// Messages in the output.
    pub messages_after: u64,
    /// Tokens as logged.
    pub tokens_before: u64,
    /// Tokens in the output.
    pub tokens_after: u64,
    /// The names of the token counters.
    pub counters: BTreeSet<&'static str>,
    /// Results that still exceed a limit.
    pub over_limit: u64,
    /// The judgement of lengths that the user named. It is not part of the JSON.
    #[serde(skip)]
    pub lengths: LengthTotals,
    /// Transcripts that stay as they are, by their reason. The JSON has the reasons of each.
    #[serde(skip)]
    pub stayed: BTreeMap<StayReason, StayedTranscripts>,
    /// The sums of each stage.
    pub stages: BTreeMap<Stage, StageTotals>,
    /// The usage of the model that wrote summaries. Absent if no model was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<SummaryUsageTotals>,
    /// The sums of conversions to another format. Absent if there were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub converted: Option<ConversionTotals>,
    /// Masked secrets. Absent if there was nothing to mask.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redacted: Option<RedactionCounts>,
    /// The retention of identifiers that later messages need. Absent if it was not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recall: Option<RetentionScores>,
}

/// The transcripts that were held against a length that the user named.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LengthTotals {
    /// Transcripts that were compared with it.
    pub judged: u64,
    /// Those that reach it.
    pub longer: u64,
    /// Those that change although they are shorter.
    pub shorter_changed: u64,
}

add_fields!(LengthTotals: judged, longer, shorter_changed);

impl LengthTotals {
    fn add_report(&mut self, report: &TranscriptReport) {
        if let Some(is_longer) = report.exceeds_asked_length() {
            self.judged += 1;
            self.longer += u64::from(is_longer);
            self.shorter_changed += u64::from(!is_longer && report.changes());
        }
    }
}

/// The sums of one stage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct StageTotals {
    /// Transcripts that the stage changed.
    pub transcripts: u64,
    /// Results evicted, arguments truncated, results pruned or messages summarized.
    /// Stage overflow counts one edit for each transcript.
    pub edits: u64,
    /// The tokens saved. Negative if the stage was allowed to add tokens.
    pub tokens_saved: i64,
}

add_fields!(StageTotals: transcripts, edits, tokens_saved);

impl AddAssign<&Self> for RunTotals {
    fn add_assign(&mut self, other: &Self) {
        self.transcripts += other.transcripts;
        self.compacted += other.compacted;
        self.unchanged += other.unchanged;
        self.failed += other.failed;
        self.messages_before += other.messages_before;
        self.messages_after += other.messages_after;
        self.tokens_before += other.tokens_before;
        self.tokens_after += other.tokens_after;
        self.counters.extend(&other.counters);
        self.over_limit += other.over_limit;
        self.lengths += other.lengths;
        add_some(&mut self.recall, other.recall);
        for (reason, stayed) in &other.stayed {
            *self.stayed.entry(reason.clone()).or_default() += *stayed;
        }
        for (stage, sums) in &other.stages {
            *self.stages.entry(*stage).or_default() += *sums;
        }
        add_some(&mut self.asked, other.asked.as_ref());
        add_some(&mut self.converted, other.converted.as_ref());
        add_some(&mut self.redacted, other.redacted);
    }
}

impl RunTotals {
    /// Returns the number of transcripts that `--check` objects to: those that reach the length that
    /// the user named, or those that change if no length was named.
    pub(crate) fn objections(&self) -> u64 {
        if self.lengths.judged > 0 { self.lengths.longer } else { self.compacted }
    }

    /// Returns true if secrets were to be masked and some stay in messages that keep their bytes.
    pub(crate) fn leaves_secrets(&self) -> bool {
        self.redacted.is_some_and(|redacted| redacted.left > 0)
    }

    /// Returns a line that says what `--check` found, where it compares lengths.
    pub(crate) fn check_line(&self) -> Option<String> {
        let lengths = self.lengths;
        (lengths.judged > 0).then(|| {
            let shorter = match lengths.shorter_changed {
                0 => String::new(),
                1 => "; a shorter one changes, too".to_owned(),
                count => format!("; {} shorter ones change, too", group_count(count)),
            };
            format!(
                "--check: {} of {} reach the length that --trigger or --max-tokens names{shorter}",
                group_count(lengths.longer),
                count_nouns(lengths.judged, "transcript"),
            )
        })
    }

    /// Adds a transcript. `is_over_limit` is true if its result exceeds a limit.
    pub(crate) fn add_report(&mut self, report: &TranscriptReport, is_over_limit: bool) {
        self.transcripts += 1;
        match report.status {
            TranscriptStatus::Compacted => {
                self.compacted += 1;
                self.add_stages(report);
            }
            TranscriptStatus::Unchanged => self.unchanged += 1,
            TranscriptStatus::Failed => self.failed += 1,
        }
        self.messages_before += report.messages_before as u64;
        self.messages_after += report.messages_after as u64;
        self.tokens_before += report.tokens_before as u64;
        self.tokens_after += report.tokens_after as u64;
        self.over_limit += u64::from(is_over_limit);
        self.lengths.add_report(report);
        // A record that could not be read was not counted.
        if report.tokens_before > 0 {
            self.counters.insert(report.counter);
        }
        if let Some(reason) = StayReason::from_report(report) {
            *self.stayed.entry(reason).or_default() +=
                StayedTranscripts { transcripts: 1, most_tokens: report.total_tokens as u64 };
        }
        add_some(&mut self.recall, report.recall);
        add_some(&mut self.redacted, report.redacted);
        let converted = report.converted.as_ref().map(ConversionTotals::from_outcome);
        add_some(&mut self.converted, converted.as_ref());
        add_some(&mut self.asked, report.asked.as_ref());
    }

    /// Adds the sums of each stage that changed a transcript.
    fn add_stages(&mut self, report: &TranscriptReport) {
        // Stage overflow keeps the summary and shrinks other messages further.
        let applied = || report.reasons.iter().filter(|reason| reason.applies);
        let has_overflow = applied().any(|reason| reason.stage == Stage::Overflow);
        for reason in applied() {
            let edits = match reason.stage {
                Stage::Evict => report.evicted.len(),
                Stage::Truncate => report.truncated_args,
                Stage::Cut => report.shortened_results.unwrap_or(0),
                Stage::Dedup => report.deduplicated.unwrap_or(0),
                Stage::Prune => report.pruned,
                Stage::Summarize => report.summarized_messages,
                Stage::Overflow => 1,
            };
            // The plan doesn't count the text of the summary, so the last stage ends with the
            // final count.
            let is_last = match reason.stage {
                Stage::Evict | Stage::Truncate | Stage::Cut | Stage::Dedup | Stage::Prune => false,
                Stage::Summarize => !has_overflow,
                Stage::Overflow => true,
            };
            let tokens_after = if is_last { report.tokens_after } else { reason.tokens_after };
            let sums = self.stages.entry(reason.stage).or_default();
            sums.transcripts += 1;
            sums.edits += edits as u64;
            sums.tokens_saved += reason.tokens_before as i64 - tokens_after as i64;
        }
    }
}
