//! What stages prune and overflow do to a call. The running sums don't know
//! them: where they may act the planner is asked, and what it did is kept for
//! the next call to compare with.

use crate::plan::{Edit, Plan, Stage, overlay};
use crate::tokens::Counter;
use crate::transcript::Transcript;
use crate::transcript::view::View;

/// All edits of a call, where one of these stages acted; else nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Further {
    /// By the place of their message in the list.
    pub(super) edits: Vec<(usize, Edit)>,
    /// Tokens that each of those messages counts less.
    saved: Vec<(usize, i64)>,
}

impl Further {
    /// Of a plan; `tokens` are those of each message as the running sums have them.
    pub(super) fn of(plan: &Plan, transcript: &Transcript<'_>, counter: &dyn Counter, tokens: impl Fn(usize) -> usize) -> Self {
        let shrunk = plan.reasons.iter().any(|reason| reason.stage == Stage::Overflow && reason.applies);
        if !shrunk && plan.prunings().next().is_none() {
            return Self::default();
        }
        let mut edits: Vec<(usize, Edit)> = plan.edits.iter().filter_map(|edit| Some((edit.message()?, edit.clone()))).collect();
        edits.sort_by_key(|(message, _)| *message);
        let overlay = overlay(transcript, &plan.edits);
        let view = View { transcript, overlay: &overlay };
        let mut places: Vec<usize> = edits.iter().map(|(message, _)| *message).collect();
        places.dedup();
        let saved = places.into_iter().map(|place| (place, tokens(place) as i64 - counter.message(view, place) as i64)).collect();
        Self { edits, saved }
    }

    /// Whether neither stage acted.
    pub(super) fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// The first message that another call sent otherwise.
    pub(super) fn first_difference(&self, other: &Self) -> Option<usize> {
        let same = self.edits.iter().zip(&other.edits).take_while(|(ours, theirs)| ours == theirs).count();
        let place = |edits: &[(usize, Edit)]| edits.get(same).map(|(message, _)| *message);
        place(&self.edits).into_iter().chain(place(&other.edits)).min()
    }

    /// Tokens that messages before `end` count less.
    pub(super) fn saved_before(&self, end: usize) -> i64 {
        self.saved.iter().filter(|(place, _)| *place < end).map(|(_, saved)| saved).sum()
    }

    /// The same with messages moved; those without a new place are gone.
    pub(super) fn moved(&self, place: impl Fn(usize) -> Option<usize>) -> Self {
        let edits = self.edits.iter().filter_map(|(message, edit)| place(*message).map(|place| (place, at(edit.clone(), place))));
        let saved = self.saved.iter().filter_map(|(message, saved)| Some((place(*message)?, *saved)));
        Self { edits: edits.collect(), saved: saved.collect() }
    }
}

/// The same edit of another message.
fn at(mut edit: Edit, place: usize) -> Edit {
    match &mut edit {
        Edit::Evict(eviction) => eviction.message = place,
        Edit::Truncate(truncation) => truncation.message = place,
        Edit::Prune(pruning) => pruning.message = place,
        Edit::Summarize(_) => {}
    }
    edit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Pruning;

    fn further(places: &[usize]) -> Further {
        let prune = |&message: &usize| {
            let mut pruning: Pruning =
                serde_json::from_value(serde_json::json!({ "message": 0, "call_id": "c", "tool": null, "placeholder": "x", "tokens": 1 })).unwrap();
            pruning.message = message;
            (message, Edit::Prune(pruning))
        };
        Further { edits: places.iter().map(prune).collect(), saved: places.iter().map(|place| (*place, 10)).collect() }
    }

    #[test]
    fn calls_differ_from_the_first_message_that_one_of_them_changed() {
        assert_eq!(further(&[2, 5]).first_difference(&further(&[2, 5])), None);
        assert_eq!(further(&[2, 5]).first_difference(&further(&[2])), Some(5));
        assert_eq!(further(&[2, 5]).first_difference(&further(&[3, 5])), Some(2));
        assert_eq!(further(&[2, 5]).saved_before(5), 10);
        assert_eq!(further(&[2, 5]).moved(|place| place.checked_sub(4)), further(&[1]));
    }
}
