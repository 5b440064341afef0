//! The reasons of a call that the sums decide, in the words of the planner.

use crate::deciding::plan::{Reason, SkipCause, Stage};
use crate::deciding::planner::clear_by_number::ClearRefusal;
use crate::deciding::planner::error::PlanError;
use crate::deciding::planner::meter::sums::Meter;
use crate::deciding::planner::wording::{
    cleared_before, journal_refusal, not_triggered, summary_rule, untriggered_cause,
};
use crate::deciding::policy::{ContextSize, SummarizerKind, TriggerMeasure};

/// What the sums say about a call in which nothing is evicted, truncated or summarized.
pub(super) struct ForeseenCall {
    /// Tokens of the call before all stages.
    pub(super) logged: usize,
    /// The size that stage truncate looks at.
    pub(super) logged_size: ContextSize,
    /// The number of results cleared.
    pub(super) pruned: usize,
    /// What stage prune decided, if it chooses results by their number.
    pub(super) verdict: Option<Result<String, ClearRefusal>>,
    /// Tokens of the call behind stage prune.
    pub(super) tokens: usize,
    /// The size that stage summarize looks at.
    pub(super) size: ContextSize,
}

impl Meter<'_> {
    /// Returns true if [`Meter::give_reasons`] knows all decisions of a call.
    pub(super) fn can_give_reasons(&self, fires_truncation: bool) -> bool {
        let evict = &self.policy.evict;
        let trails = self.policy.summarize.measure == TriggerMeasure::Trailing;
        evict.tokens == 0
            && evict.human_tokens == 0
            && !fires_truncation
            && !(trails && self.last_usage.is_some())
    }

    /// Returns the reasons that the planner would give.
    pub(super) fn give_reasons(&self, call: &ForeseenCall) -> Vec<Reason> {
        let truncate = &self.thresholds.truncate_trigger;
        let why = not_triggered(&call.logged_size, truncate);
        vec![
            self.unless_refused(Stage::Evict, call, SkipCause::Off, "off".to_owned()),
            self.unless_refused(Stage::Truncate, call, untriggered_cause(truncate), why),
            self.pruned(call),
            self.not_summarized(call),
        ]
    }

    /// Returns the reason of a stage that changes nothing: the journal's, or `why`.
    fn unless_refused(
        &self,
        stage: Stage,
        call: &ForeseenCall,
        cause: SkipCause,
        why: String,
    ) -> Reason {
        match journal_refusal(self.write_mode, stage) {
            Some(why) => Reason::skipped(stage, call.logged, SkipCause::NotRecordable, why),
            None => Reason::skipped(stage, call.logged, cause, why),
        }
    }

    fn pruned(&self, call: &ForeseenCall) -> Reason {
        let skipped = |cause, why| Reason::skipped(Stage::Prune, call.logged, cause, why);
        let why = match &call.verdict {
            Some(Err(refusal)) => return skipped(refusal.cause, refusal.why.clone()),
            Some(Ok(why)) => why.clone(),
            None if !self.policy.prune.enabled => return skipped(SkipCause::Off, "off".to_owned()),
            None if call.pruned == 0 => {
                return skipped(SkipCause::NothingToRemove, cleared_before(0));
            }
            None => cleared_before(call.pruned),
        };
        let before = if call.verdict.is_some() { call.logged } else { call.tokens };
        Reason::applied(Stage::Prune, before, call.tokens, why)
    }

    fn not_summarized(&self, call: &ForeseenCall) -> Reason {
        let (size, tokens) = (&call.size, call.tokens);
        let (cause, why) = if self.policy.summarizer.kind == SummarizerKind::None {
            (SkipCause::Off, "off: no summarizer".to_owned())
        } else if let Some(rule) = summary_rule(self.thresholds, size, tokens) {
            let keep = self.thresholds.summarize_keep;
            let error = PlanError::NothingBeforeCutoff { keep };
            (error.skip_cause(), format!("{}; {error}", rule.words))
        } else {
            let trigger = &self.thresholds.summarize_trigger;
            (untriggered_cause(trigger), not_triggered(size, trigger))
        };
        Reason::skipped(Stage::Summarize, tokens, cause, why)
    }
}
