//! Stage overflow: what is still above its limit shrinks step by step until it
//! fits; where it can't, it stays as the stages before left it, and says so.
//!
//! The steps: a shorter summary, every result that gets smaller by it evicted,
//! old arguments truncated and old results pruned, fewer exchanges kept. Each
//! builds on the one before it; a step that the policy rules out is passed over.

use crate::plan::{Edit, Stage, Summary};
use crate::planner::draft::{BUDGET_MIN, Draft, LEAST_ROOM, Saved, plural};
use crate::policy::{OnGrowth, Prune, SummarizerKind};
use crate::strategy::evict::evict;
use crate::strategy::{prune, tail, truncate};
use std::collections::BTreeSet;

/// Tokens that are left free: a text and its frame counted together may cost a little more than apart.
const SLACK: usize = 4;

impl Draft<'_, '_> {
    /// Brings the transcript below what it must fit, if it is above.
    pub(super) fn overflow(&mut self) {
        let Some(limit) = self
            .input
            .thresholds
            .fit
            .map(|limit| usize::try_from(limit).unwrap_or(usize::MAX))
        else {
            return;
        };
        let before = self.summarized.unwrap_or_else(|| self.total());
        let most = before + self.summary().map_or(0, |summary| summary.hole.budget);
        // A summary takes its whole budget at the worst.
        if most <= limit
            && self.summary().is_none_or(|summary| {
                self.room(summary, before, limit)
                    .is_some_and(|room| summary.hole.budget <= room)
            })
        {
            return;
        }
        let summarized = self.summarized;
        self.regular.clone_from(&self.edits);
        if self.shrink(limit, before) {
            let after = self.summarized.unwrap_or_else(|| self.total());
            let why = format!(
                "up to {most} tokens are more than the limit of {limit}: {}",
                self.steps().join(", ")
            );
            return self.reason(Stage::Overflow, true, [before, after], why);
        }
        let why = format!("can't fit {limit} tokens: {}; left as it is", self.sizes());
        (self.edits, self.summarized) = (std::mem::take(&mut self.regular), summarized);
        let mut before = before;
        if self.fallback && self.input.policy.on_growth == OnGrowth::Skip {
            self.edits
                .retain(|edit| !matches!(edit, Edit::Summarize(_)));
            self.summarized = None;
            for reason in self
                .reasons
                .iter_mut()
                .filter(|reason| reason.stage == Stage::Summarize)
            {
                (reason.applies, reason.tokens_after, before) =
                    (false, reason.tokens_before, reason.tokens_before);
                reason.why.push_str("; not done, as it would not fit");
            }
        }
        let mut touched: Saved = self
            .input
            .ledger
            .messages
            .iter()
            .copied()
            .enumerate()
            .collect();
        self.apply_overlay(&mut touched);
        self.reason(Stage::Overflow, false, [before; 2], why);
    }

    fn summary(&self) -> Option<&Summary> {
        summary(&self.edits)
    }

    /// What is in the plan by this stage: an edit of what is summarised in the end was made for nothing, and is none of it.
    fn steps(&self) -> Vec<String> {
        let regular = places_of(&self.regular);
        let new = |stage: Stage| {
            self.edits
                .iter()
                .filter(|edit| edit.stage() == stage && !regular.contains(&place(edit)))
                .count()
        };
        let edits = [
            (Stage::Evict, "result", "evicted"),
            (Stage::Truncate, "argument", "truncated"),
            (Stage::Prune, "result", "pruned"),
        ];
        let edits = edits
            .map(|(stage, noun, done)| (new(stage), noun, done))
            .into_iter()
            .filter(|(count, ..)| *count > 0);
        let mut steps: Vec<String> = edits
            .map(|(count, noun, done)| format!("{} {done}", plural(count, &format!("more {noun}"))))
            .collect();
        let earlier = summary(&self.regular);
        if let Some(now) = self.summary() {
            if earlier.is_none_or(|earlier| earlier.first_kept != now.first_kept) {
                let left = plural(
                    self.input.transcript.messages.len() - now.first_kept,
                    "message",
                );
                steps.push(format!("only {left} kept, from message {}", now.first_kept));
            }
            if earlier.is_none_or(|earlier| earlier.hole.budget != now.hole.budget) {
                steps.push(format!("a summary of at most {} tokens", now.hole.budget));
            }
        }
        steps
    }

    /// Takes steps until it fits.
    fn shrink(&mut self, limit: usize, before: usize) -> bool {
        let transcript = self.input.transcript;
        let kept = self
            .summary()
            .map_or(transcript.system_prefix_len(), |summary| summary.first_kept);
        let places = self.places(kept);
        let last = places.last().copied().unwrap_or(kept);
        if self.settle(kept, limit, before, BUDGET_MIN) {
            return true;
        }
        if self.evict_all(kept) > 0 && self.settle(kept, limit, before, BUDGET_MIN) {
            return true;
        }
        if self.truncate_old(kept, last) + self.prune_old(kept, last) > 0
            && self.settle(kept, limit, before, BUDGET_MIN)
        {
            return true;
        }
        // Fewer messages are fewer tokens: the first place that fits is found by halves.
        for least in [BUDGET_MIN, LEAST_ROOM] {
            let at = places
                .partition_point(|&place| self.settled(place, limit, before, least).is_none());
            if let Some(&place) = places.get(at).or(places.last())
                && self.settle(place, limit, before, least)
            {
                return true;
            }
        }
        false
    }

    /// Where a summary may end behind message `kept`: between exchanges, and the last one stays.
    fn places(&self, kept: usize) -> Vec<usize> {
        let transcript = self.input.transcript;
        let count = transcript.messages.len();
        let end = if self.input.policy.summarize.replay {
            tail::last_asked(transcript).min(count.saturating_sub(1))
        } else {
            count.saturating_sub(1)
        };
        let parted = tail::parted(transcript);
        let begins = |index: &usize| {
            let message = &transcript.messages[*index];
            !parted[*index]
                && !message.role.is_result()
                && !message.role.is_system()
                && !message.earlier_summary
        };
        (kept + 1..=end).filter(begins).collect()
    }

    /// Whether it fits with a summary of what lies before message `kept`; or as it is, where nothing lies there.
    fn settle(&mut self, kept: usize, limit: usize, before: usize, least: usize) -> bool {
        if kept <= self.input.transcript.system_prefix_len() {
            return self.total() <= limit.min(before);
        }
        if self.settled(kept, limit, before, least).is_none() {
            return false;
        }
        // What is summarised goes to the summarizer and into the history whole.
        let regular = places_of(&self.regular);
        let mut touched: Saved = self
            .edits
            .iter()
            .filter_map(Edit::message)
            .filter(|index| *index < kept)
            .map(|index| (index, 0))
            .collect();
        self.edits.retain(|edit| {
            edit.message().is_none_or(|index| index >= kept) || regular.contains(&place(edit))
        });
        self.apply_overlay(&mut touched);
        let Some((summary, after)) = self.settled(kept, limit, before, least) else {
            return false;
        };
        self.edits
            .retain(|edit| !matches!(edit, Edit::Summarize(_)));
        self.edits.push(Edit::Summarize(summary));
        self.summarized = Some(after);
        true
    }

    /// The summary of what lies before message `kept`, with a budget that fits; and the tokens with its frame.
    fn settled(
        &self,
        kept: usize,
        limit: usize,
        before: usize,
        least: usize,
    ) -> Option<(Summary, usize)> {
        if self.input.policy.summarizer.kind == SummarizerKind::None {
            return None;
        }
        let (mut summary, after) = self.cut_at(self.total(), kept).ok()?;
        let room = self.room(&summary, after, limit)?;
        if after > before || room < LEAST_ROOM.max(least.min(summary.hole.budget)) {
            return None;
        }
        summary.hole.budget = summary.hole.budget.min(room);
        Some((summary, after))
    }

    /// What a summary's text may cost within the limit, where its frame alone leaves `after` tokens.
    fn room(&self, summary: &Summary, after: usize, limit: usize) -> Option<usize> {
        let framed = self.framed(summary.frame, &summary.path, "");
        let left = (0..self.input.transcript.system_prefix_len())
            .chain(summary.kept_system.iter().copied())
            .chain(summary.first_kept..self.ledger.messages.len());
        let plain = self.ledger.tools
            + framed
            + left.map(|index| self.ledger.messages[index]).sum::<usize>();
        // Reported usage raises the total by a factor that can only fall as the summary gets longer.
        let most = (limit as u128 * plain as u128) / (after.max(1) as u128);
        usize::try_from(most)
            .unwrap_or(usize::MAX)
            .checked_sub(plain)?
            .checked_sub(SLACK)
    }

    fn evict_all(&mut self, kept: usize) -> usize {
        if self.unwritten(Stage::Evict).is_some() {
            return 0;
        }
        let (input, known) = (self.input, self.edited(Stage::Evict));
        let named = input.candidates.iter().zip(&input.names.results);
        let new = named.filter(|(one, _)| one.message >= kept && !known.contains(&one.message));
        self.add(
            new.map(|(one, name)| {
                Edit::Evict(evict(input.transcript, one, &name.file, &name.path))
            })
            .collect(),
        )
    }

    fn truncate_old(&mut self, kept: usize, last: usize) -> usize {
        if self.unwritten(Stage::Truncate).is_some() {
            return 0;
        }
        let cuts = truncate::truncations(self.view(), &self.input.policy.truncate, last);
        let known = places_of(&self.edits);
        let new = cuts
            .into_iter()
            .filter(|cut| cut.message >= kept)
            .map(Edit::Truncate)
            .filter(|edit| !known.contains(&place(edit)));
        self.add(new.collect())
    }

    fn prune_old(&mut self, kept: usize, last: usize) -> usize {
        if self.unwritten(Stage::Prune).is_some() {
            return 0;
        }
        let policy = Prune {
            enabled: true,
            protect: 0,
            minimum: 0,
            skip_turns: 0,
            rescan: true,
            every_result: true,
            ..self.input.policy.prune.clone()
        };
        let known = self.edited(Stage::Prune);
        let found = prune::scan(self.view(), self.ledger.counter, &policy)
            .prunable
            .into_iter();
        let new = found
            .filter(|one| (kept..last).contains(&one.message) && !known.contains(&one.message));
        self.add(new.map(Edit::Prune).collect())
    }

    /// Makes edits that the plan does not have yet, but for those that make their message no smaller; tells how many.
    fn add(&mut self, new: Vec<Edit>) -> usize {
        if new.is_empty() {
            return 0;
        }
        let (added, earlier, mut saved) = (places_of(&new), self.edits.len(), Saved::new());
        self.edits.extend(new);
        self.edits.sort_by_key(place);
        self.apply_overlay(&mut saved);
        let smaller = |index: usize| {
            saved
                .get(&index)
                .is_some_and(|tokens| self.ledger.messages[index] < *tokens)
        };
        self.edits
            .retain(|edit| !added.contains(&place(edit)) || edit.message().is_some_and(smaller));
        self.apply_overlay(&mut saved);
        self.edits.len() - earlier
    }

    /// The messages that a stage's edits change.
    fn edited(&self, stage: Stage) -> BTreeSet<usize> {
        self.edits
            .iter()
            .filter(|edit| edit.stage() == stage)
            .filter_map(Edit::message)
            .collect()
    }

    /// What stays in any case, and what it costs.
    fn sizes(&self) -> String {
        let (transcript, tokens) = (self.input.transcript, &self.ledger.messages);
        let last = self
            .places(transcript.system_prefix_len())
            .last()
            .copied()
            .unwrap_or_else(|| transcript.system_prefix_len());
        let system: usize = (0..last)
            .filter(|&index| transcript.messages[index].role.is_system())
            .map(|index| tokens[index])
            .sum();
        let kept: usize = tokens[last.min(tokens.len())..].iter().sum();
        let count = tokens.len().saturating_sub(last);
        let largest = (last..tokens.len()).max_by_key(|&index| tokens[index]);
        let largest = largest.map(|index| {
            format!(
                ", {} of them message {index} ({})",
                tokens[index],
                transcript.messages[index].role.name()
            )
        });
        let summary = match self.input.policy.summarizer.kind {
            SummarizerKind::None => "there is no summarizer".to_owned(),
            _ => format!(
                "a summary's frame {}",
                self.framed(
                    self.input.policy.summarize.frame,
                    &self.input.names.history_path,
                    ""
                )
            ),
        };
        format!(
            "the last {} cost{} {kept} tokens{}, system messages {system}, tool schemas {}, {summary}",
            plural(count, "message"),
            if count == 1 { "s" } else { "" },
            largest.unwrap_or_default(),
            self.ledger.tools,
        )
    }
}

fn summary(edits: &[Edit]) -> Option<&Summary> {
    edits.iter().find_map(|edit| {
        if let Edit::Summarize(summary) = edit {
            Some(summary)
        } else {
            None
        }
    })
}

/// What an edit changes, and by which stage: no two of a plan have the same. In this order they stand in it.
type Place = (Stage, usize, usize, usize);

fn place(edit: &Edit) -> Place {
    let (call, argument) = if let Edit::Truncate(cut) = edit {
        (cut.call, cut.place)
    } else {
        (0, 0)
    };
    (
        edit.stage(),
        edit.message().unwrap_or(usize::MAX),
        call,
        argument,
    )
}

fn places_of(edits: &[Edit]) -> BTreeSet<Place> {
    edits.iter().map(place).collect()
}
