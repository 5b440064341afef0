//! Folds the stages into one plan: evict, truncate, prune, summarize, overflow,
//! each on what the one before it left.

mod draft;
mod meter;
mod overflow;
mod results;

use draft::{Draft, Saved};
pub use meter::{Cleared, Cut, Meter, Outlook, Reach};

use crate::plan::{Edit, Plan, Reason, Stage, Summary};
use crate::policy::{OnGrowth, Policy, Thresholds};
use crate::strategy::evict::Candidate;
use crate::tokens::Ledger;
use crate::transcript::Transcript;

/// Names that only the whole run can give out: they are unique in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Names {
    /// The history archive as the model sees it.
    pub history_path: String,
    /// A file for each eviction candidate, in order.
    pub results: Vec<ResultName>,
}

/// The file of one evicted result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultName {
    /// Below the directory of evicted results.
    pub file: String,
    /// As the model sees it.
    pub path: String,
}

/// Everything that one decision looks at.
pub struct Input<'i, 'a> {
    /// The conversation.
    pub transcript: &'i Transcript<'a>,
    /// Its counts as logged.
    pub ledger: &'i Ledger<'i>,
    /// What the user asked for.
    pub policy: &'i Policy,
    /// Its numbers for this transcript's model.
    pub thresholds: &'i Thresholds,
    /// The model's provider, compared with that of reported usage.
    pub provider: Option<&'i str>,
    /// Results that are too large, found before names were given out.
    pub candidates: &'i [Candidate],
    /// The names that the run gave out.
    pub names: &'i Names,
    /// What stage prune cleared before earlier calls: it stays so, and none is cleared for this call. None: the stage decides.
    pub cleared: Option<&'i [Edit]>,
}

/// Decides about one transcript, for one model call.
#[must_use]
pub fn plan(input: &Input<'_, '_>) -> Plan {
    let mut draft = Draft::new(input);
    let tokens_before = draft.total();
    draft.evict();
    draft.truncate();
    draft.prune();
    let total_tokens = draft.total();
    draft.summarize(total_tokens);
    draft.overflow();
    let messages_before = input.transcript.messages.len();
    let (messages_after, tokens_after) = draft.after(messages_before);
    Plan {
        messages_before,
        messages_after,
        tokens_before,
        total_tokens,
        tokens_after,
        edits: draft.edits,
        reasons: draft.reasons,
    }
}

/// Tokens of a model call once `plan` is carried out with this summary.
#[must_use]
pub fn tokens_with(input: &Input<'_, '_>, plan: &Plan, summary: &Summary, text: &str) -> usize {
    let mut draft = Draft::new(input);
    draft.edits.clone_from(&plan.edits);
    draft.apply_overlay(&mut Saved::new());
    let framed = draft.framed(summary.frame, &summary.path, text);
    let head = 0..input.transcript.system_prefix_len();
    let left = head
        .chain(summary.kept_system.iter().copied())
        .chain(summary.first_kept..plan.messages_before);
    draft.ledger.call_tokens(draft.view(), left, Some(framed))
}

/// The plan without a summary, as it came out too long: what the stages before left. `why` replaces the reason.
#[must_use]
pub fn without_summary(input: &Input<'_, '_>, plan: &Plan, why: &str) -> Plan {
    let mut draft = Draft::new(input);
    draft.evict();
    draft.truncate();
    draft.prune();
    let tokens = plan.total_tokens;
    for reason in plan
        .reasons
        .iter()
        .filter(|reason| reason.stage >= Stage::Summarize)
    {
        draft.reason(reason.stage, false, [tokens; 2], why.to_owned());
    }
    Plan {
        messages_after: plan.messages_before,
        tokens_after: tokens,
        edits: draft.edits,
        reasons: draft.reasons,
        ..plan.clone()
    }
}

/// Why a summary that makes the whole this large can't be used.
#[must_use]
pub fn too_long(input: &Input<'_, '_>, plan: &Plan, tokens: usize) -> Option<String> {
    if input.policy.on_growth == OnGrowth::Skip && tokens > plan.total_tokens {
        return Some(format!(
            "the summary came out too long: {tokens} tokens with it, {} without (on_growth)",
            plan.total_tokens
        ));
    }
    let shrunk = plan
        .reasons
        .iter()
        .any(|reason| reason.stage == Stage::Overflow && reason.applies);
    let limit = input
        .thresholds
        .fit
        .filter(|limit| shrunk && tokens as u64 > *limit)?;
    Some(format!(
        "the summary came out too long: {tokens} tokens with it, more than the limit of {limit}"
    ))
}

/// What to say of a result that is still over its limit.
#[must_use]
pub fn over_limit(thresholds: &Thresholds, reasons: &[Reason], tokens: usize) -> Option<String> {
    let limit = thresholds.limit.filter(|limit| tokens as u64 > *limit)?;
    let tried = reasons
        .iter()
        .find(|reason| reason.stage == Stage::Overflow && !reason.applies);
    let why = tried.map_or(
        "a smaller --keep or a lower [evict] tokens may help",
        |reason| reason.why.as_str(),
    );
    Some(format!(
        "{tokens} tokens are left, more than the limit of {limit}; {why}"
    ))
}
