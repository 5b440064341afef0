//! The decision about one conversation. [`plan`] runs the stages evict,
//! truncate, prune, dedup, cut, summarize and overflow in this order, each on the result of
//! the stage before it, and returns a [`Plan`](crate::deciding::plan::Plan).
//!
//! The planner is pure: it reads a [`PlanInput`] and changes nothing. The text of a summary is not
//! known here; [`check_summary`] and [`plan_without_summary`] judge a plan again once it is.

mod clear_by_number;
mod draft;
mod meter;
mod overflow;
mod overflow_edits;
mod plan_error;
mod prelude;
mod recheck;
mod shortening;
mod summarize;
mod wording;

pub(crate) use draft::{ArchiveNames, PlanInput, ResultName};
pub(crate) use meter::{ClearedResult, ListChange, MessageCut, Meter, Reach};
pub(crate) use plan_error::PlanError;
pub(crate) use recheck::{
    check_summary, exceeds_limit, over_limit_warning, plan_without_summary, tokens_with_summary,
};

use crate::deciding::plan::Plan;
use draft::Draft;

/// Decides what happens to one conversation before one model call.
///
/// The same input always gives the same plan. Every stage leaves a
/// [`Reason`](crate::deciding::plan::Reason) that names its rule and its numbers, also if it changes nothing;
/// stage overflow only if the result exceeds its limit.
pub(crate) fn plan(input: &PlanInput<'_, '_>) -> Plan {
    let mut draft = Draft::new(input);
    let tokens_before = draft.call_tokens();
    draft.shorten();
    let call_tokens = draft.call_tokens();
    let total_tokens = draft.counted_tokens(call_tokens);
    draft.summarize();
    draft.fit_limit();
    Plan {
        messages_before: input.transcript.messages.len(),
        messages_after: draft.messages_after(),
        tokens_before,
        total_tokens,
        call_tokens,
        tokens_after: draft.tokens_after(),
        edits: draft.edits,
        reasons: draft.reasons,
    }
}
