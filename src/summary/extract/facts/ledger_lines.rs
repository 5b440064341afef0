//! Writes the line of a call in the ledger, and what came of it.

use super::acknowledgements::is_acknowledgement;
use super::answered_values::answered_values;
use super::call_effects::{CallWeight, only_reads};
use super::call_likeness::is_written_before;
use super::call_lines::{LONG_EDIT, call_line, is_tool_call};
use super::call_outcomes::{FAILURE_SIGN, counts_something, more_of_look, telling_line};
use super::inline_scripts::is_bare_script;
use super::ledger_call::LedgerCall;
use super::ledger_state::CallLedger;
use super::shell_files::is_prefix;
use super::shell_lines::EDIT;
use super::shell_split::split_words;
use crate::summary::extract::labels::NO_OUTPUT;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::result_text::result_lines;
use crate::summary::extract::lexicon::shell_words::{
    BUILDING_PROGRAMS, CHECKING_WORDS, FINDING_COMMANDS, RUNNING_COMMANDS,
};

/// Maximum length in bytes of a call that changes something, and of another.
const LONGEST_CHANGE: usize = 150;
const LONGEST_LOOK: usize = 100;
/// Maximum length in bytes of the output of a script of which any line says something.
const SHORT_OUTPUT: usize = 400;
/// Maximum length in bytes of a file that is shown when it was read.
const SHORT_FILE: usize = 60;
/// Before the outcome of a call.
pub(super) const OUTCOME: &str = " -> ";
/// Behind the outcome of a run that may end in another way by now.
pub(super) const BEFORE_EDITS: &str = " (before later edits)";

impl CallLedger<'_, '_> {
    pub(super) fn line_of(&self, call: &LedgerCall<'_, '_>) -> String {
        let limit = if call.is_look {
            LONGEST_LOOK
        } else if call.change.is_some() && self.edited.is_empty() {
            // The newest edit is what the work is about.
            LONG_EDIT
        } else {
            LONGEST_CHANGE
        };
        let line = call_line(call.exchange.call, limit);
        // The file that is open stands only in the result.
        match (line.strip_prefix(EDIT), call.exchange.edited_open_file()) {
            (Some(change), Some(path)) => {
                let name = path.rsplit('/').next().unwrap_or(path);
                format!("{EDIT}{name} {change}")
            }
            _ => line,
        }
    }

    /// Returns what came of a call, unless its line says it already.
    pub(super) fn outcome_of(
        &self,
        call: &LedgerCall<'_, '_>,
        line: &str,
        is_commit: bool,
    ) -> Option<String> {
        let exchange = call.exchange;
        let is_script = is_bare_script(line);
        let result = exchange.result?;
        if self.is_told(call) {
            return None;
        }
        // Of a longer file that was read, the first lines say nothing.
        if call.is_look && result.len() > SHORT_FILE && only_reads(exchange.call) {
            return None;
        }
        // How long a file is now says nothing that its name does not.
        if exchange.edited_open_file().is_some() && !exchange.failed {
            return None;
        }
        let looks = call.weight == CallWeight::Looks;
        // What a look shows of a file, the agent may have written there.
        let is_scripted = |line: &str| {
            exchange.prints(line)
                || (!looks && is_written_before(&self.calls.all, call.index, line))
        };
        let outcome = telling_line(result, exchange.failed, looks, &is_scripted);
        let outcome = if outcome.is_empty() && call.is_outward() {
            answered_values(result)
        } else {
            outcome
        };
        // A search that finds nothing ends with this status.
        let found_nothing = exchange.failed
            && outcome == format!("{FAILURE_SIGN}exit 1")
            && exchange.runs_any(FINDING_COMMANDS);
        let outcome = if found_nothing {
            NO_OUTPUT.to_owned()
        } else {
            outcome
        };
        // A line of what a script read says nothing of what it found.
        if is_script
            && result.len() > SHORT_OUTPUT
            && !counts_something(&outcome)
            && !exchange.failed
        {
            return None;
        }
        // That an edit or a commit was made is what the line says without it.
        let says_more = exchange.failed
            || !is_commit && (!is_acknowledgement(&outcome) || !is_tool_call(exchange.call));
        let is_named = !is_script || outcome.contains(char::is_alphabetic);
        (is_named && says_more && !outcome.is_empty()).then_some(outcome)
    }
}

/// Returns true for a command that builds, tests or runs what is in files: edits change how it ends.
pub(super) fn checks_files(command: &str) -> bool {
    command.lines().any(|line| {
        let words = split_words(line);
        let mut parts = words.split(|word| word.is_operator);
        parts.any(|part| {
            let words = part.iter().map(|word| word.text);
            let plain: Vec<&str> = words.skip_while(|word| is_prefix(word)).collect();
            plain
                .split_first()
                .is_some_and(|(path, operands)| checks(path, operands))
        })
    })
}

/// Returns true for a program that builds, tests or runs what is in files, with these operands.
fn checks(path: &str, operands: &[&str]) -> bool {
    let program = path.rsplit('/').next().unwrap_or(path);
    let mut sub_commands =
        (operands.iter().take(SUB_COMMANDS)).take_while(|word| !word.starts_with('-'));
    CHECKING_WORDS.contains(&program)
        || (RUNNING_COMMANDS.contains(&program)
            && !operands
                .iter()
                .any(|option| INLINE_OPTIONS.contains(option)))
        || (BUILDING_PROGRAMS.contains(&program)
            && sub_commands.any(|word| CHECKING_WORDS.contains(word)))
}

/// Number of words behind a program that may be its sub-command: `npm run build`.
const SUB_COMMANDS: usize = 3;
/// Before the text of a script, which no file holds.
const INLINE_OPTIONS: [&str; 2] = ["-c", "-e"];

/// Returns the line of a call with more of what it showed than `outcome`. Returns `None` if there is no more.
pub(super) fn longer_line(call: &LedgerCall<'_, '_>, line: &str, outcome: &str) -> Option<String> {
    let result = call.exchange.result.filter(|_| call.is_look)?;
    let more = more_of_look(result, &|line| call.exchange.prints(line));
    (more.len() > outcome.len()).then(|| format!("{line}{OUTCOME}{more}"))
}

/// Returns the end of what was printed, which tells of a commit that was not made.
pub(super) fn commit_failure(result: &str) -> Option<String> {
    let last = result_lines(result).next_back();
    last.map(|line| format!("{FAILURE_SIGN}{}", fold_line(line, LONGEST_LOOK)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_and_tests_check_files() {
        for command in [
            "pytest -q",
            "cd /srv && CI=1 npm run build 2>&1 | tail -5",
            "python reproduce.py",
            "./node_modules/.bin/tsc",
            "if true; then cargo test; fi",
        ] {
            assert!(checks_files(command), "{command}");
        }
        for command in [
            "git push origin fix/build",
            "npm publish --tag test",
            "python3 -c 'print(6*7)'",
            "echo 'run; make it'",
            "ls build",
        ] {
            assert!(!checks_files(command), "{command}");
        }
    }
}
