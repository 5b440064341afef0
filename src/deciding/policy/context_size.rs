//! The size of a model call, and its comparison with thresholds.

use super::absolute_amounts::{NEVER, Threshold};
use super::amount::{Amount, Clause};

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
    use crate::deciding::policy::absolute_amounts::ModelRoom;

    #[test]
    fn an_overflow_is_judged_by_reported_usage_and_never_without_limits() {
        let overflow = |at| {
            Clause(vec![Amount::Overflow])
                .thresholds(ModelRoom { overflow: at, ..ModelRoom::default() })
                .unwrap()
                .0[0]
        };
        let state =
            |tokens, used| ContextSize { tokens, messages: 1, events: 1, reported: None, used };
        assert!(
            state(100, None).reaches(overflow(Some(100)))
                && !state(99, None).reaches(overflow(Some(100)))
        );
        assert!(
            state(0, Some(100)).reaches(overflow(Some(100)))
                && !state(1000, Some(99)).reaches(overflow(Some(100)))
        );
        assert!(!state(u64::MAX, Some(u64::MAX)).reaches(overflow(None)));
        assert!(
            state(0, None).reaches(overflow(Some(0))),
            "without usable tokens it always overflows"
        );
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
