//! Checks a plan again once the text of its summary is known.

use crate::deciding::plan::{Plan, Reason, Refusal, SkipCause, Stage, Summary};
use crate::deciding::planner::draft::{Draft, PlanInput, last_used_tokens};
use crate::deciding::planner::plan_error::PlanError;
use crate::deciding::policy::{OnGrowth, Thresholds};

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
