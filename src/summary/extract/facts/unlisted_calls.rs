//! Tells the calls that the ledger leaves out: another section or a newer call says what they did, or a
//! newer call took it back.

use super::call_effects::only_reads;
use super::call_form::CallForm;
use super::call_likeness::{failure_of, writes_document};
use super::call_outcomes::counts_something;
use super::exchanges::Exchange;
use super::file_changes::FileChange;
use super::ledger_call::LedgerCall;
use super::ledger_state::CallLedger;
use super::patch_files::is_patch;
use super::path_ends::file_name;
use super::todos::open_todos;
use crate::summary::extract::lexicon::shell_words::{REVERTING_COMMANDS, TRIVIAL_COMMANDS};
use crate::summary::extract::lexicon::tool_words::HARNESS_TOOLS;

/// Commands that show what is not committed.
const CHANGE_LOOKS: &[&str] = &["git status", "git diff"];

impl CallLedger<'_, '_> {
    /// Returns true for a call that another section tells, or that says nothing any more.
    pub(super) fn passes_over(&mut self, call: &LedgerCall<'_, '_>) -> bool {
        let exchange = call.exchange;
        self.looks += usize::from(call.is_look);
        if exchange.only_waits || is_of_harness(exchange.call) {
            return true;
        }
        if call.is_last {
            return false;
        }
        // What the user answered stands with the wishes.
        let mut answers = self.scope.answers.iter();
        let is_answered = answers.any(|answer| answer.exchange == call.index);
        if is_answered || (!exchange.failed && is_trivial(exchange)) {
            return true;
        }
        let is_told = self.is_told(call) || exchange.keeps_tasks();
        // The messages that stay show that it works by now.
        if is_told || self.calls.works_now(exchange) {
            return true;
        }
        // What was changed before a commit is in it.
        if call.is_look && self.commits_later && exchange.runs_any(CHANGE_LOOKS) {
            return true;
        }
        // The files that were read stand in a section of their own.
        if call.is_look && (self.looks > self.scope.most / 2 || only_reads(exchange.call)) {
            return true;
        }
        // Why an edit did not work says nothing once there is another.
        if exchange.failed && exchange.changed_file().is_some() && self.calls.is_over(call.index) {
            return true;
        }
        // That files were changed stands with the files, and a patch of several shows no line of them.
        if !exchange.failed && is_patch(exchange.call.text()) && call.change.is_none() {
            return true;
        }
        // What edits added stands with their file; the newest one stands here, too.
        let is_digested = |change: &FileChange| {
            !self.edited.is_empty() && self.scope.digested.contains(file_name(&change.path))
        };
        if !exchange.failed && call.change.as_ref().is_some_and(is_digested) {
            return true;
        }
        // That a file was written as a whole stands with the files.
        if call.change.as_ref().is_some_and(|change| change.is_whole) {
            return true;
        }
        // A file that a shell writes from the lines below stands with the files, too.
        if !exchange.failed && exchange.whole_command().is_some_and(writes_document) {
            return true;
        }
        // How a program is called says nothing of what was done.
        self.is_undone(call) || (!exchange.failed && exchange.asks_for_help())
    }

    /// Returns true if the records tell a call. Among prose they may have no room for what was made elsewhere.
    pub(super) fn is_told(&self, call: &LedgerCall<'_, '_>) -> bool {
        let is_of_prose = !self.scope.is_tabular && call.is_outward();
        self.scope.told.contains(&call.index) && !call.exchange.failed && !is_of_prose
    }

    /// Returns true if a newer call says what came of this one: why calls of a tool failed is said once, and
    /// what a program counted before is not so any more.
    pub(super) fn is_said_by_newer(
        &mut self,
        call: &LedgerCall<'_, '_>,
        line: &str,
        outcome: &str,
    ) -> bool {
        if call.exchange.failed && !call.is_last && !self.failures.insert(failure_of(line, outcome))
        {
            return true;
        }
        let run = call.exchange.run().filter(|_| counts_something(outcome));
        run.is_some_and(|run| {
            let counted = run
                .operand
                .map(|operand| format!("{} {operand}", run.program));
            counted.is_some_and(|counted| !self.counted.insert(counted))
        })
    }

    /// Returns true if a newer call took back what a call changed.
    fn is_undone(&mut self, call: &LedgerCall<'_, '_>) -> bool {
        let exchange = call.exchange;
        let commits = commits_work(exchange);
        if let Some(folder) = &self.undone
            // What a program did elsewhere stays.
            && exchange.edits_files()
            && !commits
            && works_in(exchange, folder.as_deref())
        {
            return true;
        }
        if commits {
            self.undone = None;
        } else if reverts_all(exchange) {
            self.undone = Some(exchange.folder().map(str::to_owned));
        }
        false
    }
}

/// Returns true if a call took back all changes that are not committed.
pub(super) fn reverts_all(exchange: &Exchange<'_>) -> bool {
    !exchange.failed && exchange.runs_any(REVERTING_COMMANDS)
}

/// Returns true if a call may have committed what was done before.
pub(super) fn commits_work(exchange: &Exchange<'_>) -> bool {
    !exchange.failed && exchange.call.text().contains("git commit")
}

/// Returns true for a call by which an agent only handles its own tools or its list of todos.
fn is_of_harness(call: CallForm<'_>) -> bool {
    let CallForm::Tool(tool) = call else {
        return false;
    };
    HARNESS_TOOLS.contains(&tool.name) || open_todos(tool.arguments.as_bytes()).is_some()
}

/// Returns true if a call may have worked in a folder. `None` is any.
fn works_in(exchange: &Exchange<'_>, folder: Option<&str>) -> bool {
    folder.is_none_or(|folder| exchange.call.text().contains(folder))
}

/// Returns true for a single command that only waits or tells what is known: `pwd`.
fn is_trivial(exchange: &Exchange<'_>) -> bool {
    let is_single = |command: &str| !command.contains(['\n', ';', '&', '|', '>', '`', '(']);
    exchange.runs_any(TRIVIAL_COMMANDS) && exchange.whole_command().is_some_and(is_single)
}
