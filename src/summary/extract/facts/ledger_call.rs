//! A call as the ledger sees it.

use super::call_effects::CallWeight;
use super::call_form::CallForm;
use super::call_lines::is_tool_call;
use super::edited_lines::shows_change;
use super::exchanges::{Exchange, Exchanges};
use super::file_actions::is_editor;
use super::file_changes::FileChange;
use super::inline_scripts::is_bare_script;
use super::ledger_state::LedgerScope;
use crate::summary::extract::lex::result_text::result_lines;

/// A call that the ledger may list.
pub(super) struct LedgerCall<'c, 'r> {
    pub(super) exchange: &'c Exchange<'r>,
    pub(super) index: usize,
    pub(super) weight: CallWeight,
    /// No later call is known.
    pub(super) is_last: bool,
    /// It only looks, and worked.
    pub(super) is_look: bool,
    /// The file that it changed.
    pub(super) change: Option<FileChange>,
}

impl<'c, 'r> LedgerCall<'c, 'r> {
    /// Returns call number `index`, as `scope` sees it.
    pub(super) fn of(
        exchange: &'c Exchange<'r>,
        index: usize,
        scope: &LedgerScope<'_>,
        calls: &Exchanges<'_>,
    ) -> Self {
        let weight = exchange.weight();
        let changes = weight == CallWeight::Changes && !exchange.failed;
        Self {
            exchange,
            index,
            weight,
            is_last: !scope.goes_on && index + 1 == calls.all.len(),
            is_look: weight == CallWeight::Looks && !exchange.failed,
            change: changes.then(|| change_of(exchange)).flatten(),
        }
    }

    /// Returns true for a call that made or changed something elsewhere: a repository, an issue, a preview.
    pub(super) fn is_outward(&self) -> bool {
        let CallForm::Tool(tool) = self.exchange.call else {
            return false;
        };
        let is_plain = is_tool_call(self.exchange.call) && !is_editor(tool.name);
        is_plain
            && self.change.is_none()
            && !self.exchange.failed
            && self.weight == CallWeight::Changes
    }

    /// Returns true if the line of the call says nothing without an outcome: a look without what it
    /// showed, an edit without a line of it.
    pub(super) fn needs_outcome(&self, line: &str) -> bool {
        if self.is_look {
            return self.exchange.result.is_some();
        }
        if is_bare_script(line) {
            return true;
        }
        self.change.is_some()
            && !self.exchange.failed
            && is_tool_call(self.exchange.call)
            && !shows_change(line)
    }

    /// Returns true for a look that shows a single line: it asked how things stand.
    pub(super) fn asks_for_state(&self) -> bool {
        let result = self.exchange.result;
        self.is_look && result.is_some_and(|result| result_lines(result).nth(1).is_none())
    }
}

/// Returns the change of a single file that a call makes.
fn change_of(exchange: &Exchange<'_>) -> Option<FileChange> {
    let open = exchange.edited_open_file().map(|path| FileChange {
        path: path.to_owned(),
        is_whole: false,
    });
    open.or_else(|| FileChange::of(exchange.call))
}
