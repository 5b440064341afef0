//! The next model call, as far as the sums foresee it.

use crate::planner::meter::sums::{Meter, Reach};
use crate::policy::{
    ContextSize, KeepCount, OnGrowth, PruneMeasure, PruneRule, SummarizerKind, TriggerMeasure,
};

/// The next model call if nothing is summarized.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outlook {
    /// Tokens of the call, after eviction, truncation and pruning.
    pub tokens: usize,
    /// The tokens of it that triggers compare.
    pub counted: usize,
    /// The number of arguments truncated in it.
    pub truncated_args: usize,
    /// The messages truncated and the results pruned in it.
    pub reach: Reach,
    /// True if the planner must decide, because the call may be summarized or exceed its limit.
    pub needs_planner: bool,
}

impl Meter<'_> {
    /// Returns the next model call as long as nothing is summarized.
    #[must_use]
    pub(crate) fn outlook(&self) -> Outlook {
        let messages = (self.decision_end() - self.head) as u64;
        let events = self.events_before(self.decision_end());
        let used = self.used;
        let mut reach = Reach {
            truncated_before: 0,
            pruned: self.cleared.len(),
        };
        let mut tokens = self.call_tokens(&reach);
        let mut truncated_args = 0;
        let state = ContextSize {
            tokens: self.counted_tokens(tokens, &reach) as u64,
            messages,
            events,
            reported: None,
            used,
        };
        if state
            .first_reached(&self.thresholds.truncate_trigger)
            .is_some()
        {
            let truncated = Reach {
                truncated_before: self.first_recent(self.thresholds.truncate_keep),
                ..reach
            };
            let arguments = self.cut_before(truncated.truncated_before).arguments;
            let tokens_after = self.call_tokens(&truncated);
            // Reported usage scales totals: a smaller list can count more.
            let allowed = tokens_after <= tokens || self.policy.on_growth == OnGrowth::Allow;
            if arguments > 0 && allowed {
                (reach, tokens, truncated_args) = (truncated, tokens_after, arguments);
            }
        }
        let counted = self.counted_tokens(tokens, &reach);
        let state = ContextSize {
            tokens: counted as u64,
            messages,
            events,
            reported: self.reported,
            used,
        };
        let limits = self.thresholds.estimate_limits(used);
        let state = self.measured_state(state);
        let fires = state
            .first_reached(&self.thresholds.summarize_trigger)
            .is_some()
            || limits.overflow.is_some_and(|limit| tokens as u64 > limit);
        let may_summarize =
            fires && self.policy.summarizer.kind != SummarizerKind::None && !self.keeps_all(&reach);
        let exceeds_limit = limits.fit.is_some_and(|fit| tokens as u64 > fit);
        Outlook {
            tokens,
            counted,
            truncated_args,
            reach,
            needs_planner: may_summarize
                || exceeds_limit
                || self.may_clear_results()
                || self.policy.dedup.enabled
                || self.policy.cut.tokens > 0,
        }
    }

    /// Returns the state that the trigger of a summary compares: an upper bound, where it measures
    /// what the log reports.
    fn measured_state(&self, state: ContextSize) -> ContextSize {
        let Some(usage) = self.last_usage else {
            return state;
        };
        let measured = match self.policy.summarize.measure {
            TriggerMeasure::Estimate => return state,
            TriggerMeasure::Used => usage.used,
            TriggerMeasure::Prompt => match usage.prompt {
                Some(prompt) => prompt,
                None => return state,
            },
            TriggerMeasure::Trailing => {
                let behind = usage.behind.min(self.decision_end());
                usage.used + (self.sums[self.decision_end()] - self.sums[behind]) as u64
            }
        };
        // Edits that make a message longer are not in the sums.
        let edits = self.policy.evict.tokens > 0
            || self.policy.evict.human_tokens > 0
            || self.policy.prune.enabled
            || !self.thresholds.truncate_trigger.is_empty();
        let grows = edits && self.policy.on_growth == OnGrowth::Allow;
        let tokens = if grows { u64::MAX } else { measured };
        ContextSize {
            tokens,
            reported: None,
            used: Some(tokens),
            ..state
        }
    }

    /// Returns true if stage prune may clear results for this call alone. Truncation, which comes
    /// before it, can only make fewer tokens.
    fn may_clear_results(&self) -> bool {
        let policy = &self.policy.prune;
        if !policy.enabled || policy.rule != PruneRule::Results {
            return false;
        }
        let messages = (self.sums[self.len()] - self.sums[self.head]) as u64;
        let tokens = match policy.measure {
            PruneMeasure::Messages => messages,
            PruneMeasure::Used if self.policy.on_growth == OnGrowth::Allow => u64::MAX,
            PruneMeasure::Used => self
                .used
                .unwrap_or(0)
                .max(self.call_tokens(&Reach::default()) as u64),
        };
        tokens > policy.trigger || policy.results > 0 || policy.trigger == 0
    }

    /// Returns true if the usage of the last answer says that the agent summarizes before its turn
    /// ends: results are not cleared then.
    #[must_use]
    pub(crate) fn summarizes_first(&self) -> bool {
        let state = ContextSize {
            tokens: 0,
            messages: 0,
            events: 0,
            reported: None,
            used: self.used,
        };
        self.policy
            .summarizes_before_pruning(self.thresholds, &state)
    }

    /// Returns true if the keep rule keeps all messages, before the cutoff is moved to a safe
    /// place.
    fn keeps_all(&self, reach: &Reach) -> bool {
        let end = self.decision_end();
        let messages = end - self.head;
        match self.thresholds.summarize_keep {
            KeepCount::Turns { .. }
            | KeepCount::Events(_)
            | KeepCount::Recent(_)
            | KeepCount::Characters(_)
            | KeepCount::Half { .. } => false,
            KeepCount::Messages(keep) => messages <= keep,
            KeepCount::Tokens(target) => {
                self.scaled_tokens(self.head..end, self.tools, reach) as u64 <= target
                    || messages <= 1
            }
        }
    }

    /// Returns the same message as
    /// [`truncate::first_recent`](crate::strategy::truncate::first_recent), by the sums.
    fn first_recent(&self, keep: KeepCount) -> usize {
        match keep {
            // The settings refuse the others as a keep of this stage.
            KeepCount::Turns { .. }
            | KeepCount::Events(_)
            | KeepCount::Recent(_)
            | KeepCount::Characters(_)
            | KeepCount::Half { .. } => self.head,
            KeepCount::Messages(keep) => self.head.max(self.len().saturating_sub(keep)),
            KeepCount::Tokens(target) => self.first_within(target),
        }
    }

    /// Returns the first message of the longest tail of at most `target` tokens, or the first of
    /// all if the newest message alone exceeds the target.
    fn first_within(&self, target: u64) -> usize {
        let reach = Reach {
            truncated_before: 0,
            pruned: self.cleared.len(),
        };
        let count = self.len();
        let tokens_before =
            |message: usize| self.sums[message] as i64 - self.saved_before(message, &reach);
        let total = tokens_before(count);
        let (mut first, mut end) = (self.head, count + 1);
        while first < end {
            let middle = first.midpoint(end);
            if (total - tokens_before(middle)) as u64 > target {
                first = middle + 1;
            } else {
                end = middle;
            }
        }
        if first == count { self.head } else { first }
    }
}
