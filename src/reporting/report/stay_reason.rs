//! Reasons why transcripts stay as they are, to be counted over a run.

use crate::deciding::plan::{Reason, SkipCause, Stage};
use crate::reporting::report::numbers::count_nouns;
use crate::reporting::report::transcript_report::{TranscriptReport, TranscriptStatus};
use std::ops::AddAssign;

/// A reason why a transcript stays as it is. Transcripts with equal reasons are counted together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StayReason {
    cause: SkipCause,
    /// The trigger of the summary that is not made, in words.
    trigger: Option<String>,
    /// What a summary keeps, in words, where that is all there is.
    keep: Option<String>,
    /// True if the trigger waits, and the input limit of the transcript's model is known.
    knows_limit: bool,
}

impl StayReason {
    /// Returns the reason why an unchanged transcript stays, or None if it was changed or failed.
    pub(crate) fn from_report(report: &TranscriptReport) -> Option<Self> {
        (report.status == TranscriptStatus::Unchanged).then(|| {
            let reason = main_reason(&report.reasons);
            let skipped_for = |cause| {
                reason.is_some_and(|reason| {
                    reason.stage == Stage::Summarize && reason.skip_cause == Some(cause)
                })
            };
            let is_below = skipped_for(SkipCause::BelowTrigger);
            let keeps_all = skipped_for(SkipCause::NothingToRemove);
            Self {
                cause: reason.and_then(|reason| reason.skip_cause).unwrap_or(SkipCause::Off),
                trigger: report.trigger.clone().filter(|_| is_below || keeps_all),
                keep: report.keep.clone().filter(|_| keeps_all),
                knows_limit: is_below && report.input_limit.is_some(),
            }
        })
    }

    /// Returns the reason of these transcripts in words, with the option that changes it.
    pub(crate) fn describe(&self, stayed: StayedTranscripts) -> String {
        match (self.cause, &self.trigger) {
            (SkipCause::Off, _) => "all stages are off".to_owned(),
            (SkipCause::BelowTrigger, Some(trigger)) => {
                let largest = stayed.largest(trigger);
                if self.knows_limit {
                    format!("below the trigger {trigger}{largest} (--trigger sets another)")
                } else {
                    format!(
                        "below the trigger {trigger}{largest}; no limit is known for their model \
                         (--trigger, --model)"
                    )
                }
            }
            (SkipCause::BelowTrigger, None) => {
                "below the trigger (--trigger sets another)".to_owned()
            }
            (SkipCause::NothingToRemove, Some(trigger)) if !trigger.is_empty() => format!(
                "at the trigger {trigger}, but keep {} covers all that could go (--keep sets another)",
                self.keep.as_deref().unwrap_or_default()
            ),
            (SkipCause::NothingToRemove, _) => {
                "nothing that could go: all of it is recent, short or protected".to_owned()
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

/// The transcripts that stay for one reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct StayedTranscripts {
    /// The number of transcripts.
    pub transcripts: u64,
    /// The tokens of the largest, as a trigger compares them.
    pub most_tokens: u64,
}

impl StayedTranscripts {
    /// Returns how large the largest is, where the trigger waits for tokens.
    fn largest(self, trigger: &str) -> String {
        let tokens = count_nouns(self.most_tokens, "token");
        match self.transcripts {
            _ if !trigger.contains("token") => String::new(),
            1 => format!(", with {tokens}"),
            _ => format!(", the largest has {tokens}"),
        }
    }
}

impl AddAssign for StayedTranscripts {
    fn add_assign(&mut self, other: Self) {
        self.transcripts += other.transcripts;
        self.most_tokens = self.most_tokens.max(other.most_tokens);
    }
}

/// Returns the most informative reason: that of the last stage which is not off.
fn main_reason(reasons: &[Reason]) -> Option<&Reason> {
    reasons
        .iter()
        .filter(|reason| !matches!(reason.skip_cause, None | Some(SkipCause::Off)))
        .max_by_key(|reason| reason.stage)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deciding::plan::Refusal;

    fn skipped(stage: Stage, cause: SkipCause) -> Reason {
        Reason::skipped(stage, 0, Refusal::new(cause, ""))
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
        let mut stayed = StayedTranscripts { transcripts: 1, most_tokens: 33 };
        assert_eq!(
            reason.describe(stayed),
            "below the trigger tokens=170000, with 33 tokens; no limit is known for their model \
             (--trigger, --model)"
        );
        stayed += StayedTranscripts { transcripts: 2, most_tokens: 54_000 };
        assert!(reason.describe(stayed).contains("tokens=170000, the largest has 54,000 tokens;"));
        report.input_limit = Some(8192);
        assert_ne!(StayReason::from_report(&report), Some(reason));
        report.reasons[2].skip_cause = Some(SkipCause::Off);
        let reason = StayReason::from_report(&report).unwrap();
        assert_eq!(reason.cause, SkipCause::NothingToRemove);
        assert_eq!(reason.trigger, None);
    }
}
