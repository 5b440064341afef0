//! Running sums over the tool results of a list that grows. They find the
//! results that stage prune clears next without another look at old messages.

use crate::deciding::policy::Prune;
use crate::deciding::strategy::prune::PruneFinding;
use std::ops::Range;

/// Sums over all results before one message.
#[derive(Debug, Clone, Copy, Default)]
struct ResultSum {
    /// The index of the message.
    message: usize,
    /// Tokens of the results' texts.
    tokens: u64,
    /// Tokens saved if all clearable results were cleared.
    saved: i64,
    /// The number of results that can be cleared.
    clearable: usize,
}

/// A result that can be cleared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ClearableResult {
    /// The index of its message.
    pub(super) message: usize,
    /// Tokens of its text.
    pub(super) tokens: u64,
    /// Tokens that its message loses when it is cleared.
    pub(super) saved: i64,
}

/// The running sums over the results of a list.
#[derive(Debug, Clone, Default)]
pub(super) struct ResultSums {
    /// The number of messages observed.
    observed: usize,
    /// The sums before each result that counts.
    before_results: Vec<ResultSum>,
    /// The sums over all results so far.
    all: ResultSum,
    /// The messages at which a scan stops.
    stops: Vec<usize>,
    /// All results before this message are cleared, or never will be.
    cleared_before: usize,
    /// The tokens that a scan counts before `cleared_before`.
    tokens_before_cleared: u64,
}

impl ResultSums {
    /// Returns the number of messages observed.
    pub(super) fn observed(&self) -> usize {
        self.observed
    }

    /// Forgets that messages from this one on were observed. None of them is a result.
    pub(super) fn forget_from(&mut self, message: usize) {
        self.observed = self.observed.min(message);
    }

    /// Adds the finding at the next message, and the tokens that clearing it would save.
    pub(super) fn push_finding(&mut self, finding: PruneFinding, saved: i64) {
        let message = self.observed;
        self.observed += 1;
        match finding {
            PruneFinding::Nothing => {}
            PruneFinding::Stop(_) => self.stops.push(message),
            PruneFinding::Result { tokens, cleared } => {
                self.before_results.push(ResultSum { message, ..self.all });
                self.all.tokens += tokens;
                self.all.saved += if cleared { 0 } else { saved };
                self.all.clearable += usize::from(!cleared);
            }
        }
    }

    /// Returns the range of messages before `end` whose results are cleared next, the same as
    /// [`scan_results`](crate::deciding::strategy::prune::scan_results) finds. Returns None if nothing is to
    /// be cleared.
    pub(super) fn next_cleared_range(&self, policy: &Prune, end: usize) -> Option<Range<usize>> {
        let stops_before = self.stops.partition_point(|stop| *stop < end);
        let start = stops_before
            .checked_sub(1)
            .map_or(0, |last| self.stops[last] + 1)
            .max(self.cleared_before);
        let (at_start, at_end) = (self.sums_before(start), self.sums_before(end));
        // The newest results stay, as long as they and all results after them are within the
        // protected tokens.
        let old = self.before_results.partition_point(|sums| {
            sums.message < end && at_end.tokens - sums.tokens > policy.protect
        });
        let last = self.before_results[..old].last().filter(|last| last.message >= start)?;
        let behind = self.sums_before(last.message + 1);
        let mut tokens = behind.tokens - at_start.tokens;
        if start == self.cleared_before {
            tokens += self.tokens_before_cleared;
        }
        let clears = behind.clearable > at_start.clearable && tokens > policy.minimum;
        clears.then_some(start..last.message + 1)
    }

    /// Returns the clearable results in a range of messages.
    pub(super) fn clearable_in(
        &self,
        messages: Range<usize>,
    ) -> impl Iterator<Item = ClearableResult> {
        let first = self.before_results.partition_point(|sums| sums.message < messages.start);
        let before = &self.before_results[first..];
        let behind = before.iter().skip(1).chain([&self.all]);
        before
            .iter()
            .zip(behind)
            .take_while(move |(sums, _)| sums.message < messages.end)
            .filter(|(sums, behind)| behind.clearable > sums.clearable)
            .map(|(sums, behind)| ClearableResult {
                message: sums.message,
                tokens: behind.tokens - sums.tokens,
                saved: behind.saved - sums.saved,
            })
    }

    /// Marks all clearable results of a range returned by [`ResultSums::next_cleared_range`] as
    /// cleared. Later scans count `placeholder_tokens` for each.
    pub(super) fn mark_cleared(&mut self, messages: Range<usize>, placeholder_tokens: u64) {
        let at_start = self.sums_before(messages.start);
        let at_end = self.sums_before(messages.end);
        let cleared: u64 = self.clearable_in(messages.clone()).map(|result| result.tokens).sum();
        let placeholders = (at_end.clearable - at_start.clearable) as u64;
        self.tokens_before_cleared +=
            at_end.tokens - at_start.tokens - cleared + placeholders * placeholder_tokens;
        self.cleared_before = messages.end;
    }

    /// Returns the sums over all results before a message.
    fn sums_before(&self, message: usize) -> ResultSum {
        let at = self.before_results.partition_point(|sums| sums.message < message);
        self.before_results.get(at).copied().unwrap_or(self.all)
    }
}
