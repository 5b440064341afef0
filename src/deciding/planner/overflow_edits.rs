//! The edits that stage overflow adds to those of the earlier stages.

use crate::deciding::planner::prelude::*;
use crate::deciding::strategy::evict::plan_eviction;
use crate::deciding::strategy::{prune, truncate};

impl Draft<'_, '_> {
    /// Evicts all candidates from message `first_kept` on. Returns the number of evictions.
    pub(super) fn evict_all(&mut self, first_kept: usize) -> usize {
        if self.refuse_in_journal(Stage::Evict).is_err() {
            return 0;
        }
        let (input, evicted) = (self.input, self.messages_edited_by(Stage::Evict));
        let evictions = input
            .candidates
            .iter()
            .zip(&input.names.results)
            .filter(|(candidate, _)| {
                candidate.message >= first_kept
                    && !candidate.human
                    && !evicted.contains(&candidate.message)
            })
            .map(|(candidate, name)| {
                let policy = &input.policy.evict;
                plan_eviction(input.transcript, candidate, policy, &name.file, &name.path)
            })
            .map(Edit::Evict)
            .collect();
        self.add_shrinking(evictions)
    }

    /// Truncates the arguments of messages from `first_kept` to before `end`. Returns the number of
    /// truncations.
    pub(super) fn truncate_between(&mut self, first_kept: usize, end: usize) -> usize {
        if self.refuse_in_journal(Stage::Truncate).is_err() {
            return 0;
        }
        let known = edit_keys(&self.edits);
        let policy = &self.input.policy.truncate;
        let truncations =
            truncate::find_truncations(self.view(), policy, &self.input.policy.pin, end)
                .into_iter()
                .filter(|truncation| truncation.message >= first_kept)
                .map(Edit::Truncate)
                .filter(|edit| !known.contains(&edit_key(edit)))
                .collect();
        self.add_shrinking(truncations)
    }

    /// Prunes all results from message `first_kept` to before `end`. Returns the number of
    /// prunings.
    pub(super) fn prune_between(&mut self, first_kept: usize, end: usize) -> usize {
        if self.refuse_in_journal(Stage::Prune).is_err() {
            return 0;
        }
        let policy = Prune {
            enabled: true,
            protect: 0,
            minimum: 0,
            least: 0,
            skip_turns: 0,
            skip_messages: 0,
            rescan: true,
            every_result: true,
            ..self.input.policy.prune.clone()
        };
        let pruned = self.messages_edited_by(Stage::Prune);
        let (counter, pin) = (self.ledger.counter, &self.input.policy.pin);
        let found = prune::scan_results(self.view(), counter, &policy, pin, end).prunable;
        let new = found.into_iter().filter(|pruning| {
            (first_kept..end).contains(&pruning.message) && !pruned.contains(&pruning.message)
        });
        self.add_shrinking(new.map(Edit::Prune).collect())
    }

    /// Adds edits that the plan does not have yet, except those that make their message no smaller.
    /// Returns the number of edits added.
    fn add_shrinking(&mut self, new: Vec<Edit>) -> usize {
        if new.is_empty() {
            return 0;
        }
        let (new_keys, edit_count) = (edit_keys(&new), self.edits.len());
        self.edits.extend(new);
        self.edits.sort_by_key(edit_key);
        let before = self.edited_tokens();
        self.recount(before.keys().copied());
        let ledger = &self.ledger;
        self.edits.retain(|edit| {
            !new_keys.contains(&edit_key(edit))
                || edit.message().is_some_and(|index| {
                    before.get(&index).is_some_and(|tokens| ledger.messages[index] < *tokens)
                })
        });
        self.recount(before.into_keys());
        self.edits.len() - edit_count
    }

    /// Returns the messages that the edits of a stage change.
    fn messages_edited_by(&self, stage: Stage) -> BTreeSet<usize> {
        self.edits.iter().filter(|edit| edit.stage() == stage).filter_map(Edit::message).collect()
    }
}

/// The rank, message, call and argument of an edit. No two edits of a plan share a key, and edits
/// are in this order.
pub(super) type EditKey = (u8, usize, usize, usize);

pub(super) fn edit_key(edit: &Edit) -> EditKey {
    let (call, argument) = match edit {
        Edit::Truncate(truncation) => (truncation.call, truncation.place),
        Edit::Evict(_) | Edit::Prune(_) | Edit::Summarize(_) => (0, 0),
    };
    let message = edit.message().unwrap_or(usize::MAX);
    (edit_rank(edit.stage()), message, call, argument)
}

/// Returns the rank of a stage's edits. Of two edits of one result the later is seen: stage overflow
/// may evict or clear what dedup and cut replaced before.
fn edit_rank(stage: Stage) -> u8 {
    match stage {
        Stage::Dedup | Stage::Cut => 0,
        Stage::Evict => 1,
        Stage::Truncate => 2,
        Stage::Prune => 3,
        Stage::Summarize | Stage::Overflow => 4,
    }
}

pub(super) fn edit_keys(edits: &[Edit]) -> BTreeSet<EditKey> {
    edits.iter().map(edit_key).collect()
}
