//! The wording of reasons.

use crate::deciding::strategy::prelude::*;

/// Returns `1 argument`, `2 arguments`.
pub(super) fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Says how many results stage prune cleared before earlier calls. Fails if it cleared none.
pub(super) fn cleared_before(count: usize) -> Result<String, Refusal> {
    let why = format!("{} cleared before this call", plural(count, "tool result"));
    if count == 0 { Err(Refusal::new(SkipCause::NothingToRemove, why)) } else { Ok(why) }
}

/// Returns why a stage changes nothing whose trigger does not fire: how far the conversation is from
/// each clause.
pub(super) fn untriggered(state: &ContextSize, clauses: &[Clause<Threshold>]) -> Refusal {
    if clauses.is_empty() {
        return Refusal::new(SkipCause::Off, "off: no trigger");
    }
    let distances: Vec<String> =
        clauses.iter().map(|clause| clause_distances(state, clause)).collect();
    Refusal::new(SkipCause::BelowTrigger, format!("not triggered: {}", distances.join(" or ")))
}

/// Describes how far the conversation is from each threshold of a clause.
fn clause_distances(state: &ContextSize, clause: &Clause<Threshold>) -> String {
    let parts: Vec<String> = clause.0.iter().map(|part| state.describe_distance(*part)).collect();
    parts.join(" and ")
}

/// Fails if a log's format can't hold the edits of a stage: a journal that is only appended to
/// records summaries, and in some formats cleared results.
pub(super) fn refuse_in_journal(mode: WriteMode, stage: Stage) -> Result<(), Refusal> {
    let recorded = match mode {
        WriteMode::InPlace | WriteMode::Nowhere => return Ok(()),
        WriteMode::Appended { clears: true, .. } if stage == Stage::Prune => return Ok(()),
        WriteMode::Appended { clears: true, .. } => "summaries and cleared results",
        WriteMode::Appended { .. } => "summaries",
    };
    let why = format!(
        "not done: this journal records only {recorded}, nothing in it is rewritten (--to can)"
    );
    Err(Refusal::new(SkipCause::NotRecordable, why))
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
