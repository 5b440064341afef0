//! The thresholds of a transcript: the policy, once the limits of its model are known or known to
//! be unknown; and the size of a model call, which is compared with them.

use super::absolute_amounts::{KeepCount, MissingLimit, ModelRoom, NEVER, Threshold};
use super::amount::{Amount, Clause};
use super::policy::Policy;
use super::presets::{TRUNCATE_KEEP_WITHOUT_LIMIT, preset_defaults};
use super::stages::{OnGrowth, Summarize};
use super::summarizer::SummarizerKind;
use crate::deciding::model::KnownModel;
use std::fmt::Write;

/// The thresholds of a transcript.
#[derive(Debug, Clone, PartialEq)]
pub struct Thresholds {
    /// When to truncate.
    pub truncate_trigger: Vec<Clause<Threshold>>,
    /// The recent context that truncation leaves alone.
    pub truncate_keep: KeepCount,
    /// When to summarize.
    pub summarize_trigger: Vec<Clause<Threshold>>,
    /// The recent context that is kept.
    pub summarize_keep: KeepCount,
    /// The limits of estimated tokens.
    pub estimated: EstimateLimits,
    /// The same where the log reports what the last call used: OpenCode compares the limits of the
    /// model with nothing else.
    pub beside_usage: EstimateLimits,
    /// A result of more tokens does not fit.
    pub limit: Option<u64>,
    /// The lengths that the user named.
    pub asked: AskedLength,
}

/// The lengths of a transcript that the user named, and no preset did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AskedLength {
    /// The trigger of summaries is the user's.
    pub trigger: bool,
    /// The least number of tokens that fires it by itself.
    pub tokens: Option<u64>,
    /// The number of tokens that every result must fit.
    pub max_tokens: Option<u64>,
}

/// Limits that are compared with the estimated tokens of a call, whatever the triggers say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EstimateLimits {
    /// Summarizes above this many tokens even if no trigger fired.
    pub overflow: Option<u64>,
    /// Shrinks step by step to at most this many tokens.
    pub fit: Option<u64>,
}

impl Thresholds {
    /// Returns the limits of the estimated tokens of a conversation. `used` are the tokens that its
    /// last call used, if the log reports them.
    pub fn estimate_limits(&self, used: Option<u64>) -> EstimateLimits {
        if used.is_some() { self.beside_usage } else { self.estimated }
    }

    /// Returns the trigger of a summary in words, as `tokens=4000,messages=10 or overflow`.
    pub fn trigger_words(&self) -> String {
        let mut words = String::new();
        for clause in &self.summarize_trigger {
            let or = if words.is_empty() { "" } else { " or " };
            // Writing to a String can't fail.
            let _ = write!(words, "{or}{clause}");
        }
        words
    }

    /// Returns the least number of tokens that fires the trigger whatever else there is.
    pub fn trigger_tokens(&self) -> Option<u64> {
        least_tokens(&self.summarize_trigger)
    }
}

/// Returns the least number of tokens that fires a trigger whatever else there is.
fn least_tokens(trigger: &[Clause<Threshold>]) -> Option<u64> {
    let alone = trigger.iter().filter_map(|clause| match &*clause.0 {
        [part] if !matches!(part.amount, Amount::Messages(_) | Amount::Events(_)) => {
            Some(part.value)
        }
        _ => None,
    });
    alone.min()
}

/// Returns the smaller of two limits.
fn least(limits: [Option<u64>; 2]) -> Option<u64> {
    limits.into_iter().flatten().min()
}

impl Policy {
    /// Returns the tokens that a model has room for.
    pub fn room(&self, model: Option<&KnownModel>) -> ModelRoom {
        self.room_with(None, model)
    }

    /// Returns the tokens that a model has room for, if the log itself may name its input limit.
    pub fn room_with(&self, logged: Option<u64>, model: Option<&KnownModel>) -> ModelRoom {
        self.overflow.room(
            self.max_input_tokens.or(logged),
            model.map(|model| model.limits).unwrap_or_default(),
            model.map(|model| model.provider.as_str()),
        )
    }

    /// Returns the thresholds for a transcript whose model has this room. Fails if `[summarize]`
    /// uses a fraction and no limit is known.
    pub fn thresholds(&self, room: ModelRoom) -> Result<Thresholds, MissingLimit> {
        let defaults = preset_defaults(self.preset, room.limit.is_some());
        let summarize_trigger =
            self.summarize.trigger.as_ref().unwrap_or(&defaults.summarize_trigger);
        let summarize_keep = self.summarize.keep.unwrap_or(defaults.summarize_keep);
        let truncate_trigger = self.truncate.trigger.as_ref().unwrap_or(&defaults.truncate_trigger);
        let truncate_keep = self.truncate.keep.unwrap_or(defaults.truncate_keep);
        let asked = Some(self.overflow.max_tokens).filter(|tokens| *tokens > 0);
        let clauses =
            summarize_trigger.thresholds(room).ok_or(MissingLimit { option: "trigger" })?;
        let explicit = Some(self.overflow.limit).filter(|tokens| *tokens > 0);
        let overflow = self.overflow_limit(room, summarize_trigger.clauses.is_empty());
        let estimated = self.estimate_limits(least([overflow, room.budget]));
        Ok(Thresholds {
            // In [truncate] a fraction of an unknown limit is no error: the trigger never fires,
            // and 20 messages are kept.
            truncate_trigger: truncate_trigger
                .clauses
                .iter()
                .filter_map(|clause| clause.thresholds(room))
                .collect(),
            truncate_keep: truncate_keep
                .count_in(room)
                .unwrap_or(KeepCount::Messages(TRUNCATE_KEEP_WITHOUT_LIMIT)),
            summarize_keep: self.bounded_keep(
                summarize_keep.count_in(room).ok_or(MissingLimit { option: "keep" })?,
                room,
            ),
            estimated,
            beside_usage: if self.summarize.after_step {
                self.estimate_limits(explicit)
            } else {
                estimated
            },
            limit: least([least([least([room.limit, room.budget]), explicit]), asked]),
            asked: AskedLength {
                trigger: self.summarize.trigger.is_some(),
                tokens: least_tokens(&clauses).filter(|_| self.summarize.trigger.is_some()),
                max_tokens: asked,
            },
            summarize_trigger: clauses,
        })
    }

    /// Returns a keep that leaves something to remove wherever the trigger of the user fires, if it
    /// is the preset's and `keep_share` bounds it.
    fn bounded_keep(&self, keep: KeepCount, room: ModelRoom) -> KeepCount {
        let Summarize { trigger, keep: own, keep_share, .. } = &self.summarize;
        let trigger = trigger.as_ref().filter(|_| own.is_none() && *keep_share > 0.0);
        match trigger.and_then(|trigger| trigger.thresholds(room)) {
            Some(clauses) => keep.at_most(*keep_share, &clauses),
            None => keep,
        }
    }

    /// Returns the limits of estimated tokens, where `overflow` is the one above which a transcript
    /// is summarized.
    fn estimate_limits(&self, overflow: Option<u64>) -> EstimateLimits {
        let asked = Some(self.overflow.max_tokens).filter(|tokens| *tokens > 0);
        let overflow = least([overflow, asked]);
        EstimateLimits {
            overflow,
            // The reference summarizes once, and sends what that leaves.
            fit: if self.on_growth == OnGrowth::Allow { asked } else { overflow },
        }
    }

    /// Returns true if the usage of the last step makes the agent summarize, before its turn ends and
    /// results are cleared.
    pub(crate) fn summarizes_before_pruning(
        &self,
        thresholds: &Thresholds,
        state: &ContextSize,
    ) -> bool {
        let at_end_of_step = self.summarize.after_step && !self.prune.each_call;
        at_end_of_step
            && self.summarizer.kind != SummarizerKind::None
            && state.used.is_some()
            && state
                .first_reached(&thresholds.summarize_trigger)
                .is_some_and(|clause| clause.0.iter().any(|part| part.amount == Amount::Overflow))
    }

    /// Returns the tokens above which a transcript is summarized even if no trigger fired. An
    /// explicit limit always counts. That of the model counts only if summarizing has a trigger,
    /// and not if the reference is followed in everything: there a limit alone never triggers.
    fn overflow_limit(&self, room: ModelRoom, never_summarizes: bool) -> Option<u64> {
        match self.overflow.limit {
            0 if never_summarizes || self.on_growth == OnGrowth::Allow => None,
            0 => room.limit,
            explicit => Some(explicit),
        }
    }
}

/// The size of the next model call, which thresholds are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ContextSize {
    /// Tokens of the call.
    pub tokens: u64,
    /// Messages, not counting a leading system message.
    pub messages: u64,
    /// Events: all messages, one of several calls as many.
    pub events: u64,
    /// Tokens that the provider reported for the last answer, if they count.
    pub reported: Option<u64>,
    /// Tokens that the last model call used, if the log reports them. An overflow is judged by
    /// them.
    pub used: Option<u64>,
}

impl ContextSize {
    /// Returns the first clause that holds.
    #[inline]
    pub(crate) fn first_reached<'c>(
        &self,
        clauses: &'c [Clause<Threshold>],
    ) -> Option<&'c Clause<Threshold>> {
        clauses.iter().find(|clause| clause.0.iter().all(|threshold| self.reaches(*threshold)))
    }

    /// Returns true if the size is at least the threshold.
    #[inline]
    pub(crate) fn reaches(&self, threshold: Threshold) -> bool {
        match threshold.amount {
            Amount::Messages(_) => self.messages >= threshold.value,
            Amount::Events(_) => self.events >= threshold.value,
            Amount::Tokens(_) | Amount::Fraction(_) => {
                self.tokens >= threshold.value
                    || self.reported.is_some_and(|tokens| tokens >= threshold.value)
            }
            Amount::Overflow => {
                threshold.value != NEVER && self.used.unwrap_or(self.tokens) >= threshold.value
            }
        }
    }

    /// Describes how far the size is from a threshold, such as `3100 of 4000 tokens, 900 short`.
    pub(crate) fn describe_distance(&self, threshold: Threshold) -> String {
        let (size, unit) = match threshold.amount {
            Amount::Messages(_) => (self.messages, "messages"),
            Amount::Events(_) => (self.events, "events"),
            Amount::Tokens(_) | Amount::Fraction(_) => {
                (self.tokens.max(self.reported.unwrap_or(0)), "tokens")
            }
            Amount::Overflow if threshold.value == NEVER => {
                return "no overflow without limits of the model: give --model or --max-input-tokens"
                    .to_owned();
            }
            Amount::Overflow => self
                .used
                .map_or((self.tokens, "tokens, estimated"), |used| (used, "tokens, as reported")),
        };
        let missing = threshold.value.saturating_sub(size);
        let short = if missing > 0 { format!(", {missing} short") } else { String::new() };
        format!("{size} of {} {unit}{short}", threshold.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deciding::policy::Trigger;

    #[test]
    fn an_overflow_is_judged_by_reported_usage_and_never_without_limits() {
        let overflow = |at| {
            let room = ModelRoom { overflow: at, ..ModelRoom::default() };
            Clause(vec![Amount::Overflow]).thresholds(room).unwrap().0[0]
        };
        let state =
            |tokens, used| ContextSize { tokens, messages: 1, events: 1, reported: None, used };
        let full = || overflow(Some(100));
        assert!(state(100, None).reaches(full()) && !state(99, None).reaches(full()));
        assert!(state(0, Some(100)).reaches(full()) && !state(1000, Some(99)).reaches(full()));
        assert!(!state(u64::MAX, Some(u64::MAX)).reaches(overflow(None)));
        // Without usable tokens it always overflows.
        assert!(state(0, None).reaches(overflow(Some(0))));
    }

    #[test]
    fn all_conditions_of_any_clause_must_hold() {
        let both = Clause(vec![Amount::Tokens(50), Amount::Messages(10)]);
        let trigger = Trigger { clauses: vec![both, Clause(vec![Amount::Messages(20)])] };
        let clauses = trigger.thresholds(ModelRoom::default()).unwrap();
        let fires = |tokens, messages| {
            ContextSize { tokens, messages, events: messages, reported: None, used: None }
                .first_reached(&clauses)
                .is_some()
        };
        assert!(fires(50, 10) && fires(0, 20));
        assert!(!fires(49, 10) && !fires(1000, 9));
    }
}
