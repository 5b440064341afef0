//! What a call shows of the list, and what two calls have in common. The
//! running sums know how far stages reach; what stage overflow does besides is
//! kept as edits.

use crate::plan::{Edit, Plan, Stage, overlay_edits};
use crate::planner::Reach;
use crate::replay::effective::{Effective, Seat};
use crate::strategy::truncate::find_truncations_in;
use crate::transcript::Role;
use crate::transcript::overlay::Overlay;
use crate::transcript::view::TranscriptView;
use std::collections::BTreeSet;
use std::rc::Rc;

/// What a call shows otherwise than it was logged.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Shown {
    pub(crate) reach: Reach,
    /// All edits, in the order of their messages, where stage overflow acted.
    pub(crate) shrunk: Option<Rc<[Edit]>>,
}

impl Shown {
    /// What a plan shows, where the sums found this `reach`.
    pub(crate) fn of(plan: &Plan, reach: &Reach) -> Self {
        let shrunk = plan
            .reasons
            .iter()
            .any(|reason| reason.stage == Stage::Overflow && reason.applies);
        if !shrunk {
            return Self {
                reach: *reach,
                shrunk: None,
            };
        }
        let cleared: BTreeSet<usize> = plan.prunings().map(|pruning| pruning.message).collect();
        // Of a result that was evicted and cleared nothing is seen of the first.
        let is_seen = |edit: &&Edit| {
            edit.message().is_some_and(|message| {
                !matches!(edit, Edit::Evict(_)) || !cleared.contains(&message)
            })
        };
        Self {
            reach: Reach::default(),
            shrunk: Some(sorted(plan.edits.iter().filter(is_seen).cloned().collect()).into()),
        }
    }

    /// How many results are pruned.
    pub(crate) fn pruned_results(&self) -> usize {
        match &self.shrunk {
            Some(edits) => edits
                .iter()
                .filter(|edit| matches!(edit, Edit::Prune(_)))
                .count(),
            None => self.reach.pruned,
        }
    }

    /// The same after the messages from `kept` on have moved to where they begin at `place`; those before are gone, and
    /// `pruned` results are left that stage prune had cleared.
    pub(crate) fn moved(&self, kept: usize, place: usize, pruned: usize) -> Self {
        let bound = |bound: usize| {
            if bound > kept {
                place + bound - kept
            } else {
                0
            }
        };
        let reach = Reach {
            truncated_before: bound(self.reach.truncated_before),
            pruned,
        };
        let moved =
            |edit: &Edit| Some(at(edit.clone(), place + edit.message()?.checked_sub(kept)?));
        Self {
            reach,
            shrunk: self
                .shrunk
                .as_ref()
                .map(|edits| edits.iter().filter_map(moved).collect()),
        }
    }
}

/// What a message of the list is.
#[derive(Debug, PartialEq)]
pub(crate) enum Identity {
    /// A message of the log, by its index.
    Logged(usize),
    /// Who speaks and what: a part of a summary.
    Summary(Option<(Role, String)>),
}

impl Effective<'_, '_> {
    /// All edits of the first `end` messages, in their order.
    pub(crate) fn edits(&self, shown: &Shown, end: usize) -> Vec<Edit> {
        if let Some(edits) = &shown.shrunk {
            return edits
                .iter()
                .filter(|edit| edit.message().is_some_and(|message| message < end))
                .cloned()
                .collect();
        }
        let (none, transcript, policy) = (
            Overlay::default(),
            &self.one.transcript,
            &self.settings.policy,
        );
        let view = TranscriptView {
            transcript,
            overlay: &none,
        };
        let cleared = &self.meter.cleared_results()[..shown.reach.pruned];
        let is_cleared = |message: usize| {
            cleared
                .binary_search_by_key(&message, |one| one.message)
                .is_ok()
        };
        let evictions = self.seats[..end]
            .iter()
            .filter_map(Seat::eviction)
            .filter(|eviction| !is_cleared(eviction.message))
            .cloned()
            .map(Edit::Evict);
        let cuts = self
            .meter
            .cut_messages(0..shown.reach.truncated_before.min(end));
        let truncations = cuts
            .flat_map(|index| find_truncations_in(view, &policy.truncate, index))
            .map(Edit::Truncate);
        let prunings = cleared
            .iter()
            .take_while(|one| one.message < end)
            .map(|one| self.pruning(one));
        sorted(evictions.chain(truncations).chain(prunings).collect())
    }

    /// How many of the first `len` messages two calls show alike, up to the first that they don't.
    pub(crate) fn alike(&self, ours: &Shown, theirs: &Shown, len: usize) -> usize {
        if ours.shrunk.is_some() || theirs.shrunk.is_some() {
            return first_difference(&self.edits(ours, len), &self.edits(theirs, len))
                .unwrap_or(len);
        }
        let (ours, theirs) = (&ours.reach, &theirs.reach);
        if ours == theirs {
            return len;
        }
        let cut = ours.truncated_before.min(theirs.truncated_before)
            ..ours.truncated_before.max(theirs.truncated_before);
        let pruned = ours.pruned.min(theirs.pruned)..ours.pruned.max(theirs.pruned);
        let pruned = self.meter.cleared_results()[pruned]
            .first()
            .map(|one| one.message);
        let first = self.meter.first_cut(cut).into_iter().chain(pruned).min();
        first.map_or(len, |first| first.min(len))
    }

    /// What the first `count` messages are: two lists begin alike as far as these are the same.
    pub(crate) fn identities(&self, count: usize) -> Vec<Identity> {
        let mut framed = self.framed.iter();
        let of = |seat: &Seat| {
            seat.logged.map_or_else(
                || Identity::Summary(framed.next().cloned()),
                Identity::Logged,
            )
        };
        self.seats[..count].iter().map(of).collect()
    }

    /// Tokens of the tool schemas and the first `end` messages as a call shows them.
    pub(crate) fn tokens_before(&self, end: usize, shown: &Shown) -> usize {
        if shown.shrunk.is_none() {
            return self.meter.tokens_before(end, &shown.reach);
        }
        let edits = self.edits(shown, end);
        let overlay = overlay_edits(&self.one.transcript, &edits);
        let view = TranscriptView {
            transcript: &self.one.transcript,
            overlay: &overlay,
        };
        self.one.tool_tokens
            + (0..end)
                .map(|index| self.counter.count_message(view, index))
                .sum::<usize>()
    }
}

/// Where two lists of edits, each in the order of its messages, first differ.
pub(crate) fn first_difference(ours: &[Edit], theirs: &[Edit]) -> Option<usize> {
    let same = ours
        .iter()
        .zip(theirs)
        .take_while(|(ours, theirs)| look_alike(ours, theirs))
        .count();
    let place = |edits: &[Edit]| edits.get(same).and_then(Edit::message);
    place(ours).into_iter().chain(place(theirs)).min()
}

/// Whether two edits leave the same: what a result counted before it was cleared is not seen any more.
fn look_alike(ours: &Edit, theirs: &Edit) -> bool {
    match (ours, theirs) {
        (Edit::Prune(ours), Edit::Prune(theirs)) => {
            (ours.message, &ours.placeholder) == (theirs.message, &theirs.placeholder)
        }
        _ => ours == theirs,
    }
}

/// In the order of their messages. Edits of one message stay in the order in which they were made.
fn sorted(mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.sort_by_key(Edit::message);
    edits
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

    fn edits(places: &[usize]) -> Vec<Edit> {
        let pruning = |&message: &usize| Pruning {
            message,
            call_id: "c".to_owned(),
            tool: None,
            tokens: 1,
            placeholder: "x".to_owned(),
        };
        places.iter().map(pruning).map(Edit::Prune).collect()
    }

    #[test]
    fn calls_differ_from_the_first_message_that_one_of_them_changed() {
        assert_eq!(first_difference(&edits(&[2, 5]), &edits(&[2, 5])), None);
        assert_eq!(first_difference(&edits(&[2, 5]), &edits(&[2])), Some(5));
        assert_eq!(first_difference(&edits(&[2, 5]), &edits(&[3, 5])), Some(2));
        // What was there before it was cleared is not sent; what stands there is.
        let other = |tokens: u64, placeholder: &str| {
            let pruning = Pruning {
                message: 2,
                call_id: "c".to_owned(),
                tool: None,
                tokens,
                placeholder: placeholder.to_owned(),
            };
            first_difference(&edits(&[2]), &[Edit::Prune(pruning)])
        };
        assert_eq!((other(7, "x"), other(1, "y")), (None, Some(2)));
    }

    #[test]
    fn what_has_no_new_place_is_gone() {
        let shown = Shown {
            reach: Reach {
                truncated_before: 6,
                pruned: 3,
            },
            shrunk: Some(edits(&[2, 5]).into()),
        };
        assert_eq!(
            shown.moved(4, 1, 2),
            Shown {
                reach: Reach {
                    truncated_before: 3,
                    pruned: 2
                },
                shrunk: Some(edits(&[2]).into())
            }
        );
        assert_eq!(
            shown.moved(6, 1, 0),
            Shown {
                reach: Reach {
                    truncated_before: 0,
                    pruned: 0
                },
                shrunk: Some(edits(&[]).into())
            }
        );
    }
}
