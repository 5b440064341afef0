//! What a replay says of a thread, and of all threads under one policy.

use crate::compaction::CompactionNotes;
use crate::conversation::Conversation;
use crate::model::{Price, Prices};
use crate::replay::cache::CallSums;
use crate::report::{RedactionCounts, SummaryUsageTotals, TranscriptStatus};
use serde::Serialize;
use std::collections::BTreeSet;
use std::ops::AddAssign;

/// One thread under one policy, or a record that could not be read.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Entry {
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
    /// Tokens of all calls under the policy, and how the prompt cache served them.
    pub(crate) sent: CallSums,
    /// The same without any policy.
    pub(crate) logged: CallSums,
    /// Tokens that the policy saves; below 0 where it costs some.
    pub(crate) tokens_saved: i64,
    pub(crate) largest_call: Option<LargestCall>,
    /// Tokens of the largest call without any policy.
    pub(crate) largest_logged: usize,
    /// Calls over the limit.
    pub(crate) refused_calls: usize,
    pub(crate) refused_calls_logged: usize,
    pub(crate) compactions: Vec<Compaction>,
    pub(crate) failed_summaries: usize,
    /// Calls in which arguments were cut.
    pub(crate) truncated_calls: usize,
    /// Call ids of evicted results, in order.
    pub(crate) evicted: Vec<String>,
    /// Samples of training data.
    pub(crate) samples: usize,
    /// Tokens of those that are too long.
    pub(crate) samples_too_long: Vec<usize>,
    /// What the input of all calls costs; null where the model's price is not known.
    pub(crate) cost: Option<Cost>,
    /// What summaries took of a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) asked: Option<SummaryUsageTotals>,
    /// Secrets that were masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) redacted: Option<RedactionCounts>,
    pub(crate) archive: Option<String>,
    pub(crate) status: TranscriptStatus,
    pub(crate) warnings: Vec<String>,
    pub(crate) error: Option<String>,
}

/// One compaction.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Compaction {
    /// The message that the call brings forth.
    pub(crate) at: usize,
    /// First kept message, a leading system message not counted.
    pub(crate) cutoff_index: usize,
    /// How many effective messages the summary stands for.
    pub(crate) summarized_messages: usize,
    pub(crate) tokens_before: usize,
    pub(crate) tokens_after: usize,
}

/// The call that sent the most.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct LargestCall {
    pub(crate) at: usize,
    pub(crate) tokens: usize,
}

/// US dollars for the input of calls.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Cost {
    /// Under the policy.
    pub(crate) sent: Dollars,
    /// Without any policy.
    pub(crate) logged: Dollars,
}

/// With and without the prompt cache.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Dollars {
    /// As if there were no cache.
    pub(crate) uncached: f64,
    /// With it; null where the price of cached input is not known.
    pub(crate) cached: Option<f64>,
}

impl AddAssign for Dollars {
    fn add_assign(&mut self, other: Self) {
        self.uncached += other.uncached;
        self.cached = self
            .cached
            .zip(other.cached)
            .map(|(one, other)| one + other);
    }
}

const MILLION: f64 = 1e6;

impl Dollars {
    #[expect(clippy::cast_precision_loss)]
    fn of(sums: &CallSums, price: Price) -> Self {
        let fresh = (sums.tokens - sums.cached) as f64 / MILLION;
        let cached = price.cached_input.map(|cached| {
            sums.cached as f64 / MILLION * cached + fresh * price.cache_write.unwrap_or(price.input)
        });
        Self {
            uncached: sums.tokens as f64 / MILLION * price.input,
            cached,
        }
    }
}

impl Entry {
    /// A record that could not be read.
    pub(crate) fn unreadable(
        file: &str,
        line: u64,
        column: Option<u64>,
        format: Option<&'static str>,
        counter: &'static str,
        error: String,
    ) -> Self {
        Self {
            thread_id: None,
            file: file.to_owned(),
            line,
            column,
            format,
            model: None,
            input_limit: None,
            counter,
            messages: 0,
            calls: 0,
            sent: CallSums::default(),
            logged: CallSums::default(),
            tokens_saved: 0,
            largest_call: None,
            largest_logged: 0,
            refused_calls: 0,
            refused_calls_logged: 0,
            compactions: Vec::new(),
            failed_summaries: 0,
            truncated_calls: 0,
            evicted: Vec::new(),
            samples: 0,
            samples_too_long: Vec::new(),
            cost: None,
            asked: None,
            redacted: None,
            archive: None,
            status: TranscriptStatus::Failed,
            warnings: Vec::new(),
            error: Some(error),
        }
    }

    /// A thread before its first call.
    pub(crate) fn of(one: &Conversation<'_>, file: &str, counter: &'static str) -> Self {
        let mut entry = Self::unreadable(
            file,
            one.line(),
            None,
            Some(one.format.name()),
            counter,
            String::new(),
        );
        entry.thread_id = Some(one.thread_id.clone());
        entry.model.clone_from(&one.model);
        entry.input_limit = one.input_limit;
        entry.messages = one.transcript.messages.len();
        entry.warnings = one.warnings().cloned().collect();
        (entry.status, entry.error) = (TranscriptStatus::Unchanged, None);
        entry
    }

    /// Something went wrong with the whole thread: nothing of it is handed on.
    pub(crate) fn fail(&mut self, error: String) {
        let warnings = std::mem::take(&mut self.warnings);
        let mut failed = Self::unreadable(
            &self.file,
            self.line,
            self.column,
            self.format,
            self.counter,
            error,
        );
        failed.thread_id = self.thread_id.take();
        failed.model = self.model.take();
        (failed.asked, failed.redacted) = (self.asked.take(), self.redacted);
        (failed.input_limit, failed.messages, failed.warnings) =
            (self.input_limit, self.messages, warnings);
        *self = failed;
    }

    /// Takes down what came up while a summary was made.
    pub(crate) fn note(&mut self, noted: CompactionNotes) {
        if let Some(asked) = &noted.asked {
            *self.asked.get_or_insert_default() += asked;
        }
        if let Some(redacted) = noted.redacted {
            *self.redacted.get_or_insert_default() += redacted;
        }
        self.warnings.extend(noted.warnings);
    }

    /// CallSums up, when all calls are made.
    pub(crate) fn close(&mut self, prices: &Prices) {
        self.tokens_saved = self.logged.tokens as i64 - self.sent.tokens as i64;
        let price = self
            .model
            .as_deref()
            .and_then(|model| prices.find_price(model));
        self.cost = price.map(|price| Cost {
            sent: Dollars::of(&self.sent, price),
            logged: Dollars::of(&self.logged, price),
        });
    }
}

/// CallSums over threads under one policy.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Totals {
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
    /// Who counted the tokens.
    pub(crate) counters: BTreeSet<&'static str>,
    pub(crate) largest_call: usize,
    pub(crate) largest_logged: usize,
    pub(crate) refused_calls: u64,
    pub(crate) refused_calls_logged: u64,
    pub(crate) samples: u64,
    pub(crate) samples_too_long: u64,
    /// Over the threads whose model's price is known.
    pub(crate) cost: Option<Cost>,
    /// Calls of threads whose model's price is not known.
    pub(crate) calls_without_price: u64,
    /// What summaries took of a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) asked: Option<SummaryUsageTotals>,
    /// Secrets that were masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) redacted: Option<RedactionCounts>,
}

impl Totals {
    pub(crate) fn add(&mut self, entry: &Entry) {
        self.transcripts += 1;
        match entry.status {
            TranscriptStatus::Compacted => self.compacted += 1,
            TranscriptStatus::Unchanged => self.unchanged += 1,
            TranscriptStatus::Failed => self.failed += 1,
        }
        self.calls += entry.calls as u64;
        self.compactions += entry.compactions.len() as u64;
        self.failed_summaries += entry.failed_summaries as u64;
        self.truncated_calls += entry.truncated_calls as u64;
        self.evicted += entry.evicted.len() as u64;
        self.sent += entry.sent;
        self.logged += entry.logged;
        self.tokens_saved += entry.tokens_saved;
        self.counters
            .extend((entry.calls > 0).then_some(entry.counter));
        self.largest_call = self.largest_call.max(
            entry
                .largest_call
                .as_ref()
                .map_or(0, |largest| largest.tokens),
        );
        self.largest_logged = self.largest_logged.max(entry.largest_logged);
        self.refused_calls += entry.refused_calls as u64;
        self.refused_calls_logged += entry.refused_calls_logged as u64;
        self.samples += entry.samples as u64;
        self.samples_too_long += entry.samples_too_long.len() as u64;
        if let Some(asked) = &entry.asked {
            *self.asked.get_or_insert_default() += asked;
        }
        if let Some(redacted) = entry.redacted {
            *self.redacted.get_or_insert_default() += redacted;
        }
        match (entry.cost, &mut self.cost) {
            (None, _) => self.calls_without_price += entry.calls as u64,
            (Some(cost), None) => self.cost = Some(cost),
            (Some(cost), Some(sum)) => {
                sum.sent += cost.sent;
                sum.logged += cost.logged;
            }
        }
    }
}
