//! The report of one transcript: an entry of `report.json`.

use crate::base::names::names;
use crate::convert::notes::ConversionOutcome;
use crate::deciding::plan::{Plan, Reason, SkipCause, Stage};
use crate::deciding::policy::AskedLength;
use crate::reading::transcript::Transcript;
use crate::reporting::report::summary_usage::SummaryUsage;
use crate::reporting::report::token_counts::ReportedUsage;
use crate::reporting::report::{numbers::group_count, redaction::RedactionCounts};
use crate::reporting::retention::RetentionScores;
use serde::{Deserialize, Serialize};

/// The result of processing a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(crate) enum TranscriptStatus {
    /// No stage had anything to do. The transcript is written as it was read.
    #[default]
    Unchanged,
    /// The transcript was changed as planned.
    Compacted,
    /// An error occurred. The transcript is written as it was read.
    Failed,
}

names!(pub(crate) TranscriptStatus::name: Unchanged "unchanged", Compacted "compacted",
    Failed "failed");

/// The report of one transcript, or of one record that could not be read.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct TranscriptReport {
    /// The thread id. Null for a record that could not be read.
    pub thread_id: Option<String>,
    /// The input file.
    pub file: String,
    /// The line where the first record begins.
    pub line: u64,
    /// The column of the error, if a single byte caused it.
    pub column: Option<u64>,
    /// The format.
    pub format: Option<&'static str>,
    /// The model.
    pub model: Option<String>,
    /// The input limit of the model, in tokens.
    pub input_limit: Option<u64>,
    /// The name of the token counter.
    pub counter: &'static str,
    /// The usage that the log reports for a model call, beside the count. Absent if none is
    /// reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<ReportedUsage>,
    /// The tokens of the system prompt by its parts. Absent if the policy names no part that the
    /// log lacks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<SystemTokens>,
    /// Messages as logged.
    pub messages_before: usize,
    /// Messages in the output.
    pub messages_after: usize,
    /// Tokens of a model call with the transcript as logged, with system messages and tool schemas.
    pub tokens_before: usize,
    /// Tokens that the trigger compared: after eviction, truncation and pruning.
    pub total_tokens: usize,
    /// Tokens of a model call with the output.
    pub tokens_after: usize,
    /// True if the output contains a summary.
    pub summarized: bool,
    /// The index of the first kept message, not counting a leading system message.
    pub cutoff_index: Option<usize>,
    /// The index of the first kept message in the record's own list. Null if none is kept.
    pub first_kept: Option<usize>,
    /// The number of messages that the summary replaces.
    pub summarized_messages: usize,
    /// The number of truncated arguments.
    pub truncated_args: usize,
    /// The call ids of evicted results, in order.
    pub evicted: Vec<String>,
    /// The files of evicted results and messages, relative to the archive directory. Pages link to
    /// them; data names them by `evicted`.
    #[serde(skip)]
    pub evicted_files: Vec<String>,
    /// The number of pruned results.
    pub pruned: usize,
    /// The number of results that became a reference to a later one. Absent if none did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deduplicated: Option<usize>,
    /// The number of results that were shortened. Absent if none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shortened_results: Option<usize>,
    /// The path of the history, relative to the archive directory.
    pub archive: Option<String>,
    /// The result.
    pub status: TranscriptStatus,
    /// The retention of identifiers that later messages need. Absent if it was not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recall: Option<RetentionScores>,
    /// The decision of each stage, with its reason.
    pub reasons: Vec<Reason>,
    /// The usage of the model that wrote the summary. Absent if no model was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<SummaryUsage>,
    /// The conversion to another format. Absent if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub converted: Option<ConversionOutcome>,
    /// Secrets masked in the request, the summary and the archive. Absent if nothing was to be
    /// masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redacted: Option<RedactionCounts>,
    /// The trigger of stage summarize, in words. It is not part of the JSON, where the reason of
    /// the stage names it.
    #[serde(skip)]
    pub trigger: Option<String>,
    /// The least number of tokens that fires this trigger. It is not part of the JSON either.
    #[serde(skip)]
    pub trigger_tokens: Option<u64>,
    /// What stage summarize keeps, in words. It is not part of the JSON either.
    #[serde(skip)]
    pub keep: Option<String>,
    /// The lengths that the user named. They are not part of the JSON.
    #[serde(skip)]
    pub asked_length: AskedLength,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// The error.
    pub error: Option<String>,
}

impl TranscriptReport {
    /// Creates the report of a record that could not be read.
    pub(crate) fn unreadable(
        file: &str,
        line: u64,
        format: Option<&'static str>,
        counter: &'static str,
        error: String,
    ) -> Self {
        Self {
            file: file.to_owned(),
            line,
            format,
            counter,
            status: TranscriptStatus::Failed,
            error: Some(error),
            ..Self::default()
        }
    }

    /// Returns the file and line of the transcript, as `file:line`.
    pub(crate) fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }

    /// Returns what was decided, for a person who watches a run: the place, the tokens before and
    /// after, and the reasons of the stages that changed something, or of the last one.
    pub(crate) fn decision_line(&self) -> String {
        let thread = self.thread_id.as_deref().unwrap_or_default();
        let status = self.status.name();
        let before = group_count(self.tokens_before as u64);
        let tokens = if self.changes() {
            let after = group_count(self.tokens_after as u64);
            format!("{before} -> {after} tokens")
        } else {
            format!("{before} tokens")
        };
        let applied = self.reasons.iter().filter(|reason| reason.applies);
        let mut reasons: Vec<&Reason> = applied.collect();
        if reasons.is_empty() {
            reasons.extend(self.reasons.last());
        }
        let reasons =
            reasons.into_iter().map(|reason| format!("; {}: {}", reason.stage.name(), reason.why));
        let reasons: String = reasons.collect();
        format!("{} {thread} {status}, {tokens}{reasons}", self.place())
    }

    /// Returns true if the plan changes anything.
    pub(crate) fn changes(&self) -> bool {
        self.status == TranscriptStatus::Compacted
    }

    /// Returns true if the transcript reaches the trigger or exceeds the limit that the user named,
    /// whatever was done about it. None if the user named neither.
    pub(crate) fn exceeds_asked_length(&self) -> Option<bool> {
        let AskedLength { trigger, tokens, max_tokens } = self.asked_length;
        let decided = self.reasons.iter().find(|reason| {
            reason.stage == Stage::Summarize && reason.skip_cause != Some(SkipCause::Off)
        });
        let fires = decided
            .filter(|_| trigger)
            .map(|reason| reason.skip_cause != Some(SkipCause::BelowTrigger));
        // As it was logged, too: before the trigger is looked at, results may be evicted.
        let longest = self.total_tokens.max(self.tokens_before) as u64;
        let judged =
            [fires, tokens.map(|least| longest >= least), max_tokens.map(|most| longest > most)];
        let mut judged = judged.into_iter().flatten().peekable();
        judged.peek()?;
        Some(judged.any(|is_long| is_long))
    }

    /// Records that no decision was made. The transcript is written as it was read.
    pub(crate) fn record_unplanned(&mut self) {
        self.error = None;
        self.status = TranscriptStatus::Unchanged;
    }

    /// Records the figures of a plan that was applied.
    pub(crate) fn record_applied(&mut self, plan: &Plan, transcript: &Transcript<'_>) {
        self.messages_before = plan.messages_before;
        self.messages_after = plan.messages_after;
        self.tokens_before = plan.tokens_before;
        self.total_tokens = plan.total_tokens;
        self.tokens_after = plan.tokens_after;
        self.truncated_args = plan.truncations().count();
        self.pruned = plan.replaced_by(Stage::Prune);
        let replaced_by = |stage| Some(plan.replaced_by(stage)).filter(|count| *count > 0);
        self.deduplicated = replaced_by(Stage::Dedup);
        self.shortened_results = replaced_by(Stage::Cut);
        self.evicted = plan
            .evictions()
            .filter(|eviction| !eviction.human)
            .map(|eviction| eviction.call_id.clone())
            .collect();
        self.reasons.clone_from(&plan.reasons);
        self.error = None;
        self.status =
            if plan.is_empty() { TranscriptStatus::Unchanged } else { TranscriptStatus::Compacted };
        if let Some(summary) = plan.summary() {
            self.summarized = true;
            self.cutoff_index = Some(summary.cutoff);
            let first_kept = Some(summary.first_kept).filter(|first| *first < plan.messages_before);
            self.first_kept = first_kept.map(|index| transcript.element_index(index));
            self.summarized_messages = summary.messages.len();
        }
    }

    /// Records a plan that could not be applied, and the error.
    pub(crate) fn record_not_applied(&mut self, plan: &Plan, error: String) {
        self.messages_before = plan.messages_before;
        self.messages_after = plan.messages_before;
        self.tokens_before = plan.tokens_before;
        self.total_tokens = plan.total_tokens;
        self.tokens_after = plan.tokens_before;
        self.reasons.clone_from(&plan.reasons);
        self.error = Some(error);
        self.status = TranscriptStatus::Failed;
    }
}

/// The tokens of the parts of a system prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct SystemTokens {
    /// The prompt without sections: that of the log, else the policy's.
    pub base: usize,
    /// The section of the memory.
    pub memory: usize,
    /// The section of the skills.
    pub skills: usize,
    /// The tool schemas.
    pub tools: usize,
    /// True if triggers and limits count what the log lacks.
    pub counted: bool,
    /// Tokens that every call is counted with for what the log lacks.
    pub added: usize,
}
