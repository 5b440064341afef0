//! Stage prune by the number of results, and what its reasons say. The planner looks at a whole call,
//! the meter at sums; both decide by the same rules.

use crate::deciding::planner::prelude::*;
use crate::deciding::strategy::clear::{self, ClearedResults};

/// The size of a call as stage prune looks at it.
#[derive(Clone, Copy)]
pub(super) struct PruneState {
    pub(super) tokens: u64,
    /// The number of tool results.
    pub(super) results: usize,
}

/// What stage prune finds to clear by the number of results.
#[derive(Clone, Copy)]
pub(super) struct ClearCount {
    /// The number of results that may be cleared.
    pub(super) candidates: usize,
    /// The number of those that are.
    pub(super) cleared: usize,
    /// The tokens saved.
    pub(super) saved: i64,
}

impl PruneState {
    /// Returns the beginning of the reason, if the call is large enough to be pruned.
    pub(super) fn triggered(self, policy: &Prune) -> Result<String, Refusal> {
        let Self { tokens, results } = self;
        let rule = if tokens > policy.trigger {
            format!("{tokens} tokens are more than {}", policy.trigger)
        } else if policy.results > 0 && results as u64 >= policy.results {
            format!("{results} results are at least {}", policy.results)
        } else {
            let why = format!("not triggered: {tokens} of more than {} tokens", policy.trigger);
            return Err(Refusal::new(SkipCause::BelowTrigger, why));
        };
        let results = plural(results, "result");
        Ok(format!("{rule}; of {results} the newest {} stay", policy.keep))
    }
}

impl ClearCount {
    /// Fails if nothing is cleared, and that needs no look at the call afterwards.
    pub(super) fn judge(self, policy: &Prune, rule: &str) -> Result<(), Refusal> {
        if self.cleared == 0 {
            let why = format!("{rule}, no other may be cleared");
            return Err(Refusal::new(SkipCause::NothingToRemove, why));
        }
        let (saved, least) = (self.saved, policy.clear_at_least);
        let is_short = saved < i64::try_from(least).unwrap_or(i64::MAX);
        if policy.at_least == LeastCleared::Need && is_short {
            let why = format!("{rule}; only {saved} tokens would go, fewer than {least}");
            return Err(Refusal::new(SkipCause::NotWorthIt, why));
        }
        Ok(())
    }

    /// Returns why nothing is cleared where the call would only get larger.
    pub(super) fn growth(self, rule: &str) -> Refusal {
        let results = plural(self.cleared, "result");
        let why =
            format!("{rule}; {results} would only get longer and stay as they are (on_growth)");
        Refusal::new(SkipCause::NotWorthIt, why)
    }

    /// Says what was cleared.
    pub(super) fn done(self, policy: &Prune, rule: &str) -> String {
        let left = self.candidates - self.cleared;
        let stopped = if left > 0 {
            format!(", {left} more stay: {} tokens are reached", policy.clear_at_least)
        } else {
            String::new()
        };
        format!("{rule}; {} cleared{stopped}", plural(self.cleared, "result"))
    }
}

impl From<&ClearedResults> for ClearCount {
    fn from(results: &ClearedResults) -> Self {
        Self {
            candidates: results.candidates,
            cleared: results.prunings.len(),
            saved: results.saved,
        }
    }
}

impl Draft<'_, '_> {
    /// Stage prune by the number of results. `before` are the tokens of the call.
    pub(super) fn clear_results(&mut self, before: usize) -> Result<String, Refusal> {
        let policy = &self.input.policy.prune;
        let rule = self.prune_state(before).triggered(policy)?;
        let pin = &self.input.policy.pin;
        let cleared = clear::clear_results(self.view(), self.ledger.counter, policy, pin);
        let count = ClearCount::from(&cleared);
        count.judge(policy, &rule)?;
        if !self.prune_as_whole(before, cleared.prunings) {
            return Err(count.growth(&rule));
        }
        Ok(count.done(policy, &rule))
    }

    /// Returns the size that stage prune compares with its trigger. `tokens` are those of the call.
    fn prune_state(&self, tokens: usize) -> PruneState {
        let transcript = self.input.transcript;
        let head = transcript.system_prefix_len();
        let results = clear::counted_results(transcript, &self.input.policy.prune).len();
        let tokens = match self.input.policy.prune.measure {
            PruneMeasure::Messages => {
                let messages: usize = self.ledger.messages[head..].iter().sum();
                messages as u64
            }
            PruneMeasure::Used => last_used_tokens(self.input.transcript)
                .filter(|used| *used > 0)
                .unwrap_or(tokens as u64),
        };
        PruneState { tokens, results }
    }
}
