//! The stages that no agent has: dedup replaces results that repeat further down, cut shortens
//! long results in their structure. They follow the stages that agents have, whose decisions stay
//! the agents' own, and leave a reason only where the policy turns them on.

use crate::deciding::plan::{Edit, Pruning, SkipCause, Stage};
use crate::deciding::planner::draft::Draft;
use crate::deciding::planner::wording::plural;
use crate::deciding::strategy::{dedup, shorten};

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
