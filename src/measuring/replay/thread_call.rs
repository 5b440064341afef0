//! One model call of a replayed thread: the meter foresees it, and where it may be summarized the
//! planner decides. Between summaries are the stretches that training samples are made of.

use crate::deciding::plan::{Edit, Plan, Stage, Summary};
use crate::deciding::planner;
use crate::deciding::policy::PruneRule;
use crate::measuring::replay::call::{CallOutcome, ReplayedCall};
use crate::measuring::replay::prompt_cache::CacheLookup;
use crate::measuring::replay::thread::{SentCall, ThreadReplay};
use crate::measuring::replay::thread_report::{LargestCall, ReplayCompaction};
use crate::measuring::replay::{call_edits::CallEdits, samples::CallStretch};
use crate::reading::json::encode_literal;
use crate::running::compaction::{CompactionError, Planned};
use crate::running::conversation::source_location;

/// A plan that can be applied.
struct FilledPlan {
    plan: Plan,
    /// The text of the summary, if there is one.
    text: Option<String>,
    /// Tokens of the call with that text.
    tokens_after: usize,
}

impl ThreadReplay<'_, '_> {
    /// Replays the call that produces message `at` of the log.
    pub(super) fn replay_call(&mut self, at: usize) {
        self.prune_where_due(true);
        self.list.observe_old_results();
        let outlook = self.list.meter.outlook();
        let mut outcome = CallOutcome {
            total_tokens: outlook.counted,
            tokens_before_summary: outlook.tokens,
            tokens_sent: outlook.tokens,
            truncated_args: outlook.truncated_args,
            pruned_results: outlook.reach.pruned,
            ..CallOutcome::default()
        };
        let mut edits = CallEdits::from_reach(outlook.reach);
        // A summary replaces part of the previous call.
        let alike_after_summary = if outlook.needs_planner {
            self.ask_planner(at, &mut edits, &mut outcome)
        } else {
            outcome.reasons = outlook.reasons;
            self.archive.add_cleared(&self.list, edits.reach.pruned);
            None
        };
        let (common_tokens, extends_previous) = match &self.sent {
            Some(sent) => {
                let alike = alike_after_summary
                    .unwrap_or_else(|| self.list.count_alike(&sent.edits, &edits, sent.len));
                (self.list.tokens_before(alike, &edits), alike == sent.len)
            }
            None => (0, false),
        };
        if self.setting.training.is_some() {
            self.continue_stretch(&edits, extends_previous);
        }
        self.sent = Some(SentCall { len: self.list.messages.len(), edits });
        let common_tokens = common_tokens.min(outcome.tokens_sent);
        let (lookup, cached_tokens) =
            self.cache.look_up(self.time, common_tokens, extends_previous);
        self.record_call(at, &outcome, lookup, cached_tokens);
    }

    /// Lets the planner decide about the call, and applies the plan. Returns the number of messages
    /// that the previous call also sent, if a summary was made.
    fn ask_planner(
        &mut self,
        at: usize,
        edits: &mut CallEdits,
        outcome: &mut CallOutcome,
    ) -> Option<usize> {
        let filled = match self.plan_and_fill(outcome) {
            Ok(filled) => filled,
            Err(error) => {
                outcome.error = Some(error.to_string());
                return None;
            }
        };
        let plan = &filled.plan;
        if self.setting.settings.policy.prune.rule == PruneRule::Results {
            // What the planner clears for this call alone is told one by one.
            edits.reach.pruned = 0;
        }
        *edits = CallEdits::from_plan(plan, edits.reach);
        if edits.single.is_some() {
            self.evicted.extend(self.archive.add_overflow(&self.list, plan));
        }
        outcome.total_tokens = plan.total_tokens;
        outcome.tokens_before_summary = plan.call_tokens;
        outcome.tokens_sent = plan.tokens_after;
        outcome.truncated_args = plan.truncations().count();
        outcome.pruned_results = plan.replaced_by(Stage::Prune);
        outcome.deduplicated = plan.replaced_by(Stage::Dedup);
        outcome.shortened_results = plan.replaced_by(Stage::Cut);
        let (summary, text) = (plan.summary()?, filled.text.as_deref()?);
        outcome.tokens_sent = filled.tokens_after;
        outcome.summarized_messages = Some(summary.messages.len());
        outcome.messages_in_summary = Some(summary.hole.window.len());
        let policy = &self.setting.settings.policy.archive;
        self.archive.add_summarized(&self.list.conversation.transcript, plan, summary, policy);
        Some(self.apply_summary(at, summary, text, edits, outcome))
    }

    /// Plans the call and asks for the text of a planned summary. Adds the reasons to the outcome
    /// in any case.
    fn plan_and_fill(&mut self, outcome: &mut CallOutcome) -> Result<FilledPlan, CompactionError> {
        self.list.restore_candidates();
        let prunings = self.list.prunings();
        let settings = self.setting.settings;
        let conversation = &self.list.conversation;
        let planned = match settings.policy.prune.rule {
            PruneRule::Tokens => {
                Planned::decide_after_clearing(conversation, settings, Some(&prunings))?
            }
            // Every call begins anew.
            PruneRule::Results => Planned::decide(conversation, settings)?,
        };
        let place = source_location(self.file, self.report.line, None);
        let asked = planned.ask(self.setting.summarizer);
        match asked.fill(self.setting.stop, &place) {
            Ok(filled) => {
                let tokens_after = filled.tokens_after();
                let parts = filled.into_parts();
                outcome.reasons.clone_from(&parts.plan.reasons);
                self.report.add_summary_notes(parts.notes);
                Ok(FilledPlan { plan: parts.plan, text: parts.text, tokens_after })
            }
            Err(failed) => {
                outcome.reasons = failed.planned.plan.reasons;
                self.report.add_summary_notes(failed.notes);
                Err(failed.error)
            }
        }
    }

    /// Replaces the front of the list by a summary. Returns the number of messages that the
    /// previous call also sent.
    fn apply_summary(
        &mut self,
        at: usize,
        summary: &Summary,
        text: &str,
        edits: &mut CallEdits,
        outcome: &mut CallOutcome,
    ) -> usize {
        // Of the kept messages only the first may be an earlier summary; the others come from the
        // log.
        let len = self.list.messages.len();
        let (first_kept, logged) = (summary.first_kept..len)
            .find_map(|index| Some((index, self.list.messages[index].logged?)))
            .unwrap_or((len, at));
        outcome.cutoff_index = Some(self.index_as_read(logged) - self.head);
        self.end_stretch();
        let previous = self.sent.as_ref().map(|sent| {
            (self.list.overlay_before(sent.len, &sent.edits), self.list.identities(sent.len))
        });
        let framed = summary.frame.render(&summary.path, text);
        let literals = self.literals[self.report.calls].get_or_init(|| {
            framed
                .iter()
                .map(|(_, text)| text)
                .chain(summary.cut.as_ref().map(|cut| &cut.text))
                .flat_map(|text| encode_literal(text))
                .collect()
        });
        let saved = outcome.tokens_before_summary.saturating_sub(outcome.tokens_sent);
        self.list.note_saving(saved);
        self.list.replace_by_summary(summary, framed, literals);
        *edits = edits.after_removal(
            first_kept,
            self.list.index_of(logged),
            self.list.cleared_for_good().len(),
        );
        // Replaced results that were summarized are not sent.
        outcome.pruned_results = edits.replaced_by(Stage::Prune);
        outcome.deduplicated = edits.replaced_by(Stage::Dedup);
        outcome.shortened_results = edits.replaced_by(Stage::Cut);
        let Some((previous_overlay, previous_identities)) = previous else {
            return 0;
        };
        let len = self.list.messages.len();
        let same = previous_identities
            .iter()
            .zip(&self.list.identities(len))
            .take_while(|(previous, now)| previous == now)
            .count();
        previous_overlay
            .first_difference(&self.list.overlay_before(len, edits))
            .map_or(same, |first| first.min(same))
    }

    /// Writes the call's line and adds the call to the report.
    fn record_call(
        &mut self,
        at: usize,
        outcome: &CallOutcome,
        lookup: CacheLookup,
        cached_tokens: usize,
    ) {
        let at = self.index_as_read(at);
        let tokens_logged = self.logged_call_tokens();
        let (logged_lookup, logged_cached) = self.logged.cache.look_up(
            self.time,
            self.logged.last_call_tokens.min(tokens_logged),
            true,
        );
        self.logged.last_call_tokens = self.logged.tokens;
        let is_refused = planner::exceeds_limit(self.thresholds, outcome.tokens_sent);
        let (list, report) = (&self.list, &mut self.report);
        let call = ReplayedCall {
            number: report.calls,
            at,
            messages_sent: list.messages.len() - list.conversation.transcript.system_prefix_len(),
            tokens_logged,
            outcome,
            archive: &list.conversation.names.history_path,
            evicted: &self.evicted,
            cache: lookup,
            cached_tokens,
            is_refused,
        };
        call.append_line(&self.line_start, &mut self.lines);
        report.calls += 1;
        report.sent.add_call(outcome.tokens_sent, cached_tokens, lookup);
        report.logged.add_call(tokens_logged, logged_cached, logged_lookup);
        report.refused_calls += usize::from(is_refused);
        report.refused_calls_logged +=
            usize::from(planner::exceeds_limit(self.thresholds, tokens_logged));
        report.truncated_calls += usize::from(outcome.truncated_args > 0);
        if report.largest_call.as_ref().is_none_or(|largest| outcome.tokens_sent > largest.tokens) {
            report.largest_call = Some(LargestCall { at, tokens: outcome.tokens_sent });
        }
        report.largest_logged = report.largest_logged.max(tokens_logged);
        if let (Some(cutoff_index), Some(summarized_messages)) =
            (outcome.cutoff_index, outcome.summarized_messages)
        {
            report.compactions.push(ReplayCompaction {
                at,
                cutoff_index,
                summarized_messages,
                tokens_before: outcome.tokens_before_summary,
                tokens_after: outcome.tokens_sent,
            });
        }
        if let Some(error) = &outcome.error {
            report.failed_summaries += 1;
            report.error.get_or_insert_with(|| format!("at message {at}: {error}"));
        }
        report.evicted.append(&mut self.evicted);
    }

    /// Returns the tokens of the call as logged, corrected by reported usage where the counter asks
    /// for it.
    fn logged_call_tokens(&self) -> usize {
        let logged = &self.logged;
        if self.list.counter.scales_with_usage() && logged.messages > 1 {
            logged.usage.scale_total(logged.tokens, |_| 0)
        } else {
            logged.tokens
        }
    }

    /// Adds a call to the stretch if it only adds to the previous call (`extends_previous`), and
    /// begins a new stretch otherwise.
    pub(super) fn continue_stretch(&mut self, edits: &CallEdits, extends_previous: bool) {
        let continues = extends_previous
            && self
                .stretch
                .as_ref()
                .is_some_and(|stretch| self.shows_full_answers(stretch.context_end, edits));
        match &mut self.stretch {
            // Results that no earlier call showed read as the last call shows them.
            Some(stretch) if continues => stretch.edits.clone_from(edits),
            _ => {
                self.end_stretch();
                self.stretch = Some(CallStretch {
                    context_end: self.list.messages.len(),
                    edits: edits.clone(),
                    answers_end: 0,
                });
            }
        }
    }

    /// Returns true if no answer from message `first` on is truncated. A sample must not train on
    /// truncated answers.
    fn shows_full_answers(&self, first: usize, edits: &CallEdits) -> bool {
        let end = edits.reach.truncated_before.max(first);
        if self.list.meter.first_cut(first..end).is_some() {
            return false;
        }
        if self.list.meter.clears_call_from(first, &edits.reach) {
            return false;
        }
        let mut edits = edits.single.iter().flat_map(|edits| edits.iter());
        !edits.any(|edit| match edit {
            Edit::Truncate(truncation) => truncation.message >= first,
            Edit::Prune(pruning) => {
                pruning.inputs.as_ref().is_some_and(|inputs| inputs.message >= first)
            }
            Edit::Evict(_) | Edit::Summarize(_) => false,
        })
    }

    /// Ends the answer to a call: its last message is the last of the list.
    pub(super) fn end_answer(&mut self) {
        let end = self.list.messages.len();
        if let Some(stretch) = &mut self.stretch {
            stretch.answers_end = end;
        }
        if let (Some(training), Some(stretch)) = (self.setting.training, &self.stretch)
            && training.per_call
        {
            let (context_end, edits) = match &self.sent {
                Some(sent) => (sent.len, &sent.edits),
                None => (0, &stretch.edits),
            };
            self.samples.add_sample(training, &self.list, context_end..end, edits, self.tree);
        }
    }

    /// Ends the stretch and makes a sample of it, unless each call makes its own.
    pub(super) fn end_stretch(&mut self) {
        let Some(stretch) = self.stretch.take() else {
            return;
        };
        if let Some(training) = self.setting.training
            && !training.per_call
            && stretch.answers_end > stretch.context_end
        {
            let answers = stretch.context_end..stretch.answers_end;
            self.samples.add_sample(training, &self.list, answers, &stretch.edits, self.tree);
        }
    }
}
