//! The totals of a replay under one policy.

use crate::base::sums::add_some;
use crate::measuring::replay::prompt_cache::{CallSums, ReplayCost};
use crate::measuring::replay::thread_report::ThreadReport;
use crate::reporting::report::{RedactionCounts, SummaryUsageTotals, TranscriptStatus};
use serde::Serialize;
use std::collections::BTreeSet;

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
    /// Adds a thread.
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
