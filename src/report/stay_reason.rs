//! Reasons why transcripts stay as they are, to be counted over a run.

use crate::plan::{Reason, SkipCause, Stage};
use crate::report::transcript_report::{TranscriptReport, TranscriptStatus};

/// A reason why a transcript stays as it is. Transcripts with equal reasons are counted together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StayReason {
    cause: SkipCause,
    /// The trigger that does not fire, in words.
    trigger: Option<String>,
    /// True if the input limit of the transcript's model is known.
    knows_limit: bool,
}

impl StayReason {
    /// Returns the reason why an unchanged transcript stays, or None if it was changed or failed.
    #[must_use]
    pub(crate) fn from_report(report: &TranscriptReport) -> Option<Self> {
        (report.status == TranscriptStatus::Unchanged).then(|| {
            let reason = main_reason(&report.reasons);
            let is_below = reason.is_some_and(|reason| {
                reason.stage == Stage::Summarize
                    && reason.skip_cause == Some(SkipCause::BelowTrigger)
            });
            Self {
                cause: reason
                    .and_then(|reason| reason.skip_cause)
                    .unwrap_or(SkipCause::Off),
                trigger: report.trigger.clone().filter(|_| is_below),
                knows_limit: report.input_limit.is_some(),
            }
        })
    }

    /// Returns the reason in words, with the option that changes it.
    #[must_use]
    pub(crate) fn describe(&self) -> String {
        match (self.cause, &self.trigger) {
            (SkipCause::Off, _) => "all stages are off".to_owned(),
            (SkipCause::BelowTrigger, Some(trigger)) if self.knows_limit => {
                format!("below the trigger {trigger} (--trigger sets another)")
            }
            (SkipCause::BelowTrigger, Some(trigger)) => format!(
                "below the trigger {trigger}; their model's limit is not known (--trigger, --model)"
            ),
            (SkipCause::BelowTrigger, None) => {
                "below the trigger (--trigger sets another)".to_owned()
            }
            (SkipCause::NothingToRemove, _) => {
                "nothing to remove before what --keep leaves".to_owned()
            }
            (SkipCause::NotWorthIt, _) => "the result would not be smaller (on_growth)".to_owned(),
            (SkipCause::NotRecordable, _) => {
                "their format has no record for the change (--to writes chat transcripts)"
                    .to_owned()
            }
            (SkipCause::CannotFit, _) => "can't be brought below their limit".to_owned(),
        }
    }
}

/// Returns the reason that tells most: that of the last stage which is not off.
fn main_reason(reasons: &[Reason]) -> Option<&Reason> {
    reasons
        .iter()
        .filter(|reason| !matches!(reason.skip_cause, None | Some(SkipCause::Off)))
        .max_by_key(|reason| reason.stage)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skipped(stage: Stage, cause: SkipCause) -> Reason {
        Reason {
            stage,
            applies: false,
            why: String::new(),
            tokens_before: 0,
            tokens_after: 0,
            skip_cause: Some(cause),
        }
    }

    #[test]
    fn the_last_stage_that_is_not_off_gives_the_reason() {
        let mut report = TranscriptReport::unreadable("a.jsonl", 1, None, "approx", String::new());
        assert_eq!(StayReason::from_report(&report), None);
        report.record_unplanned();
        report.trigger = Some("tokens=170000".to_owned());
        report.reasons = vec![
            skipped(Stage::Evict, SkipCause::NothingToRemove),
            skipped(Stage::Prune, SkipCause::Off),
            skipped(Stage::Summarize, SkipCause::BelowTrigger),
        ];
        let reason = StayReason::from_report(&report).unwrap();
        assert_eq!(
            reason.describe(),
            "below the trigger tokens=170000; their model's limit is not known (--trigger, --model)"
        );
        report.input_limit = Some(8192);
        assert_ne!(StayReason::from_report(&report), Some(reason));
        report.reasons[2].skip_cause = Some(SkipCause::Off);
        let reason = StayReason::from_report(&report).unwrap();
        assert_eq!(reason.cause, SkipCause::NothingToRemove);
        assert_eq!(reason.trigger, None);
    }
}
