//! Weighs a call of the ledger: by its age, by what it changed, and by whether newer calls did the same.

use super::call_worth::CallAge;
use super::ledger_call::LedgerCall;
use super::ledger_state::CallLedger;
use super::unlisted_calls::reverts_all;
use crate::summary::extract::ablation::SummaryRule;
use crate::summary::extract::lexicon::shell_words::INSTALLING_COMMANDS;

/// What the newest edit of a file is worth more, and an older one less.
const NEWEST_EDIT_WORTH: i32 = 500;
const OLDER_EDIT_LOSS: i32 = 700;
/// What the newest commit is worth more: it says what is done. Each older one is worth half of that
/// more.
const NEWEST_COMMIT_WORTH: i32 = 4000;
const MOST_HALVINGS: u32 = 12;
/// What the last call of all is worth more.
const LAST_WORTH: i32 = 6000;
/// Number of calls, and the part of all calls, within which the newest edit goes before other calls.
pub(super) const NEW_CALLS: usize = 8;
const NEW_PART: usize = 4;
/// What a call is worth more that took back all that was not committed.
const REVERT_WORTH: i32 = 3000;
/// What an edit of long ago is worth less: the file says what became of it.
const OLD_EDIT_LOSS: i32 = 1000;
/// What a call is worth more that made something elsewhere: no file tells of it.
const OUTWARD_WORTH: i32 = 1200;
/// What a call is worth less that only installs what others wrote.
const INSTALL_LOSS: i32 = 1500;
/// What a failed call is worth less whose program worked since.
const OVER_LOSS: i32 = 1600;

impl CallLedger<'_, '_> {
    /// Returns true for the newest commit, and for the newest edit and what was newly made elsewhere if that is
    /// not long ago.
    pub(super) fn is_pinned(&self, call: &LedgerCall<'_, '_>, is_commit: bool) -> bool {
        let newest_commit = is_commit && self.commits == 0;
        let is_new = self.age_of(call) <= NEW_CALLS + self.calls.all.len() / NEW_PART;
        let newest_edit = call.change.is_some() && self.edited.is_empty();
        let newest_outward = call.is_outward() && !self.is_outward_told;
        newest_commit || ((newest_edit || newest_outward) && is_new)
    }

    /// Returns the number of later calls.
    pub(super) fn age_of(&self, call: &LedgerCall<'_, '_>) -> usize {
        self.calls.all.len() - 1 - call.index
    }

    /// Returns what a call is worth. Takes note of the file that it edits and of a commit.
    pub(super) fn worth_of(&mut self, call: &LedgerCall<'_, '_>, is_commit: bool) -> i32 {
        let exchange = call.exchange;
        let age = CallAge {
            age: self.age_of(call),
            message_count: self.scope.message_count,
            begin: self.scope.begin,
        };
        let mut worth = age.worth_of(exchange, call.weight);
        worth += if call.is_last { LAST_WORTH } else { 0 };
        if exchange.failed && !call.is_last && self.calls.is_over(call.index) {
            worth -= OVER_LOSS;
        }
        if is_commit && !SummaryRule::Commits.is_off() {
            worth += NEWEST_COMMIT_WORTH >> self.commits.min(MOST_HALVINGS);
            self.commits += 1;
        }
        if call.is_outward() {
            worth += OUTWARD_WORTH;
            self.is_outward_told = true;
        }
        if exchange.runs_any(INSTALLING_COMMANDS) {
            worth -= INSTALL_LOSS;
        }
        if reverts_all(exchange) && !self.commits_later {
            worth += REVERT_WORTH;
        }
        if let Some(change) = &call.change {
            worth += if self.edited.insert(change.path.clone()) {
                NEWEST_EDIT_WORTH
            } else {
                -OLDER_EDIT_LOSS
            };
            if age.age > NEW_CALLS {
                worth -= OLD_EDIT_LOSS;
            }
        }
        worth
    }
}
