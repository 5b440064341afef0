//! Checks a plan again once the text of its summary is known; and the reasons why a summary can't
//! be planned or used.

use crate::deciding::plan::{Plan, Reason, Refusal, SkipCause, Stage, Summary};
use crate::deciding::planner::draft::{Draft, PlanInput, last_used_tokens};
use crate::deciding::policy::{KeepCount, OnGrowth, Thresholds};
use thiserror::Error;

/// Returns the tokens of a model call after `plan` was applied with `text` as its summary.
pub(crate) fn tokens_with_summary(
    input: &PlanInput<'_, '_>,
    plan: &Plan,
    summary: &Summary,
    text: &str,
) -> usize {
    let mut draft = Draft::new(input);
    draft.edits.clone_from(&plan.edits);
    draft.recount_edited();
    let frame = draft.framed_tokens(summary.frame, &summary.path, text);
    let kept = (0..input.transcript.system_prefix_len())
        .chain(summary.kept_before.iter().copied())
        .chain(summary.first_kept..plan.messages_before);
    draft.ledger.call_tokens(draft.view(), kept, Some(frame))
}

/// Checks that a summary can be used with which the model call has `tokens` tokens.
///
/// # Errors
///
/// - [`PlanError::SummaryGrows`] if the call gets larger and the policy skips growth.
/// - [`PlanError::SummaryOverLimit`] if stage overflow shrank the conversation and it does not fit
///   after all.
pub(crate) fn check_summary(
    input: &PlanInput<'_, '_>,
    plan: &Plan,
    tokens: usize,
) -> Result<(), PlanError> {
    let total_tokens = plan.call_tokens;
    if input.policy.on_growth == OnGrowth::Skip && tokens > total_tokens {
        return Err(PlanError::SummaryGrows { tokens, total_tokens });
    }
    let used = last_used_tokens(input.transcript);
    match input.thresholds.estimate_limits(used).fit {
        Some(limit) if plan.applies(Stage::Overflow) && tokens as u64 > limit => {
            Err(PlanError::SummaryOverLimit { tokens, limit })
        }
        _ => Ok(()),
    }
}

/// Returns `plan` without its summary, as the stages before it left the conversation. `why` becomes
/// the reason of the stages summarize and overflow.
pub(crate) fn plan_without_summary(input: &PlanInput<'_, '_>, plan: &Plan, why: &str) -> Plan {
    let mut draft = Draft::new(input);
    draft.shorten();
    let tokens = plan.call_tokens;
    for reason in &plan.reasons {
        if reason.stage >= Stage::Summarize {
            let refusal = Refusal::new(SkipCause::NotWorthIt, why);
            draft.reasons.push(Reason::skipped(reason.stage, tokens, refusal));
        }
    }
    Plan {
        messages_after: plan.messages_before,
        tokens_after: tokens,
        edits: draft.edits,
        reasons: draft.reasons,
        ..plan.clone()
    }
}

/// Returns true if a model call of `tokens` tokens exceeds the limit.
pub(crate) fn exceeds_limit(thresholds: &Thresholds, tokens: usize) -> bool {
    thresholds.limit.is_some_and(|limit| tokens as u64 > limit)
}

/// Returns the warning about a result of `tokens` tokens that still exceeds the limit, with the
/// reason of stage overflow if it tried to shrink it. Returns None if the result fits.
pub(crate) fn over_limit_warning(
    thresholds: &Thresholds,
    reasons: &[Reason],
    tokens: usize,
) -> Option<String> {
    let limit = thresholds.limit.filter(|limit| tokens as u64 > *limit)?;
    let overflow = reasons.iter().find(|reason| reason.stage == Stage::Overflow && !reason.applies);
    let why = overflow.map_or("a smaller --keep or a lower [evict] tokens may help", |reason| {
        reason.why.as_str()
    });
    Some(format!("{tokens} tokens are left, more than the limit of {limit}; {why}"))
}

/// The reason why a conversation is not summarized although a rule asks for it.
#[derive(Debug, Clone, PartialEq, Error)]
pub(crate) enum PlanError {
    /// The keep rule leaves no message before the cutoff.
    #[error("keep {keep} leaves nothing to summarise without parting a call from its results")]
    NothingBeforeCutoff { keep: KeepCount },
    /// The first message that is no system message is pinned, and can't come before a summary.
    #[error("message {message} is pinned, and this format can't keep a message before a summary")]
    PinnedFirst { message: usize },
    /// All messages before the cutoff are system messages, which are never summarized.
    #[error("only system messages lie before the cutoff")]
    OnlySystemMessages,
    /// All messages before the cutoff belong to an earlier summary.
    #[error(
        "only an earlier summary lies before the cutoff; a summary of a summary alone loses and saves nothing"
    )]
    OnlyEarlierSummary,
    /// The messages before the cutoff are hardly larger than the frame of a summary.
    #[error(
        "not worth it: {replaced} tokens would go, the summary's frame alone costs {frame} (on_growth)"
    )]
    FrameTooLarge { replaced: usize, frame: usize },
    /// The text of the summary makes the conversation larger than it was.
    #[error(
        "the summary came out too long: {tokens} tokens with it, {total_tokens} without (on_growth)"
    )]
    SummaryGrows { tokens: usize, total_tokens: usize },
    /// With the text of the summary the conversation exceeds the limit that it was shrunk to.
    #[error(
        "the summary came out too long: {tokens} tokens with it, more than the limit of {limit}"
    )]
    SummaryOverLimit { tokens: usize, limit: u64 },
}

impl PlanError {
    /// Returns the kind of reason why nothing is summarized.
    pub(super) fn skip_cause(&self) -> SkipCause {
        match self {
            Self::NothingBeforeCutoff { .. }
            | Self::PinnedFirst { .. }
            | Self::OnlySystemMessages => SkipCause::NothingToRemove,
            Self::OnlyEarlierSummary | Self::FrameTooLarge { .. } | Self::SummaryGrows { .. } => {
                SkipCause::NotWorthIt
            }
            Self::SummaryOverLimit { .. } => SkipCause::CannotFit,
        }
    }
}
