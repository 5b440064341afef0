//! The next model call, as far as the sums foresee it, with its reasons in the words of the
//! planner.

use crate::deciding::planner::meter::sums::{Meter, Reach};
use crate::deciding::planner::plan_error::PlanError;
use crate::deciding::planner::prelude::*;

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
    /// The decision of each stage in the planner's words, where there is one to tell of.
    pub reasons: Vec<Reason>,
}

impl Meter<'_> {
    /// Returns the next model call as long as nothing is summarized.
    pub(crate) fn outlook(&self) -> Outlook {
        let mut reach = Reach {
            truncated_before: 0,
            pruned: match self.policy.prune.rule {
                PruneRule::Tokens => self.cleared.len(),
                PruneRule::Results => 0,
            },
        };
        let logged = self.call_tokens(&reach);
        let logged_size = self.size_of(logged, &reach);
        let fires_truncation =
            logged_size.first_reached(&self.thresholds.truncate_trigger).is_some();
        let truncated_args =
            if fires_truncation { self.truncate_old(&mut reach, logged) } else { 0 };
        let may_clear = self.may_clear_results();
        let verdict = may_clear.then(|| self.clear_by_number(&mut reach));
        let tokens = self.call_tokens(&reach);
        let size = ContextSize { reported: self.reported, ..self.size_of(tokens, &reach) };
        let counted = usize::try_from(size.tokens).unwrap_or(usize::MAX);
        let limits = self.thresholds.estimate_limits(self.used);
        let size = self.measured_state(size);
        let fires = size.first_reached(&self.thresholds.summarize_trigger).is_some()
            || self.asked
            || limits.overflow.is_some_and(|limit| tokens as u64 > limit);
        // Of a call that only might grow the reasons are told, too.
        let is_due = (fires || self.may_grow())
            && self.policy.summarizer.kind != SummarizerKind::None
            && (self.asked || !self.keeps_all(&reach));
        let has_decisions = may_clear || is_due;
        let is_foreseen = !has_decisions
            || (self.can_give_reasons(fires_truncation)
                && (!may_clear || self.sums_tell_cleared()));
        let needs_planner = (fires && is_due && !self.has_no_cut())
            || limits.fit.is_some_and(|fit| tokens as u64 > fit)
            || self.policy.dedup.enabled
            || self.policy.cut.tokens > 0
            || !is_foreseen;
        let reasons = if has_decisions && !needs_planner {
            self.give_reasons(&ForeseenCall {
                logged,
                logged_size,
                pruned: reach.pruned,
                verdict: verdict.or_else(|| {
                    let policy = &self.policy.prune;
                    let by_number = policy.enabled && policy.rule == PruneRule::Results;
                    // Too small a call clears nothing, and is told so.
                    by_number.then(|| self.clear_by_number(&mut reach.clone()))
                }),
                tokens,
                size,
            })
        } else {
            Vec::new()
        };
        Outlook { tokens, counted, truncated_args, reach, needs_planner, reasons }
    }

    /// Returns the size of a call of `tokens` tokens, without what the provider reported.
    fn size_of(&self, tokens: usize, reach: &Reach) -> ContextSize {
        ContextSize {
            tokens: self.counted_tokens(tokens, reach) as u64,
            messages: (self.decision_end() - self.head) as u64,
            events: self.events_before(self.decision_end()),
            reported: None,
            used: self.used,
        }
    }

    /// Extends `reach` by the arguments that are truncated in a call of `tokens` tokens. Returns
    /// their number.
    fn truncate_old(&self, reach: &mut Reach, tokens: usize) -> usize {
        let truncated =
            Reach { truncated_before: self.first_recent(self.thresholds.truncate_keep), ..*reach };
        let arguments = self.cut_before(truncated.truncated_before).arguments;
        // Reported usage scales totals: a smaller list can count more.
        let allowed =
            self.call_tokens(&truncated) <= tokens || self.policy.on_growth == OnGrowth::Allow;
        if arguments == 0 || !allowed {
            return 0;
        }
        *reach = truncated;
        arguments
    }

    /// Returns true if the keep rule finds no place for a cut, however much there is.
    fn has_no_cut(&self) -> bool {
        match self.thresholds.summarize_keep {
            KeepCount::Characters(_) => {
                let is_before = |turn: usize| turn < self.decision_end();
                !self.second_turn.is_some_and(is_before) && !self.is_decision_answered()
            }
            _ => false,
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
            TriggerMeasure::Prompt | TriggerMeasure::Larger => match usage.prompt {
                Some(prompt) if self.policy.summarize.measure == TriggerMeasure::Prompt => prompt,
                Some(prompt) => prompt.max(state.tokens),
                None => return state,
            },
            TriggerMeasure::Trailing => {
                let behind = usage.behind.min(self.decision_end());
                usage.used + (self.sums[self.decision_end()] - self.sums[behind]) as u64
            }
        };
        let is_bound = self.policy.summarize.measure == TriggerMeasure::Trailing && self.may_grow();
        let tokens = if is_bound { u64::MAX } else { measured };
        ContextSize { tokens, reported: None, used: Some(tokens), ..state }
    }

    /// Returns true if edits that make a message longer may be made beside reported usage: they are
    /// not in the sums.
    fn may_grow(&self) -> bool {
        let edits = self.policy.evict.tokens > 0
            || self.policy.evict.human_tokens > 0
            || self.policy.prune.enabled
            || !self.thresholds.truncate_trigger.is_empty();
        let measures = self.last_usage.is_some_and(|usage| match self.policy.summarize.measure {
            TriggerMeasure::Estimate => false,
            TriggerMeasure::Prompt | TriggerMeasure::Larger => usage.prompt.is_some(),
            TriggerMeasure::Trailing => true,
        });
        edits && measures && self.policy.on_growth == OnGrowth::Allow
    }

    /// Returns true if the usage of the last answer says that the agent summarizes before its turn
    /// ends: results are not cleared then.
    pub(crate) fn summarizes_first(&self) -> bool {
        let state =
            ContextSize { tokens: 0, messages: 0, events: 0, reported: None, used: self.used };
        self.policy.summarizes_before_pruning(self.thresholds, &state)
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
            | KeepCount::Back(_)
            | KeepCount::Whole(_)
            | KeepCount::Answers(_) => false,
            KeepCount::Messages(keep) => messages <= keep,
            KeepCount::Tokens(target) => {
                self.scaled_tokens(self.head..end, self.tools, reach) as u64 <= target
                    || messages <= 1
            }
        }
    }

    /// Returns the same message as
    /// [`truncate::first_recent`](crate::deciding::strategy::truncate::first_recent), by the sums.
    fn first_recent(&self, keep: KeepCount) -> usize {
        match keep {
            // The settings refuse the others as a keep of this stage.
            KeepCount::Turns { .. }
            | KeepCount::Events(_)
            | KeepCount::Recent(_)
            | KeepCount::Characters(_)
            | KeepCount::Back(_)
            | KeepCount::Whole(_)
            | KeepCount::Answers(_) => self.head,
            KeepCount::Messages(keep) => self.head.max(self.len().saturating_sub(keep)),
            KeepCount::Tokens(target) => self.first_within(target),
        }
    }

    /// Returns the first message of the longest tail of at most `target` tokens, or the first of
    /// all if the newest message alone exceeds the target.
    fn first_within(&self, target: u64) -> usize {
        let reach = Reach { truncated_before: 0, pruned: self.cleared.len() };
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

    /// Returns true if [`Meter::give_reasons`] knows all decisions of a call.
    fn can_give_reasons(&self, fires_truncation: bool) -> bool {
        let evict = &self.policy.evict;
        let trails = self.policy.summarize.measure == TriggerMeasure::Trailing;
        evict.tokens == 0
            && evict.human_tokens == 0
            && !fires_truncation
            && !(trails && self.last_usage.is_some())
    }

    /// Returns the reasons that the planner would give.
    fn give_reasons(&self, call: &ForeseenCall) -> Vec<Reason> {
        let truncation = untriggered(&call.logged_size, &self.thresholds.truncate_trigger);
        let skipped = |stage, refusal| {
            let refusal = refuse_in_journal(self.write_mode, stage).err().unwrap_or(refusal);
            Reason::skipped(stage, call.logged, refusal)
        };
        vec![
            skipped(Stage::Evict, Refusal::new(SkipCause::Off, "off")),
            skipped(Stage::Truncate, truncation),
            self.pruned(call),
            Reason::skipped(Stage::Summarize, call.tokens, self.not_summarized(call)),
        ]
    }

    fn pruned(&self, call: &ForeseenCall) -> Reason {
        let decided = match &call.verdict {
            Some(verdict) => verdict.clone(),
            None if !self.policy.prune.enabled => Err(Refusal::new(SkipCause::Off, "off")),
            None => cleared_before(call.pruned),
        };
        let before = if call.verdict.is_some() { call.logged } else { call.tokens };
        match decided {
            Ok(why) => Reason::applied(Stage::Prune, before, call.tokens, why),
            Err(refusal) => Reason::skipped(Stage::Prune, call.logged, refusal),
        }
    }

    fn not_summarized(&self, call: &ForeseenCall) -> Refusal {
        let (size, trigger) = (&call.size, &self.thresholds.summarize_trigger);
        if self.policy.summarizer.kind == SummarizerKind::None {
            return Refusal::new(SkipCause::Off, "off: no summarizer");
        }
        let Some(rule) = summary_rule(self.thresholds, size, call.tokens) else {
            return untriggered(size, trigger);
        };
        let error = PlanError::NothingBeforeCutoff { keep: self.thresholds.summarize_keep };
        Refusal::new(error.skip_cause(), format!("{}; {error}", rule.words))
    }
}

/// What the sums say about a call in which nothing is evicted, truncated or summarized.
pub(super) struct ForeseenCall {
    /// Tokens of the call before all stages.
    pub(super) logged: usize,
    /// The size that stage truncate looks at.
    pub(super) logged_size: ContextSize,
    /// The number of results cleared.
    pub(super) pruned: usize,
    /// What stage prune decided, if it chooses results by their number.
    pub(super) verdict: Option<Result<String, Refusal>>,
    /// Tokens of the call behind stage prune.
    pub(super) tokens: usize,
    /// The size that stage summarize looks at.
    pub(super) size: ContextSize,
}
