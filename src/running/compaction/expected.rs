//! The job of a run, and what it would do with a plan, as far as that is known before its summary is
//! written.

use crate::convert::masked_json::count_masked;
use crate::reading::json::Span;
use crate::reading::transcript::journal::WriteMode;
use crate::running::compaction::converted_lines::{ConvertedLines, ShownCompaction};
use crate::running::compaction::planned::{CompactionError, Planned};
use crate::running::compaction::prelude::*;

/// The job of a run that writes transcripts.
#[derive(Clone, Copy)]
pub(crate) enum Job {
    /// Transcripts are compacted and leave in their own format.
    Compact,
    /// Transcripts are compacted and leave in another format.
    CompactTo(Conversion),
    /// Transcripts leave in another format; nothing is decided about them.
    Convert(Conversion),
}

impl Job {
    /// Returns the conversion to another format, if there is one.
    pub(crate) fn conversion(self) -> Option<Conversion> {
        match self {
            Self::Compact => None,
            Self::CompactTo(conversion) | Self::Convert(conversion) => Some(conversion),
        }
    }

    /// Returns true if conversations are planned.
    pub(crate) fn compacts(self) -> bool {
        !matches!(self, Self::Convert(_))
    }
}

impl Planned<'_, '_> {
    /// Refuses a plan that changes something where the job has no place for the change. Fails if
    /// the log has no record of a compaction, and is to stay in its format.
    pub(super) fn require_place(&self, job: Job) -> Result<(), CompactionError> {
        match job {
            Job::Compact => require_place_in_log(self.conversation, &self.plan),
            Job::CompactTo(_) | Job::Convert(_) => Ok(()),
        }
    }

    /// Returns the report of what the job would do with the plan of a conversation of `file`, and true
    /// if the result would exceed its limit.
    pub(crate) fn expected_report(&mut self, job: Job, file: &str) -> (TranscriptReport, bool) {
        let counter = self.conversation.counter(self.settings);
        let mut report = self.conversation.report(file, counter.name());
        self.report_expected(job, &mut report);
        let over_limit = self.over_limit(self.plan.tokens_after);
        report.warnings.extend(over_limit.iter().cloned());
        (report, over_limit.is_some())
    }

    /// Reports what the job would do with the plan, as the run that does it would: also that it
    /// would fail. A plan that would fail changes nothing from here on. A summary counts with its
    /// whole budget.
    fn report_expected(&mut self, job: Job, report: &mut TranscriptReport) {
        let (conversation, redaction) = (self.conversation, self.settings.policy.redact);
        if let Err(error) = self.require_place(job) {
            report.record_not_applied(&self.plan, error.to_string());
            self.plan.abandon();
        } else {
            report.record_applied(&self.plan, &conversation.transcript);
            report.tokens_after += self.plan.summary().map_or(0, |summary| summary.hole.budget);
        }
        count_left(conversation, Some(&self.plan), job, redaction, report);
        if let Some(conversion) = job.conversion() {
            let shown = ShownCompaction::planned(self);
            let mut lines = ConvertedLines::default();
            lines.push(conversion, conversation, &shown, redaction, report);
        }
    }
}

/// Refuses a plan that changes something where the log has no place for a compaction.
pub(super) fn require_place_in_log(
    conversation: &Conversation<'_>,
    plan: &Plan,
) -> Result<(), CompactionError> {
    if plan.is_empty() || conversation.transcript.write_mode != WriteMode::Nowhere {
        return Ok(());
    }
    Err(CompactionError::NoPlaceInLog { format: conversation.format.name() })
}

/// Counts the secrets in the messages that stay as they are, where secrets are masked and the
/// messages leave in their own bytes. Without a plan all of them stay.
pub(super) fn count_left(
    conversation: &Conversation<'_>,
    plan: Option<&Plan>,
    job: Job,
    redaction: Redaction,
    report: &mut TranscriptReport,
) {
    if !redaction.is_on() || job.conversion().is_some() {
        return;
    }
    let transcript = &conversation.transcript;
    let fates = plan.map(Plan::fates);
    let is_kept = |index: usize| {
        let fate = fates.as_ref().and_then(|fates| fates.get(index));
        fate.is_none_or(|fate| matches!(fate, Fate::Kept | Fate::Truncated))
    };
    let mut spans: Vec<(usize, Span)> = (0..transcript.messages.len())
        .filter(|&index| is_kept(index))
        .map(|index| (index, transcript.messages[index].span))
        .collect();
    // Messages of one element share its place.
    spans.dedup_by_key(|(index, span)| (transcript.messages[*index].record, *span));
    let left = spans
        .into_iter()
        .map(|(index, span)| count_masked(transcript.bytes(index, span), redaction));
    let tools = transcript
        .tools
        .map_or(0, |tools| count_masked(tools.slice(transcript.records[0].bytes), redaction));
    report.redacted.get_or_insert_default().left += tools + left.sum::<u64>();
}
