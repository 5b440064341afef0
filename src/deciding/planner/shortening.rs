//! The stages that replace the text of single messages: evict, truncate, prune.
//!
//! Two more are epitome's own: dedup replaces results that repeat further down, cut shortens long
//! results in their structure. They follow the stages that agents have, whose decisions stay
//! the agents' own, and leave a reason only where the policy turns them on.

use crate::deciding::planner::draft::TokensBefore;
use crate::deciding::planner::prelude::*;
use crate::deciding::strategy::evict::{plan_eviction, threshold_chars};
use crate::deciding::strategy::{dedup, prune, shorten, truncate};

impl Draft<'_, '_> {
    /// All stages before a summary.
    pub(super) fn shorten(&mut self) {
        self.run_stage(Stage::Evict, Self::evict);
        self.run_stage(Stage::Truncate, Self::truncate);
        self.run_stage(Stage::Prune, Self::prune);
        if self.input.policy.dedup.enabled {
            self.run_stage(Stage::Dedup, Self::dedup);
        }
        if self.input.policy.cut.tokens > 0 {
            self.run_stage(Stage::Cut, Self::cut);
        }
    }

    /// Stage evict: moves tool results above the threshold into files.
    fn evict(&mut self, before: usize) -> Result<String, Refusal> {
        self.refuse_in_journal(Stage::Evict)?;
        let policy = &self.input.policy.evict;
        if policy.tokens == 0 && policy.human_tokens == 0 {
            return Err(Refusal::new(SkipCause::Off, "off"));
        }
        let mut max_chars = threshold_chars(policy.tokens);
        let candidates = self.input.candidates.iter().zip(&self.input.names.results);
        let edits: Vec<Edit> = candidates
            .filter(|(candidate, _)| candidate.large)
            .map(|(candidate, name)| {
                plan_eviction(self.input.transcript, candidate, policy, &name.file, &name.path)
            })
            .map(Edit::Evict)
            .collect();
        if edits.is_empty() {
            let why = format!("no tool result longer than {max_chars} characters");
            return Err(Refusal::new(SkipCause::NothingToRemove, why));
        }
        let mut noun = "tool result";
        if edits.iter().any(|edit| matches!(edit, Edit::Evict(eviction) if eviction.human)) {
            noun = "text";
            max_chars = max_chars.min(threshold_chars(policy.human_tokens));
        }
        self.propose_longer(before, edits, noun, max_chars)
    }

    /// Stage truncate: shortens long arguments of old calls.
    fn truncate(&mut self, before: usize) -> Result<String, Refusal> {
        self.refuse_in_journal(Stage::Truncate)?;
        let (policy, thresholds) = (&self.input.policy.truncate, self.input.thresholds);
        let state = self.trigger_state(before, false);
        let trigger = &thresholds.truncate_trigger;
        let clause = state.first_reached(trigger).ok_or_else(|| untriggered(&state, trigger))?;
        let recent = truncate::first_recent(self.view(), &self.ledger, thresholds.truncate_keep);
        let truncations =
            truncate::find_truncations(self.view(), policy, &self.input.policy.pin, recent);
        let rule = format!("trigger {clause} reached, keep {}: ", thresholds.truncate_keep);
        if truncations.is_empty() {
            let why = format!(
                "{rule}no argument longer than {} characters in {} before message {recent}",
                policy.max_length,
                policy.tools.join(", ")
            );
            return Err(Refusal::new(SkipCause::NothingToRemove, why));
        }
        let edits = truncations.into_iter().map(Edit::Truncate).collect();
        let why = self.propose_longer(before, edits, "argument", policy.max_length as u64)?;
        Ok(rule + &why)
    }

    /// Stage prune: replaces old tool results by a placeholder.
    fn prune(&mut self, before: usize) -> Result<String, Refusal> {
        let policy = &self.input.policy.prune;
        if !policy.enabled {
            return Err(Refusal::new(SkipCause::Off, "off"));
        }
        self.refuse_in_journal(Stage::Prune)?;
        if let Some(cleared) = self.input.cleared {
            return cleared_before(cleared.len());
        }
        if policy.rule == PruneRule::Results {
            return self.clear_results(before);
        }
        let state = self.trigger_state(before, false);
        if self.input.policy.summarizes_before_pruning(self.input.thresholds, &state) {
            let why = "not now: the agent summarises first, and clears results where its turn ends";
            return Err(Refusal::new(SkipCause::NothingToRemove, why));
        }
        // Results are cleared where the turn has ended, before the next question.
        let end = if policy.each_call {
            self.input.transcript.messages.len()
        } else {
            self.decision_end()
        };
        let pin = &self.input.policy.pin;
        let scan = prune::scan_results(self.view(), self.ledger.counter, policy, pin, end);
        let counted = format!(
            "{} tokens of tool results count, the newest {} stay",
            scan.counted, policy.protect
        );
        let stop = scan.stop.map_or_else(String::new, |stop| {
            format!("; message {} ended the scan: {}", stop.message, stop.cause.describe())
        });
        if scan.prunable.is_empty() {
            return Err(Refusal::new(SkipCause::NothingToRemove, format!("{counted}{stop}")));
        }
        let results = plural(scan.prunable.len(), "tool result");
        if scan.tokens <= policy.minimum {
            let why = format!(
                "{counted}; {results} of {} tokens would go, that is not more than {}{stop}",
                scan.tokens, policy.minimum
            );
            return Err(Refusal::new(SkipCause::NotWorthIt, why));
        }
        if !self.prune_as_whole(before, scan.prunable) {
            let why = format!(
                "{counted}; {results} would only get longer and stay as they are (on_growth){stop}"
            );
            return Err(Refusal::new(SkipCause::NotWorthIt, why));
        }
        Ok(format!("{counted}; {results} of {} tokens cleared{stop}", scan.tokens))
    }

    /// Makes all prunings, unless the call only gets longer by them. Returns true if it made them.
    ///
    /// The stage is judged as a whole: as in OpenCode, a result shorter than the placeholder goes
    /// with the rest.
    pub(super) fn prune_as_whole(&mut self, before: usize, prunings: Vec<Pruning>) -> bool {
        let edit_count = self.edits.len();
        self.edits.extend(prunings.into_iter().map(Edit::Prune));
        self.recount_edited();
        let stays = self.input.policy.on_growth == OnGrowth::Allow || self.call_tokens() <= before;
        if !stays {
            self.withdraw_edits(edit_count);
        }
        stays
    }

    /// Stage dedup: replaces results that repeat further down by a reference.
    fn dedup(&mut self, before: usize) -> Result<String, Refusal> {
        self.refuse_in_journal(Stage::Dedup)?;
        let found = dedup::find_repeated(self.view(), &self.ledger, self.input.policy);
        let results = self
            .replace_results(before, found, || "no result is repeated further down".to_owned())?;
        Ok(results + " replaced: the same or a newer one is further down")
    }

    /// Stage cut: shortens long results in their structure.
    fn cut(&mut self, before: usize) -> Result<String, Refusal> {
        self.refuse_in_journal(Stage::Cut)?;
        let tokens = self.input.policy.cut.tokens;
        let found = shorten::find_shortened(self.view(), &self.ledger, self.input.policy);
        let results = self.replace_results(before, found, || {
            format!("no result of more than {tokens} tokens that may be shortened")
        })?;
        Ok(format!("{results} of more than {tokens} tokens shortened"))
    }

    /// Makes replacements, but for those that make a message larger. Returns `2 results`. Fails if
    /// it makes none; `none` says why there is none to make.
    fn replace_results(
        &mut self,
        before: usize,
        found: Vec<Pruning>,
        none: impl FnOnce() -> String,
    ) -> Result<String, Refusal> {
        if found.is_empty() {
            return Err(Refusal::new(SkipCause::NothingToRemove, none()));
        }
        let edits = found.into_iter().map(Edit::Prune).collect();
        match self.propose(before, edits, OnGrowth::Skip) {
            0 => {
                let why = "results would only get longer and stay as they are";
                Err(Refusal::new(SkipCause::NotWorthIt, why))
            }
            made => Ok(plural(made, "result")),
        }
    }

    /// Makes edits of parts longer than `max_chars` characters, as far as the policy lets them make
    /// their message longer. Returns what the reason says.
    fn propose_longer(
        &mut self,
        before: usize,
        edits: Vec<Edit>,
        noun: &str,
        max_chars: u64,
    ) -> Result<String, Refusal> {
        let proposed = edits.len();
        let made = self.propose(before, edits, self.input.policy.on_growth);
        let longer = format!(
            "{} would only get longer and stay as they are (on_growth)",
            plural(proposed - made, noun)
        );
        if made == 0 {
            return Err(Refusal::new(SkipCause::NotWorthIt, longer));
        }
        let why = format!("{} longer than {max_chars} characters", plural(made, noun));
        Ok(if made < proposed { format!("{why}; {longer}") } else { why })
    }

    /// Makes the proposed edits, except those that make their message longer, where the policy
    /// skips those. Returns how many it made.
    fn propose(&mut self, before: usize, edits: Vec<Edit>, on_growth: OnGrowth) -> usize {
        let edit_count = self.edits.len();
        self.edits.extend(edits);
        let counts = self.edited_tokens();
        self.recount(counts.keys().copied());
        if on_growth == OnGrowth::Skip {
            self.drop_growing_edits(edit_count, &counts);
            // Reported usage scales totals: a smaller list can count more.
            if self.call_tokens() > before {
                self.withdraw_edits(edit_count);
            }
        }
        self.edits.len() - edit_count
    }

    /// Drops the edits from `first` on whose message grew.
    fn drop_growing_edits(&mut self, first: usize, before: &TokensBefore) {
        let grown: Vec<usize> = before
            .iter()
            .filter(|(index, tokens)| self.ledger.messages[**index] > **tokens)
            .map(|(index, _)| *index)
            .collect();
        if grown.is_empty() {
            return;
        }
        let mut place = 0;
        self.edits.retain(|edit| {
            place += 1;
            place <= first
                || edit.message().is_none_or(|index| grown.binary_search(&index).is_err())
        });
        self.recount(before.keys().copied());
    }

    /// Removes the edits from `first` on.
    fn withdraw_edits(&mut self, first: usize) {
        let edited = self.edited_tokens();
        self.edits.truncate(first);
        self.recount(edited.into_keys());
    }
}
