//! The report of one replayed thread, and the totals under one policy.

use crate::base::sums::add_some;
use crate::deciding::model::Prices;
use crate::measuring::replay::prompt_cache::{CallSums, InputCost, ReplayCost};
use crate::reporting::report::{RedactionCounts, SummaryUsageTotals, TranscriptStatus};
use crate::running::compaction::CompactionNotes;
use crate::running::conversation::Conversation;
use serde::Serialize;
use std::collections::BTreeSet;

/// The report of one thread under one policy, or of a record that could not be read.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct ThreadReport {
    pub(crate) thread_id: Option<String>,
    pub(crate) file: String,
    pub(crate) line: u64,
    pub(crate) column: Option<u64>,
    pub(crate) format: Option<&'static str>,
    pub(crate) model: Option<String>,
    pub(crate) input_limit: Option<u64>,
    pub(crate) counter: &'static str,
    pub(crate) messages: usize,
    pub(crate) calls: usize,
    /// The calls under the policy.
    pub(crate) sent: CallSums,
    /// The calls without any policy.
    pub(crate) logged: CallSums,
    /// Tokens that the policy saves. Negative if it costs tokens.
    pub(crate) tokens_saved: i64,
    pub(crate) largest_call: Option<LargestCall>,
    /// Tokens of the largest call without any policy.
    pub(crate) largest_logged: usize,
    /// The number of calls over the limit.
    pub(crate) refused_calls: usize,
    pub(crate) refused_calls_logged: usize,
    pub(crate) compactions: Vec<ReplayCompaction>,
    pub(crate) failed_summaries: usize,
    /// The number of calls with truncated arguments.
    pub(crate) truncated_calls: usize,
    /// The call ids of evicted results, in order.
    pub(crate) evicted: Vec<String>,
    /// The number of training samples.
    pub(crate) samples: usize,
    /// Tokens of each sample that is too long.
    pub(crate) samples_too_long: Vec<usize>,
    /// The cost of the input of all calls. None (null) if the model's price is not known.
    pub(crate) cost: Option<ReplayCost>,
    /// The usage of the model that wrote summaries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) asked: Option<SummaryUsageTotals>,
    /// The number of secrets masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) redacted: Option<RedactionCounts>,
    pub(crate) archive: Option<String>,
    pub(crate) status: TranscriptStatus,
    pub(crate) warnings: Vec<String>,
    pub(crate) error: Option<String>,
}

/// A compaction of a thread before one call.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ReplayCompaction {
    /// The index of the message that the call produces, in the log.
    pub(crate) at: usize,
    /// The index of the first kept message, not counting a leading system message.
    pub(crate) cutoff_index: usize,
    /// The number of effective messages that the summary replaces.
    pub(crate) summarized_messages: usize,
    pub(crate) tokens_before: usize,
    pub(crate) tokens_after: usize,
}

/// The call that sent the most tokens.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct LargestCall {
    pub(crate) at: usize,
    pub(crate) tokens: usize,
}

impl ThreadReport {
    /// Returns the report of a record or file that could not be read.
    pub(crate) fn unreadable(
        file: &str,
        line: u64,
        column: Option<u64>,
        format: Option<&'static str>,
        counter: &'static str,
        error: String,
    ) -> Self {
        Self {
            file: file.to_owned(),
            line,
            column,
            format,
            counter,
            status: TranscriptStatus::Failed,
            error: Some(error),
            ..Self::default()
        }
    }

    /// Returns the report of a thread before its first call.
    pub(crate) fn new(conversation: &Conversation<'_>, file: &str, counter: &'static str) -> Self {
        Self {
            thread_id: Some(conversation.thread_id.clone()),
            file: file.to_owned(),
            line: conversation.line(),
            format: Some(conversation.format.name()),
            model: conversation.model.clone(),
            input_limit: conversation.input_limit,
            counter,
            messages: conversation.transcript.messages.len(),
            warnings: conversation.warnings().cloned().collect(),
            ..Self::default()
        }
    }

    /// Marks the whole thread as failed and resets the figures of its calls.
    pub(crate) fn fail(&mut self, error: String) {
        *self = Self {
            thread_id: self.thread_id.take(),
            model: self.model.take(),
            input_limit: self.input_limit,
            messages: self.messages,
            asked: self.asked.take(),
            redacted: self.redacted,
            warnings: std::mem::take(&mut self.warnings),
            ..Self::unreadable(&self.file, self.line, self.column, self.format, self.counter, error)
        };
    }

    /// Adds the usage, maskings and warnings of a summary.
    pub(crate) fn add_summary_notes(&mut self, notes: CompactionNotes) {
        add_some(&mut self.asked, notes.asked.as_ref());
        add_some(&mut self.redacted, notes.redacted);
        self.warnings.extend(notes.warnings);
    }

    /// Computes savings and cost once all calls are made.
    pub(crate) fn finish(&mut self, prices: &Prices) {
        self.tokens_saved = self.logged.tokens as i64 - self.sent.tokens as i64;
        let price = self.model.as_deref().and_then(|model| prices.find_price(model));
        self.cost = price.map(|price| ReplayCost {
            sent: InputCost::of_calls(&self.sent, price),
            logged: InputCost::of_calls(&self.logged, price),
        });
    }
}

/// The sums over all threads under one policy.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct ReplayTotals {
    pub(crate) transcripts: u64,
    pub(crate) compacted: u64,
    pub(crate) unchanged: u64,
    pub(crate) failed: u64,
    pub(crate) calls: u64,
    pub(crate) compactions: u64,
    pub(crate) failed_summaries: u64,
    pub(crate) truncated_calls: u64,
    pub(crate) evicted: u64,
    pub(crate) sent: CallSums,
    pub(crate) logged: CallSums,
    pub(crate) tokens_saved: i64,
    /// The names of the counters that counted the tokens.
    pub(crate) counters: BTreeSet<&'static str>,
    pub(crate) largest_call: usize,
    pub(crate) largest_logged: usize,
    pub(crate) refused_calls: u64,
    pub(crate) refused_calls_logged: u64,
    pub(crate) samples: u64,
    pub(crate) samples_too_long: u64,
    /// The cost of the threads whose model has a known price.
    pub(crate) cost: Option<ReplayCost>,
    /// The number of calls of threads whose model has no known price.
    pub(crate) calls_without_price: u64,
    /// The usage of the model that wrote summaries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) asked: Option<SummaryUsageTotals>,
    /// The number of secrets masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) redacted: Option<RedactionCounts>,
}

impl ReplayTotals {
    pub(crate) fn add_thread(&mut self, thread: &ThreadReport) {
        self.transcripts += 1;
        match thread.status {
            TranscriptStatus::Compacted => self.compacted += 1,
            TranscriptStatus::Unchanged => self.unchanged += 1,
            TranscriptStatus::Failed => self.failed += 1,
        }
        self.calls += thread.calls as u64;
        self.compactions += thread.compactions.len() as u64;
        self.failed_summaries += thread.failed_summaries as u64;
        self.truncated_calls += thread.truncated_calls as u64;
        self.evicted += thread.evicted.len() as u64;
        self.sent += thread.sent;
        self.logged += thread.logged;
        self.tokens_saved += thread.tokens_saved;
        self.counters.extend((thread.calls > 0).then_some(thread.counter));
        self.largest_call =
            self.largest_call.max(thread.largest_call.as_ref().map_or(0, |largest| largest.tokens));
        self.largest_logged = self.largest_logged.max(thread.largest_logged);
        self.refused_calls += thread.refused_calls as u64;
        self.refused_calls_logged += thread.refused_calls_logged as u64;
        self.samples += thread.samples as u64;
        self.samples_too_long += thread.samples_too_long.len() as u64;
        add_some(&mut self.asked, thread.asked.as_ref());
        add_some(&mut self.redacted, thread.redacted);
        match (thread.cost, &mut self.cost) {
            (None, _) => self.calls_without_price += thread.calls as u64,
            (Some(cost), None) => self.cost = Some(cost),
            (Some(cost), Some(sum)) => {
                sum.sent += cost.sent;
                sum.logged += cost.logged;
            }
        }
    }
}
