//! The stages that replace the text of single messages: evict, truncate, prune.
//!
//! The stages that no agent has: dedup replaces results that repeat further down, cut shortens
//! long results in their structure. They follow the stages that agents have, whose decisions stay
//! the agents' own, and leave a reason only where the policy turns them on.

use crate::deciding::plan::{Edit, Pruning, SkipCause, Stage};
use crate::deciding::planner::draft::{Draft, TokensBefore};
use crate::deciding::planner::wording::{cleared_before, not_triggered, plural, untriggered_cause};
use crate::deciding::policy::{OnGrowth, PruneRule};
use crate::deciding::strategy::evict::{plan_eviction, threshold_chars};
use crate::deciding::strategy::{dedup, prune, shorten, truncate};

/// The edits that a stage proposes, with the parts of its reason.
struct Proposal {
    stage: Stage,
    edits: Vec<Edit>,
    /// The name of an edited part, in the singular.
    noun: &'static str,
    /// The beginning of the reason.
    rule: String,
    /// The length above which a part is edited, in code points.
    max_chars: u64,
}

impl Draft<'_, '_> {
    /// All stages before a summary.
    pub(super) fn shorten(&mut self) {
        self.evict();
        self.truncate();
        self.prune();
        self.dedup();
        self.cut();
    }

    /// Stage evict: moves tool results above the threshold into files.
    fn evict(&mut self) {
        let before = self.call_tokens();
        if let Some(why) = self.refused_by_journal(Stage::Evict) {
            return self.skip_stage(Stage::Evict, before, SkipCause::NotRecordable, why);
        }
        let policy = &self.input.policy.evict;
        if policy.tokens == 0 && policy.human_tokens == 0 {
            return self.skip_stage(Stage::Evict, before, SkipCause::Off, "off");
        }
        let max_chars = threshold_chars(policy.tokens);
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
            return self.skip_stage(Stage::Evict, before, SkipCause::NothingToRemove, why);
        }
        let has_human =
            edits.iter().any(|edit| matches!(edit, Edit::Evict(eviction) if eviction.human));
        self.propose(Proposal {
            stage: Stage::Evict,
            edits,
            noun: if has_human { "text" } else { "tool result" },
            rule: String::new(),
            max_chars: if has_human {
                max_chars.min(threshold_chars(policy.human_tokens))
            } else {
                max_chars
            },
        });
    }

    /// Stage truncate: shortens long arguments of old calls.
    fn truncate(&mut self) {
        let before = self.call_tokens();
        if let Some(why) = self.refused_by_journal(Stage::Truncate) {
            return self.skip_stage(Stage::Truncate, before, SkipCause::NotRecordable, why);
        }
        let (policy, thresholds) = (&self.input.policy.truncate, self.input.thresholds);
        let state = self.trigger_state(before, false);
        let Some(clause) = state.first_reached(&thresholds.truncate_trigger) else {
            let why = not_triggered(&state, &thresholds.truncate_trigger);
            return self.skip_stage(
                Stage::Truncate,
                before,
                untriggered_cause(&thresholds.truncate_trigger),
                why,
            );
        };
        let recent = truncate::first_recent(self.view(), &self.ledger, thresholds.truncate_keep);
        let edits: Vec<Edit> =
            truncate::find_truncations(self.view(), policy, &self.input.policy.pin, recent)
                .into_iter()
                .map(Edit::Truncate)
                .collect();
        let rule = format!("trigger {clause} reached, keep {}: ", thresholds.truncate_keep);
        if edits.is_empty() {
            let why = format!(
                "{rule}no argument longer than {} characters in {} before message {recent}",
                policy.max_length,
                policy.tools.join(", ")
            );
            return self.skip_stage(Stage::Truncate, before, SkipCause::NothingToRemove, why);
        }
        self.propose(Proposal {
            stage: Stage::Truncate,
            edits,
            noun: "argument",
            rule,
            max_chars: policy.max_length as u64,
        });
    }

    /// Stage prune: replaces old tool results by a placeholder.
    fn prune(&mut self) {
        let before = self.call_tokens();
        let policy = &self.input.policy.prune;
        if !policy.enabled {
            return self.skip_stage(Stage::Prune, before, SkipCause::Off, "off");
        }
        if let Some(why) = self.refused_by_journal(Stage::Prune) {
            return self.skip_stage(Stage::Prune, before, SkipCause::NotRecordable, why);
        }
        if let Some(cleared) = self.input.cleared {
            let why = cleared_before(cleared.len());
            return if cleared.is_empty() {
                self.skip_stage(Stage::Prune, before, SkipCause::NothingToRemove, why)
            } else {
                self.record_stage(Stage::Prune, before, before, why)
            };
        }
        if policy.rule == PruneRule::Results {
            return self.clear_results(before);
        }
        let state = self.trigger_state(before, false);
        if self.input.policy.summarizes_before_pruning(self.input.thresholds, &state) {
            let why = "not now: the agent summarises first, and clears results where its turn ends";
            return self.skip_stage(Stage::Prune, before, SkipCause::NothingToRemove, why);
        }
        // Results are cleared where the turn has ended, before the next question.
        let end = if policy.each_call {
            self.input.transcript.messages.len()
        } else {
            self.decision_end()
        };
        let scan = prune::scan_results(
            self.view(),
            self.ledger.counter,
            policy,
            &self.input.policy.pin,
            end,
        );
        let counted = format!(
            "{} tokens of tool results count, the newest {} stay",
            scan.counted, policy.protect
        );
        let stop = scan
            .stop
            .map(|stop| {
                format!("; message {} ended the scan: {}", stop.message, stop.cause.describe())
            })
            .unwrap_or_default();
        if scan.prunable.is_empty() {
            return self.skip_stage(
                Stage::Prune,
                before,
                SkipCause::NothingToRemove,
                format!("{counted}{stop}"),
            );
        }
        let results = plural(scan.prunable.len(), "tool result");
        if scan.tokens <= policy.minimum {
            let why = format!(
                "{counted}; {results} of {} tokens would go, that is not more than {}{stop}",
                scan.tokens, policy.minimum
            );
            return self.skip_stage(Stage::Prune, before, SkipCause::NotWorthIt, why);
        }
        let edit_count = self.edits.len();
        self.edits.extend(scan.prunable.into_iter().map(Edit::Prune));
        self.recount_edited();
        let after = self.call_tokens();
        // The stage is judged as a whole: as in OpenCode, a result shorter than the placeholder
        // goes with the rest.
        if self.input.policy.on_growth == OnGrowth::Skip && after > before {
            self.withdraw_edits(edit_count);
            let why = format!(
                "{counted}; {results} would only get longer and stay as they are (on_growth){stop}"
            );
            return self.skip_stage(Stage::Prune, before, SkipCause::NotWorthIt, why);
        }
        let why = format!("{counted}; {results} of {} tokens cleared{stop}", scan.tokens);
        self.record_stage(Stage::Prune, before, after, why);
    }

    /// Makes the proposed edits, except those that make their message longer, and records the
    /// reason.
    fn propose(&mut self, proposal: Proposal) {
        let Proposal { stage, edits, noun, rule, max_chars } = proposal;
        let tokens_before = self.call_tokens();
        let (edit_count, proposed) = (self.edits.len(), edits.len());
        self.edits.extend(edits);
        let before = self.edited_tokens();
        self.recount(before.keys().copied());
        if self.input.policy.on_growth == OnGrowth::Skip {
            self.drop_growing_edits(edit_count, &before);
            // Reported usage scales totals: a smaller list can count more.
            if self.call_tokens() > tokens_before {
                self.withdraw_edits(edit_count);
            }
        }
        let made = self.edits.len() - edit_count;
        let longer = format!(
            "{} would only get longer and stay as they are (on_growth)",
            plural(proposed - made, noun)
        );
        if made == 0 {
            return self.skip_stage(stage, tokens_before, SkipCause::NotWorthIt, longer);
        }
        let mut why = format!("{rule}{} longer than {max_chars} characters", plural(made, noun));
        if made < proposed {
            why = format!("{why}; {longer}");
        }
        let tokens_after = self.call_tokens();
        self.record_stage(stage, tokens_before, tokens_after, why);
    }

    /// Drops the edits from `first` on whose message grew.
    pub(super) fn drop_growing_edits(&mut self, first: usize, before: &TokensBefore) {
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
    pub(super) fn withdraw_edits(&mut self, first: usize) {
        let edited = self.edited_tokens();
        self.edits.truncate(first);
        self.recount(edited.into_keys());
    }
}

/// The words of a reason: how many results, and what became of them.
struct ReplacementWords {
    /// Behind the number of results that were replaced.
    made: String,
    /// In place of all, where there are none.
    none: String,
}

impl Draft<'_, '_> {
    /// Stage dedup: replaces results that repeat further down by a reference.
    pub(super) fn dedup(&mut self) {
        if !self.input.policy.dedup.enabled {
            return;
        }
        let words = ReplacementWords {
            made: "replaced: the same or a newer one stands further down".to_owned(),
            none: "no result stands again further down".to_owned(),
        };
        self.replace_results(Stage::Dedup, &words, |draft| {
            dedup::find_repeated(draft.view(), &draft.ledger, draft.input.policy)
        });
    }

    /// Stage cut: shortens long results in their structure.
    pub(super) fn cut(&mut self) {
        let tokens = self.input.policy.cut.tokens;
        if tokens == 0 {
            return;
        }
        let words = ReplacementWords {
            made: format!("of more than {tokens} tokens shortened"),
            none: format!("no result of more than {tokens} tokens that may be shortened"),
        };
        self.replace_results(Stage::Cut, &words, |draft| {
            shorten::find_shortened(draft.view(), &draft.ledger, draft.input.policy)
        });
    }

    /// Makes the replacements that `find` proposes, but for those that make a message larger.
    fn replace_results(
        &mut self,
        stage: Stage,
        words: &ReplacementWords,
        find: impl FnOnce(&Self) -> Vec<Pruning>,
    ) {
        let before = self.call_tokens();
        if let Some(why) = self.refused_by_journal(stage) {
            return self.skip_stage(stage, before, SkipCause::NotRecordable, why);
        }
        let found = find(self);
        if found.is_empty() {
            return self.skip_stage(stage, before, SkipCause::NothingToRemove, words.none.as_str());
        }
        let edit_count = self.edits.len();
        self.edits.extend(found.into_iter().map(Edit::Prune));
        let counts = self.edited_tokens();
        self.recount(counts.keys().copied());
        self.drop_growing_edits(edit_count, &counts);
        let made = self.edits.len() - edit_count;
        let after = self.call_tokens();
        // Reported usage scales totals: a smaller list can count more.
        if made == 0 || after > before {
            self.withdraw_edits(edit_count);
            let why = "results would only get longer and stay as they are";
            return self.skip_stage(stage, before, SkipCause::NotWorthIt, why);
        }
        let why = format!("{} {}", plural(made, "result"), words.made);
        self.record_stage(stage, before, after, why);
    }
}
