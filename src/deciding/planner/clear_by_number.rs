//! Stage prune by the number of results, and what its reasons say. The planner looks at a whole call,
//! the meter at sums; both decide by the same rules.

use crate::deciding::plan::{Edit, SkipCause, Stage};
use crate::deciding::planner::draft::Draft;
use crate::deciding::planner::trigger_state::last_used_tokens;
use crate::deciding::planner::wording::plural;
use crate::deciding::policy::{LeastCleared, OnGrowth, Prune, PruneMeasure};
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

/// Why stage prune changes nothing.
pub(super) struct ClearRefusal {
    pub(super) cause: SkipCause,
    pub(super) why: String,
}

impl PruneState {
    /// Returns the beginning of the reason, if the call is large enough to be pruned.
    pub(super) fn triggered(self, policy: &Prune) -> Result<String, ClearRefusal> {
        let Self { tokens, results } = self;
        let rule = if tokens > policy.trigger {
            format!("{tokens} tokens are more than {}", policy.trigger)
        } else if policy.results > 0 && results as u64 >= policy.results {
            format!("{results} results are at least {}", policy.results)
        } else {
            return Err(ClearRefusal {
                cause: SkipCause::BelowTrigger,
                why: format!("not triggered: {tokens} of more than {} tokens", policy.trigger),
            });
        };
        let results = plural(results, "result");
        Ok(format!("{rule}; of {results} the newest {} stay", policy.keep))
    }
}

impl ClearCount {
    /// Returns why nothing is cleared, if that needs no look at the call afterwards.
    pub(super) fn refusal(self, policy: &Prune, rule: &str) -> Option<ClearRefusal> {
        if self.cleared == 0 {
            return Some(ClearRefusal {
                cause: SkipCause::NothingToRemove,
                why: format!("{rule}, no other may be cleared"),
            });
        }
        let (saved, least) = (self.saved, policy.clear_at_least);
        let is_short = saved < i64::try_from(least).unwrap_or(i64::MAX);
        (policy.at_least == LeastCleared::Need && is_short).then(|| ClearRefusal {
            cause: SkipCause::NotWorthIt,
            why: format!("{rule}; only {saved} tokens would go, fewer than {least}"),
        })
    }

    /// Returns why nothing is cleared where the call would only get larger.
    pub(super) fn growth(self, rule: &str) -> ClearRefusal {
        let results = plural(self.cleared, "result");
        ClearRefusal {
            cause: SkipCause::NotWorthIt,
            why: format!(
                "{rule}; {results} would only get longer and stay as they are (on_growth)"
            ),
        }
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
    pub(super) fn clear_results(&mut self, before: usize) {
        if let Err(refusal) = self.try_to_clear(before) {
            self.skip_stage(Stage::Prune, before, refusal.cause, refusal.why);
        }
    }

    fn try_to_clear(&mut self, before: usize) -> Result<(), ClearRefusal> {
        let policy = &self.input.policy.prune;
        let rule = self.prune_state(before).triggered(policy)?;
        let pin = &self.input.policy.pin;
        let cleared = clear::clear_results(self.view(), self.ledger.counter, policy, pin);
        let count = ClearCount::from(&cleared);
        if let Some(refusal) = count.refusal(policy, &rule) {
            return Err(refusal);
        }
        let edit_count = self.edits.len();
        let prunings = cleared.prunings.into_iter().map(Edit::Prune);
        self.edits.extend(prunings);
        self.recount_edited();
        let after = self.call_tokens();
        if self.input.policy.on_growth == OnGrowth::Skip && after > before {
            self.withdraw_edits(edit_count);
            return Err(count.growth(&rule));
        }
        self.record_stage(Stage::Prune, before, after, count.done(policy, &rule));
        Ok(())
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
