//! Stage overflow: shrinks a conversation that still exceeds its limit step by step until it fits.
//! If no step is enough, the result of the earlier stages stays, and the reason says so.
//!
//! The steps are:
//!
//! 1. a shorter summary,
//! 2. every result evicted that gets smaller by it,
//! 3. old arguments truncated and old results pruned,
//! 4. fewer exchanges kept.
//!
//! Each step builds on the one before it. Steps that the policy rules out are skipped.

use crate::deciding::planner::draft::find_summary;
use crate::deciding::planner::overflow_edits::{edit_key, edit_keys};
use crate::deciding::planner::prelude::*;
use crate::deciding::planner::summarize::{BUDGET_MIN, LEAST_ROOM, PlannedSummary};
use crate::deciding::strategy::tail;

/// Tokens left free: a text and its frame may cost a little more together than apart.
const SLACK: usize = 4;

/// The bounds of one attempt to shrink a conversation.
#[derive(Clone, Copy)]
struct FitBounds {
    /// The most tokens that the model call may have.
    limit: usize,
    /// The tokens of the model call before this stage, which it must not exceed.
    tokens_before: usize,
    /// The least tokens for the text of a summary.
    least_text: usize,
}

impl Draft<'_, '_> {
    /// Stage overflow: shrinks the conversation until it fits its limit, if it exceeds the limit.
    pub(super) fn fit_limit(&mut self) {
        let used = last_used_tokens(self.input.transcript);
        let Some(limit) = self.input.thresholds.estimate_limits(used).fit else {
            return;
        };
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let before = self.tokens_after();
        let budget = self.summary().map_or(0, |summary| summary.hole.budget);
        // At worst the summary takes its whole budget.
        let most = before + budget;
        if most <= limit && self.summary_has_room(before, limit) {
            return;
        }
        let tokens_with_frame = self.tokens_with_frame;
        self.edits_before_overflow.clone_from(&self.edits);
        if self.shrink(limit, before) {
            let steps = self.describe_steps().join(", ");
            let why = format!("up to {most} tokens are more than the limit of {limit}: {steps}");
            let after = self.tokens_after();
            return self.reasons.push(Reason::applied(Stage::Overflow, before, after, why));
        }
        let why =
            format!("can't fit {limit} tokens: {}; left unchanged", self.describe_sizes(limit));
        self.edits = std::mem::take(&mut self.edits_before_overflow);
        self.tokens_with_frame = tokens_with_frame;
        let tokens = if self.is_fallback && self.input.policy.on_growth == OnGrowth::Skip {
            self.undo_fallback(before)
        } else {
            before
        };
        self.recount(0..self.input.transcript.messages.len());
        let refusal = Refusal::new(SkipCause::CannotFit, why);
        self.reasons.push(Reason::skipped(Stage::Overflow, tokens, refusal));
    }

    /// Returns true if the planned summary, if any, can use its whole budget within the limit.
    /// `after` are the tokens with its frame.
    fn summary_has_room(&self, after: usize, limit: usize) -> bool {
        self.summary().is_none_or(|summary| {
            self.text_room(summary, after, limit).is_some_and(|room| summary.hole.budget <= room)
        })
    }

    /// Removes a summary that was planned only because of the limit: it would not bring the
    /// conversation below it. Returns the tokens of the model call without the summary, or `tokens`
    /// if there was none.
    fn undo_fallback(&mut self, mut tokens: usize) -> usize {
        self.edits.retain(|edit| edit.summary().is_none());
        self.tokens_with_frame = None;
        for reason in &mut self.reasons {
            if reason.stage == Stage::Summarize {
                reason.applies = false;
                reason.skip_cause = Some(SkipCause::CannotFit);
                reason.tokens_after = reason.tokens_before;
                reason.why.push_str("; not done, as it would not fit");
                tokens = reason.tokens_before;
            }
        }
        tokens
    }

    /// Describes the effect of this stage. Edits inside the summarized range have no effect and are
    /// left out.
    fn describe_steps(&self) -> Vec<String> {
        let earlier_edits = edit_keys(&self.edits_before_overflow);
        let mut steps = Vec::new();
        for (stage, noun, verb) in [
            (Stage::Evict, "result", "evicted"),
            (Stage::Truncate, "argument", "truncated"),
            (Stage::Prune, "result", "pruned"),
        ] {
            let count = self
                .edits
                .iter()
                .filter(|edit| edit.stage() == stage && !earlier_edits.contains(&edit_key(edit)))
                .count();
            if count > 0 {
                steps.push(format!("{} {verb}", plural(count, &format!("more {noun}"))));
            }
        }
        let Some(summary) = self.summary() else {
            return steps;
        };
        let earlier = find_summary(&self.edits_before_overflow);
        if earlier.is_none_or(|earlier| earlier.first_kept != summary.first_kept) {
            let first = summary.first_kept;
            let kept = plural(self.input.transcript.messages.len() - first, "message");
            steps.push(format!("only {kept} kept, from message {first}"));
        }
        if earlier.is_none_or(|earlier| earlier.hole.budget != summary.hole.budget) {
            let budget = summary.hole.budget;
            steps.push(format!("a summary of at most {budget} tokens"));
        }
        steps
    }

    /// Takes steps until the conversation fits. Returns false if it does not fit after the last.
    fn shrink(&mut self, limit: usize, tokens_before: usize) -> bool {
        let bounds = FitBounds { limit, tokens_before, least_text: BUDGET_MIN };
        let first_kept = self
            .summary()
            .map_or(self.input.transcript.system_prefix_len(), |summary| summary.first_kept);
        let cutoffs = self.possible_cutoffs(first_kept);
        let last = cutoffs.last().copied().unwrap_or(first_kept);
        if self.settle(first_kept, bounds) {
            return true;
        }
        if self.evict_all(first_kept) > 0 && self.settle(first_kept, bounds) {
            return true;
        }
        if self.truncate_between(first_kept, last) + self.prune_between(first_kept, last) > 0
            && self.settle(first_kept, bounds)
        {
            return true;
        }
        // Fewer messages are fewer tokens, so the first cutoff that fits is found by bisection.
        [BUDGET_MIN, LEAST_ROOM].into_iter().any(|least_text| {
            let bounds = FitBounds { least_text, ..bounds };
            let first_fitting =
                cutoffs.partition_point(|&cutoff| self.fitting_summary(cutoff, bounds).is_none());
            cutoffs
                .get(first_fitting)
                .or(cutoffs.last())
                .is_some_and(|&cutoff| self.settle(cutoff, bounds))
        })
    }

    /// Returns the messages behind `first_kept` before which a summary may end: it parts no
    /// exchange, and the last exchange stays.
    fn possible_cutoffs(&self, first_kept: usize) -> Vec<usize> {
        let transcript = self.input.transcript;
        let last = transcript.messages.len().saturating_sub(1).min(self.decision_end());
        let end = if self.input.policy.summarize.replay {
            tail::last_question(transcript).min(last)
        } else {
            last
        };
        let splits = tail::splits_exchange(transcript);
        let end = self.first_unsummarizable().map_or(end, |first| end.min(first));
        (first_kept + 1..=end)
            .filter(|&index| {
                let message = &transcript.messages[index];
                !splits[index]
                    && !message.role.is_result()
                    && !message.role.is_system()
                    && !message.earlier_summary
            })
            .collect()
    }

    /// Plans a summary of the messages before `first_kept`, if the conversation fits with it. If
    /// there is nothing to summarize before it, returns true if the conversation fits without a
    /// summary.
    fn settle(&mut self, first_kept: usize, bounds: FitBounds) -> bool {
        if first_kept <= self.input.transcript.system_prefix_len() {
            return self.call_tokens() <= bounds.limit.min(bounds.tokens_before);
        }
        if self.fitting_summary(first_kept, bounds).is_none() {
            return false;
        }
        // Summarizer and history get the messages unshortened, so this stage's edits of them are
        // undone.
        let earlier_edits = edit_keys(&self.edits_before_overflow);
        let edited = self.edited_tokens();
        self.edits.retain(|edit| {
            edit.message().is_none_or(|index| index >= first_kept)
                || earlier_edits.contains(&edit_key(edit))
        });
        self.recount(edited.into_keys());
        let Some(PlannedSummary { summary, tokens_after }) =
            self.fitting_summary(first_kept, bounds)
        else {
            return false;
        };
        self.edits.retain(|edit| edit.summary().is_none());
        self.edits.push(Edit::Summarize(summary));
        self.tokens_with_frame = Some(tokens_after);
        true
    }

    /// Plans the summary of the messages before `first_kept` with a budget that fits the bounds.
    fn fitting_summary(&self, first_kept: usize, bounds: FitBounds) -> Option<PlannedSummary> {
        if self.input.policy.summarizer.kind == SummarizerKind::None {
            return None;
        }
        let mut planned = self.summary_before(first_kept, self.call_tokens()).ok()?;
        let budget = planned.summary.hole.budget;
        let room = self.text_room(&planned.summary, planned.tokens_after, bounds.limit)?;
        if planned.tokens_after > bounds.tokens_before
            || room < LEAST_ROOM.max(bounds.least_text.min(budget))
        {
            return None;
        }
        planned.summary.hole.budget = budget.min(room);
        Some(planned)
    }

    /// Returns the tokens that a summary's text may cost within the limit, where the call with its
    /// frame alone has `after` tokens. Returns None if there is no room.
    fn text_room(&self, summary: &Summary, after: usize, limit: usize) -> Option<usize> {
        let (_, ledger) = self.beside_summary(summary.cut.as_ref(), &summary.dropped);
        let kept: usize = (0..self.input.transcript.system_prefix_len())
            .chain(summary.kept_before.iter().copied())
            .chain(summary.first_kept..ledger.messages.len())
            .map(|index| ledger.messages[index])
            .sum();
        let framed = self.framed_tokens(summary.frame, &summary.path, "");
        let unscaled = self.ledger.tools + framed + kept;
        // Reported usage raises the total by a factor that can only fall as the summary gets
        // longer.
        let most = (limit as u128 * unscaled as u128) / (after.max(1) as u128);
        usize::try_from(most).unwrap_or(usize::MAX).checked_sub(unscaled)?.checked_sub(SLACK)
    }

    /// Describes the parts that no step can remove, and their tokens.
    fn describe_sizes(&self, limit: usize) -> String {
        let (transcript, tokens) = (self.input.transcript, &self.ledger.messages);
        let head = transcript.system_prefix_len();
        let last = self.possible_cutoffs(head).last().copied().unwrap_or(head);
        let system: usize = (0..last)
            .filter(|&index| transcript.messages[index].role.is_system())
            .map(|index| tokens[index])
            .sum();
        if system + self.ledger.tools > limit {
            let tools = match self.ledger.tools {
                0 => String::new(),
                tools => format!(", and the tool schemas {tools}"),
            };
            return format!("the system prompt alone has {system} tokens{tools}");
        }
        let kept: usize = tokens[last.min(tokens.len())..].iter().sum();
        let count = tokens.len().saturating_sub(last);
        let largest = (last..tokens.len())
            .max_by_key(|&index| tokens[index])
            .map(|index| {
                let role = transcript.messages[index].role.name();
                format!(" ({} of them in message {index}, {role})", tokens[index])
            })
            .unwrap_or_default();
        let summary = match self.input.policy.summarizer.kind {
            SummarizerKind::None => "and there is no summarizer".to_owned(),
            _ => {
                let frame = self.input.policy.summarize.frame;
                let path = &self.input.names.history_path;
                format!("and the frame of a summary {}", self.framed_tokens(frame, path, ""))
            }
        };
        format!(
            "the last {} {} {kept} tokens{largest}, the system prompt {system}, the tool schemas {}, {summary}",
            plural(count, "message"),
            if count == 1 { "has" } else { "have" },
            self.ledger.tools,
        )
    }
}
