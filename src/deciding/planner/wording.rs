//! The wording of reasons.

use crate::deciding::plan::{SkipCause, Stage};
use crate::deciding::policy::{Clause, ContextSize, Threshold, Thresholds};
use crate::reading::transcript::journal::WriteMode;

/// Returns `1 argument`, `2 arguments`.
pub(super) fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Says how many results stage prune cleared before earlier calls.
pub(super) fn cleared_before(count: usize) -> String {
    format!("{} cleared before this call", plural(count, "tool result"))
}

/// Describes how far the conversation is from each clause of a trigger that does not fire.
pub(super) fn not_triggered(state: &ContextSize, clauses: &[Clause<Threshold>]) -> String {
    if clauses.is_empty() {
        return "off: no trigger".to_owned();
    }
    let distances: Vec<String> =
        clauses.iter().map(|clause| clause_distances(state, clause)).collect();
    format!("not triggered: {}", distances.join(" or "))
}

/// Returns why a stage with this trigger, which does not fire, changes nothing.
pub(super) fn untriggered_cause(clauses: &[Clause<Threshold>]) -> SkipCause {
    if clauses.is_empty() { SkipCause::Off } else { SkipCause::BelowTrigger }
}

/// Describes how far the conversation is from each threshold of a clause.
pub(super) fn clause_distances(state: &ContextSize, clause: &Clause<Threshold>) -> String {
    let parts: Vec<String> = clause.0.iter().map(|part| state.describe_distance(*part)).collect();
    parts.join(" and ")
}

/// Returns why a log's format can't hold the edits of a stage: a journal that is only appended to
/// records summaries, and in some formats cleared results.
pub(super) fn journal_refusal(mode: WriteMode, stage: Stage) -> Option<String> {
    let recorded = match mode {
        WriteMode::InPlace | WriteMode::Nowhere => return None,
        WriteMode::Appended { clears: true, .. } if stage == Stage::Prune => return None,
        WriteMode::Appended { clears: true, .. } => "summaries and cleared results",
        WriteMode::Appended { .. } => "summaries",
    };
    Some(format!(
        "not done: this journal records only {recorded}, nothing in it is rewritten (--to can)"
    ))
}

/// Why a call is to be summarized.
pub(super) struct SummaryRule {
    /// The beginning of the reason.
    pub(super) words: String,
    /// True if no trigger fired: the call only exceeds its limit.
    pub(super) is_fallback: bool,
}

/// Returns why a call of `tokens` tokens is to be summarized. Returns None if it is not.
pub(super) fn summary_rule(
    thresholds: &Thresholds,
    state: &ContextSize,
    tokens: usize,
) -> Option<SummaryRule> {
    if let Some(clause) = state.first_reached(&thresholds.summarize_trigger) {
        let distances = clause_distances(state, clause);
        return Some(SummaryRule {
            words: format!("trigger {clause} reached ({distances})"),
            is_fallback: false,
        });
    }
    let limit = thresholds.estimate_limits(state.used).overflow?;
    (tokens as u64 > limit).then(|| SummaryRule {
        words: format!("no trigger, but {tokens} tokens are more than the limit of {limit}"),
        is_fallback: true,
    })
}
