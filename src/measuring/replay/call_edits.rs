//! The edits that a call shows, and the common beginning of two calls.
//!
//! The meter's running sums describe the edits of a call by how far they reach.
//! Only the edits of stage overflow, and results replaced for one call, are kept one by one.

use crate::deciding::plan::{Edit, Plan, Stage, overlay_edits};
use crate::deciding::planner::Reach;
use crate::deciding::strategy::truncate::find_truncations_in;
use crate::measuring::replay::effective::{EffectiveList, EffectiveMessage};
use crate::reading::transcript::{Role, Transcript, overlay::Overlay, view::TranscriptView};
use std::rc::Rc;

/// The edits of the effective messages in one call.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct CallEdits {
    /// The reach of truncation and pruning. Unused if the edits are kept one by one.
    pub(crate) reach: Reach,
    /// All edits, in the order of their messages, if they hold for this call alone: stage overflow
    /// acted, or results were cleared, replaced or shortened for it.
    pub(crate) single: Option<Rc<[Edit]>>,
}

impl CallEdits {
    /// Returns edits that reach as far as the meter found.
    pub(crate) fn from_reach(reach: Reach) -> Self {
        Self { reach, single: None }
    }

    /// Returns the edits of a plan, for which the meter found `reach`.
    pub(crate) fn from_plan(plan: &Plan, reach: Reach) -> Self {
        let clears_anew = plan.prunings().count() > reach.pruned;
        if !plan.applies(Stage::Overflow) && !clears_anew {
            return Self::from_reach(reach);
        }
        let edits = plan.edits.iter().filter(|edit| edit.summary().is_none());
        Self { reach: Reach::default(), single: Some(sort_edits(edits.cloned().collect()).into()) }
    }

    /// Returns the number of results that a stage replaced.
    pub(crate) fn replaced_by(&self, stage: Stage) -> usize {
        match &self.single {
            Some(edits) => edits
                .iter()
                .filter(|edit| matches!(edit, Edit::Prune(_)) && edit.stage() == stage)
                .count(),
            None if stage == Stage::Prune => self.reach.pruned,
            None => 0,
        }
    }

    /// Returns the edits after the messages from `first_kept` on moved to `new_index`, and the
    /// messages before were removed. `pruned` results cleared by stage prune remain.
    pub(crate) fn after_removal(&self, first_kept: usize, new_index: usize, pruned: usize) -> Self {
        let truncated_before = if self.reach.truncated_before > first_kept {
            new_index + self.reach.truncated_before - first_kept
        } else {
            0
        };
        let single = self.single.as_ref().map(|edits| {
            edits
                .iter()
                .filter_map(|edit| {
                    let offset = edit.message()?.checked_sub(first_kept)?;
                    Some(move_edit(edit.clone(), new_index + offset))
                })
                .collect()
        });
        Self { reach: Reach { truncated_before, pruned }, single }
    }
}

/// The identity of an effective message. Two lists begin alike as far as their identities are
/// equal.
#[derive(Debug, PartialEq)]
pub(crate) enum MessageIdentity {
    /// A message of the log, by its index, and how often a summary cut it.
    Logged(usize, usize),
    /// A message of a summary, by its role and text.
    Summary(Option<(Role, String)>),
}

impl EffectiveList<'_, '_> {
    /// Returns all edits of the first `end` messages, in the order of the messages.
    pub(crate) fn edits_before(&self, end: usize, edits: &CallEdits) -> Vec<Edit> {
        if let Some(edits) = &edits.single {
            return edits
                .iter()
                .filter(|edit| edit.message().is_some_and(|message| message < end))
                .cloned()
                .collect();
        }
        let view = TranscriptView::logged(&self.conversation.transcript);
        let cleared = &self.meter.cleared_results()[..edits.reach.pruned];
        let is_cleared = |message: usize| {
            cleared.binary_search_by_key(&message, |result| result.message).is_ok()
        };
        let evictions = self.messages[..end]
            .iter()
            .filter_map(EffectiveMessage::eviction)
            .filter(|eviction| !is_cleared(eviction.message))
            .cloned()
            .map(Edit::Evict);
        let policy = &self.settings.policy.truncate;
        let pin = &self.settings.policy.pin;
        let truncations = self
            .meter
            .cut_messages(0..edits.reach.truncated_before.min(end))
            .flat_map(|index| find_truncations_in(view, policy, pin, index))
            .map(Edit::Truncate);
        let prunings = cleared
            .iter()
            .take_while(|result| result.message < end)
            .map(|result| self.pruning_of(result));
        sort_edits(evictions.chain(truncations).chain(prunings).collect())
    }

    /// Returns what the edits of a call put in the place of the first `end` messages' texts.
    pub(crate) fn overlay_before(&self, end: usize, edits: &CallEdits) -> Overlay {
        overlay_edits(&self.conversation.transcript, &self.edits_before(end, edits))
    }

    /// Returns how many of the first `len` messages two calls show alike, up to the first that
    /// differs.
    pub(crate) fn count_alike(&self, earlier: &CallEdits, later: &CallEdits, len: usize) -> usize {
        if earlier.single.is_some() || later.single.is_some() {
            let earlier = self.edits_before(len, earlier);
            let later = self.edits_before(len, later);
            return first_difference(&self.conversation.transcript, &earlier, &later)
                .unwrap_or(len);
        }
        let (earlier, later) = (&earlier.reach, &later.reach);
        if earlier == later {
            return len;
        }
        let first_cut = self.meter.first_cut(
            earlier.truncated_before.min(later.truncated_before)
                ..earlier.truncated_before.max(later.truncated_before),
        );
        let pruned = earlier.pruned.min(later.pruned)..earlier.pruned.max(later.pruned);
        let first_pruned = self.meter.cleared_results()[pruned]
            .iter()
            .map(|result| result.changed_caller.unwrap_or(result.message))
            .min();
        let first = first_cut.into_iter().chain(first_pruned).min();
        first.map_or(len, |first| first.min(len))
    }

    /// Returns the identities of the first `count` messages.
    pub(crate) fn identities(&self, count: usize) -> Vec<MessageIdentity> {
        let mut summary = self.summary.iter();
        self.messages[..count]
            .iter()
            .map(|message| match message.logged {
                Some(index) => MessageIdentity::Logged(index, message.times_cut),
                None => MessageIdentity::Summary(summary.next().cloned()),
            })
            .collect()
    }

    /// Returns the tokens of the tool schemas and the first `end` messages as a call shows them.
    pub(crate) fn tokens_before(&self, end: usize, edits: &CallEdits) -> usize {
        if edits.single.is_none() {
            return self.meter.tokens_before(end, &edits.reach);
        }
        let overlay = self.overlay_before(end, edits);
        let view = TranscriptView::new(&self.conversation.transcript, &overlay);
        let messages: usize = (0..end).map(|index| self.counter.count_message(view, index)).sum();
        self.conversation.tool_tokens + messages
    }
}

/// Returns the first message that two lists of edits leave differently.
///
/// The messages they leave are compared, not the edits: different edits may leave the same message,
/// such as a result that was shortened before it was cleared.
fn first_difference(
    transcript: &Transcript<'_>,
    earlier: &[Edit],
    later: &[Edit],
) -> Option<usize> {
    // Most calls change nothing of the one before, and comparing edits costs less.
    if earlier == later {
        return None;
    }
    overlay_edits(transcript, earlier).first_difference(&overlay_edits(transcript, later))
}

/// Sorts edits by their messages. Edits of the same message keep their order.
fn sort_edits(mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.sort_by_key(Edit::message);
    edits
}

/// Returns the same edit for another message.
fn move_edit(mut edit: Edit, message: usize) -> Edit {
    match &mut edit {
        Edit::Evict(eviction) => eviction.message = message,
        Edit::Truncate(truncation) => truncation.message = message,
        Edit::Prune(pruning) => {
            // Its call moves by as much.
            if let Some(inputs) = &mut pruning.inputs {
                let distance = pruning.message.saturating_sub(inputs.message);
                inputs.message = message.saturating_sub(distance);
            }
            pruning.message = message;
        }
        Edit::Summarize(_) => {}
    }
    edit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deciding::plan::{Eviction, PruneCause, Pruning};

    fn pruning(message: usize, tokens: u64, text: &str, cause: PruneCause) -> Edit {
        Edit::Prune(Pruning {
            message,
            call_id: "c".to_owned(),
            tool: None,
            tokens,
            placeholder: text.to_owned(),
            cause,
            inputs: None,
        })
    }

    fn prunings_at(messages: &[usize]) -> Vec<Edit> {
        messages.iter().map(|&message| pruning(message, 1, "x", PruneCause::Old)).collect()
    }

    fn difference(earlier: &[Edit], later: &[Edit]) -> Option<usize> {
        first_difference(&Transcript::default(), earlier, later)
    }

    #[test]
    fn calls_differ_from_the_first_message_that_only_one_of_them_changed() {
        let both = prunings_at(&[2, 5]);
        assert_eq!(difference(&both, &prunings_at(&[2, 5])), None);
        assert_eq!(difference(&both, &prunings_at(&[2])), Some(5));
        assert_eq!(difference(&both, &prunings_at(&[3, 5])), Some(2));
        // The placeholder is sent, but not the text that was there before.
        let other = |tokens: u64, placeholder: &str| {
            difference(&prunings_at(&[2]), &[pruning(2, tokens, placeholder, PruneCause::Old)])
        };
        assert_eq!((other(7, "x"), other(1, "y")), (None, Some(2)));
    }

    #[test]
    fn of_two_edits_of_one_result_only_the_later_is_sent() {
        let shortened = pruning(2, 9, "shorter", PruneCause::Shortened);
        let cleared = pruning(2, 1, "x", PruneCause::Old);
        let evicted = Edit::Evict(Eviction {
            message: 2,
            call_id: "c".to_owned(),
            tool: None,
            file: "c".to_owned(),
            notice: "moved".to_owned(),
            chars: 9,
            human: false,
        });
        for last in [cleared, evicted] {
            let alone = std::slice::from_ref(&last);
            let both = [shortened.clone(), last.clone()];
            assert_eq!(difference(&both, alone), None, "{last:?}");
            assert_eq!(difference(&both, &both[..1]), Some(2), "{last:?}");
        }
    }

    #[test]
    fn edits_of_removed_messages_are_removed() {
        let edits = CallEdits {
            reach: Reach { truncated_before: 6, pruned: 3 },
            single: Some(prunings_at(&[2, 5]).into()),
        };
        assert_eq!(
            edits.after_removal(4, 1, 2),
            CallEdits {
                reach: Reach { truncated_before: 3, pruned: 2 },
                single: Some(prunings_at(&[2]).into())
            }
        );
        assert_eq!(
            edits.after_removal(6, 1, 0),
            CallEdits {
                reach: Reach { truncated_before: 0, pruned: 0 },
                single: Some(prunings_at(&[]).into())
            }
        );
    }
}
