//! The wording of reasons.

use crate::plan::SkipCause;
use crate::policy::{Clause, ContextSize, Threshold};

/// Returns `1 argument`, `2 arguments`.
pub(super) fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Describes how far the conversation is from each clause of a trigger that does not fire.
pub(super) fn not_triggered(state: &ContextSize, clauses: &[Clause<Threshold>]) -> String {
    if clauses.is_empty() {
        return "off: no trigger".to_owned();
    }
    let distances: Vec<String> = clauses
        .iter()
        .map(|clause| clause_distances(state, clause))
        .collect();
    format!("not triggered: {}", distances.join(" or "))
}

/// Returns why a stage with this trigger, which does not fire, changes nothing.
pub(super) fn untriggered_cause(clauses: &[Clause<Threshold>]) -> SkipCause {
    if clauses.is_empty() {
        SkipCause::Off
    } else {
        SkipCause::BelowTrigger
    }
}

/// Describes how far the conversation is from each threshold of a clause.
pub(super) fn clause_distances(state: &ContextSize, clause: &Clause<Threshold>) -> String {
    let parts: Vec<String> = clause
        .0
        .iter()
        .map(|part| state.describe_distance(*part))
        .collect();
    parts.join(" and ")
}
