//! The calls of a conversation, each with its result.

use super::call_effects::{CallWeight, is_file_program, shell_command_of, weight_of_call};
use super::call_form::CallForm;
use super::commit_messages::{commit_line, is_committed, message_in_line};
use super::error_lines::visit_error_lines;
use super::file_actions::{FileAction, is_editor};
use super::file_changes::FileChange;
use super::here_strings::strip_here_strings;
use super::inline_commands::file_shown_by_editor;
use super::missing_modules::is_module_installed;
use super::patch_files::is_patch;
use super::program_runs::{ProgramRun, WorkingCommand, may_be_same_folder, message_of};
use super::shell_files::scan_shell_files;
use super::shell_lines::{folder_of, plain_command};
use super::task_calls::keeps_tasks;
use crate::summary::extract::lex::excerpt::both_ends;
use crate::summary::extract::lex::identifier_kinds::has_file_extension;
use crate::summary::extract::lexicon::identifier_words::PROSE_FILE_ENDS;
use std::borrow::Cow;
use std::cell::OnceCell;

/// Number of later runs of a program that worked after which an error of it is over.
const LATER_RUNS: usize = 3;
/// The same of the commands of any program that change something.
const LATER_COMMANDS: usize = 4;

/// Number of later calls that are searched for the file of an edit that failed.
const LATER_CALLS: usize = 200;

/// How a harness says that it has no tool of a name.
const NOT_FOUND: &str = "not found";

/// A call and what came of it.
#[derive(Debug)]
pub(crate) struct Exchange<'r> {
    /// Index of the message that makes the call.
    pub(crate) message: usize,
    pub(crate) call: CallForm<'r>,
    /// The result. `None` if the log has none.
    pub(crate) result: Option<&'r str>,
    /// The result says that the call failed.
    pub(crate) failed: bool,
    /// It waited for another call, which has its result.
    pub(super) only_waits: bool,
    /// What the call does to the world, once it was asked for.
    weight: OnceCell<CallWeight>,
    /// The command that the call runs, as it is and without what only shortens its output, once it was
    /// asked for.
    whole_command: OnceCell<Option<Cow<'r, str>>>,
    command: OnceCell<Option<String>>,
    /// The file that the call changes, once it was asked for.
    changed_file: OnceCell<Option<String>>,
}

impl Exchange<'_> {
    /// Returns true for two calls with the same words, or that run the same command.
    fn is_same(&self, other: &Exchange<'_>) -> bool {
        self.call.is_same(other.call)
            || self
                .command()
                .is_some_and(|command| other.command() == Some(command))
                && self.may_share_folder(other)
    }

    /// Returns false if two calls change to different folders first.
    fn may_share_folder(&self, other: &Exchange<'_>) -> bool {
        may_be_same_folder(self.folder(), other.folder())
    }

    /// Returns the command that the call runs in a shell.
    pub(super) fn whole_command(&self) -> Option<&str> {
        let command = self.whole_command.get_or_init(|| match self.call {
            CallForm::Tool(call) => shell_command_of(call)
                .map(|command| Cow::Owned(strip_here_strings(&command).into_owned())),
            CallForm::Command(command) => Some(Cow::Borrowed(command)),
            CallForm::Heading(_) => None,
        });
        command.as_deref()
    }

    /// Returns the command that the call runs, without what only shortens its output.
    fn command(&self) -> Option<&str> {
        let command = self.command.get_or_init(|| {
            let command = self.whole_command()?;
            Some(plain_command(command).to_owned())
        });
        command.as_deref()
    }

    /// Returns true if the call's command only asks a program how it is called, or what its version is.
    pub(crate) fn asks_for_help(&self) -> bool {
        self.command().is_some_and(|command| {
            !command.contains(['\n', ';', '&'])
                && [" --help", " -h", " --version"]
                    .iter()
                    .any(|option| command.ends_with(option))
        })
    }

    /// Returns true if the call's command begins with one of some commands, with nothing or a blank
    /// behind it.
    pub(crate) fn runs_any(&self, commands: &[&str]) -> bool {
        self.command().is_some_and(|command| {
            let mut rests = commands
                .iter()
                .filter_map(|wanted| command.strip_prefix(wanted));
            // Behind `||` stands what runs if it fails, so it may have failed.
            rests.any(|rest| {
                (rest.is_empty() || rest.starts_with([' ', ';', '&', '\n']))
                    && !rest.trim_start().starts_with("||")
            })
        })
    }

    /// Returns the only file that the call changes, or would have changed.
    pub(crate) fn changed_file(&self) -> Option<&str> {
        let file = self.changed_file.get_or_init(|| {
            if let Some(path) = self.edited_open_file() {
                return Some(path.to_owned());
            }
            let changes = self.weight() == CallWeight::Changes;
            changes
                .then(|| FileChange::of(self.call))
                .flatten()
                .map(|change| change.path)
        });
        file.as_deref()
    }

    /// Returns true if the call changes a file, or its command begins with a program for that.
    pub(crate) fn edits_files(&self) -> bool {
        let runs_file_program = |command| is_file_program(ProgramRun::of(command).program);
        self.changed_file().is_some() || self.command().is_some_and(runs_file_program)
    }

    /// Returns true if the call edited files of a program, one or several, also in a shell.
    pub(super) fn made_edit(&self) -> bool {
        if self.failed {
            return false;
        }
        let is_text = |path: &str| PROSE_FILE_ENDS.iter().any(|end| path.ends_with(end));
        let is_edit = match self.call {
            CallForm::Tool(tool) => is_editor(tool.name) || is_patch(tool.arguments),
            CallForm::Command(_) | CallForm::Heading(_) => true,
        };
        if is_edit {
            let edits_code = self.changed_file().is_some_and(|path| !is_text(path));
            return edits_code || is_patch(self.call.text());
        }
        let mut edits = false;
        if let Some(command) = self.whole_command() {
            scan_shell_files(command, &mut |file, action| {
                edits |= action == FileAction::Written
                    && has_file_extension(&file.path)
                    && !is_text(&file.path);
            });
        }
        edits
    }

    /// Returns true if the call's command edits the file that is open in SWE-agent's editor.
    pub(crate) fn edits_open_file(&self) -> bool {
        self.command()
            .is_some_and(|command| ProgramRun::of(command).edits_file())
    }

    /// Returns the file that was open when the call's command edited it, as the result shows it.
    pub(crate) fn edited_open_file(&self) -> Option<&str> {
        self.result
            .filter(|_| self.edits_open_file())
            .and_then(file_shown_by_editor)
    }

    /// Returns true if the call prints a line itself, as `echo "done"` does.
    pub(crate) fn prints(&self, line: &str) -> bool {
        self.whole_command().is_some_and(|command| {
            // Some shells print the command itself.
            if line.contains(' ') && command.split_whitespace().eq(line.split_whitespace()) {
                return true;
            }
            command.match_indices(line).any(|(at, _)| {
                let before = command[..at].trim_end_matches(['"', '\'', '\\', '(', ' ']);
                PRINTING_WORDS.iter().any(|word| before.ends_with(word))
            })
        })
    }

    /// Returns the folder that the call's command changes to first.
    pub(crate) fn folder(&self) -> Option<&str> {
        folder_of(self.whole_command()?)
    }

    /// Returns true for the call of a tool that runs no command and changes no file.
    pub(crate) fn is_plain_tool(&self) -> bool {
        matches!(self.call, CallForm::Tool(_))
            && self.command().is_none()
            && self.changed_file().is_none()
    }

    /// Returns true for a call that keeps a list of tasks.
    pub(super) fn keeps_tasks(&self) -> bool {
        matches!(self.call, CallForm::Tool(call) if keeps_tasks(call.name))
    }

    /// Returns what the call runs: a program, or the tool if it is no shell.
    pub(super) fn run(&self) -> Option<ProgramRun<'_>> {
        let tool = |call| match call {
            CallForm::Tool(call) => Some(ProgramRun {
                program: call.name,
                operand: Some(call.arguments),
            }),
            CallForm::Command(_) | CallForm::Heading(_) => None,
        };
        (self.command().map(ProgramRun::of)).or_else(|| tool(self.call))
    }

    /// Returns what the call does to the world.
    pub(crate) fn weight(&self) -> CallWeight {
        *self.weight.get_or_init(|| weight_of_call(self.call))
    }
}

/// Words of commands and programs that print what stands behind them.
const PRINTING_WORDS: [&str; 5] = ["echo", "printf", "print", "Write-Output", "Write-Host"];

/// Returns true if a text names a path that is no part of another.
fn names_path(text: &str, path: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte);
    text.match_indices(path).any(|(at, _)| {
        let before = at.checked_sub(1).map(|place| text.as_bytes()[place]);
        let after = text.as_bytes().get(at + path.len());
        !before.is_some_and(is_part) && !after.is_some_and(|byte| is_part(*byte))
    })
}

/// Returns true if a line of a result says that something failed.
pub(crate) fn holds_error(result: &str) -> bool {
    let (head, tail) = both_ends(result);
    let mut holds = false;
    for window in [head, tail] {
        visit_error_lines(window, &mut |_| holds = true);
    }
    holds
}

/// The calls of a conversation, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Exchanges<'r> {
    pub(crate) all: Vec<Exchange<'r>>,
    /// Commands that worked in the messages that stay.
    working: Vec<WorkingCommand>,
}

impl<'r> Exchanges<'r> {
    /// Adds a call. Returns its index.
    pub(crate) fn push_call(&mut self, message: usize, call: CallForm<'r>) -> usize {
        self.all.push(Exchange {
            message,
            call,
            result: None,
            failed: false,
            only_waits: false,
            weight: OnceCell::new(),
            whole_command: OnceCell::new(),
            command: OnceCell::new(),
            changed_file: OnceCell::new(),
        });
        self.all.len() - 1
    }

    /// Removes call number `index`, the last one: it was not made.
    pub(super) fn take_back(&mut self, index: usize) {
        self.all.truncate(index);
    }

    /// Records the result of a call.
    pub(crate) fn set_result(&mut self, index: usize, result: &'r str, failed: bool) {
        if let Some(exchange) = self.all.get_mut(index) {
            (exchange.result, exchange.failed) = (Some(result), failed);
        }
    }

    /// Returns true if the same call was made again later and worked. `error` stands in its result
    /// here, and no more in the later one.
    pub(crate) fn worked_later(&self, index: usize, error: &str) -> bool {
        let Some((first, later)) = self.all.get(index..).and_then(<[_]>::split_first) else {
            return false;
        };
        if self.working_now(first).any(|working| !working.shows(error)) {
            return true;
        }
        let last = later.iter().rev().find(|exchange| exchange.is_same(first));
        last.is_some_and(|exchange| {
            !exchange.failed
                && exchange.result.is_some_and(|result| {
                    !result.contains(message_of(error)) && !holds_error(result)
                })
        })
    }

    /// Returns true if a tool that a call did not find worked at another time: it is there in some mode only.
    pub(crate) fn is_found_elsewhen(&self, index: usize, error: &str) -> bool {
        let CallForm::Tool(tool) = self.all[index].call else {
            return false;
        };
        error.contains(NOT_FOUND)
            && error.contains(tool.name)
            && (self.all.iter()).any(|other| {
                let is_same = matches!(other.call, CallForm::Tool(call) if call.name == tool.name);
                is_same && !other.failed && other.result.is_some()
            })
    }

    /// Returns true if what went wrong in a call is over: its file was changed since, what it ran
    /// worked when it was run last, or its program or many others worked since. A run whose result holds
    /// an error did not work.
    pub(crate) fn is_over(&self, index: usize) -> bool {
        let Some((first, later)) = self.all.get(index..).and_then(<[_]>::split_first) else {
            return false;
        };
        if is_module_installed(first, later) {
            return true;
        }
        if let Some(file) = first.changed_file() {
            let changes_it = |later: &Exchange<'_>| {
                !later.failed
                    && later.weight() == CallWeight::Changes
                    && (later.changed_file() == Some(file) || names_path(later.call.text(), file))
            };
            return later.iter().take(LATER_CALLS).any(changes_it);
        }
        let Some(run) = first.run() else {
            return false;
        };
        // What was not found in one place was found in another.
        let looks = first.weight() == CallWeight::Looks && first.command().is_some();
        let (mut working, mut others, mut others_work) = (0, 0, true);
        for exchange in later.iter().rev() {
            let Some(other) = exchange.run() else {
                continue;
            };
            let Some(result) = exchange.result else {
                continue;
            };
            let is_same = other.program == run.program && exchange.may_share_folder(first);
            // Once a later call of another program failed, others tell nothing.
            if !is_same && (!others_work || exchange.weight() != CallWeight::Changes) {
                continue;
            }
            // In data the words of an error report none.
            let is_data = result.trim_start().starts_with(['{', '[']);
            if exchange.failed || (!is_data && holds_error(result)) {
                if is_same {
                    return false;
                }
                others_work = false;
                continue;
            }
            working += usize::from(is_same);
            others += 1;
            if (is_same && (other == run || run.edits_file() || looks))
                || working == LATER_RUNS
                || (others_work && others == LATER_COMMANDS)
            {
                return true;
            }
        }
        false
    }

    /// Notes a command that worked in the messages that stay.
    pub(crate) fn note_working(&mut self, command: &str, result: &str) {
        self.working.push(WorkingCommand::new(command, result));
    }

    /// Returns true if the command of a call worked in the messages that stay.
    pub(crate) fn works_now(&self, exchange: &Exchange<'_>) -> bool {
        self.working_now(exchange).next().is_some()
    }

    /// Returns the runs of the command of a call that worked in the messages that stay.
    fn working_now<'e>(
        &'e self,
        exchange: &'e Exchange<'_>,
    ) -> impl Iterator<Item = &'e WorkingCommand> {
        self.working.iter().filter(|working| {
            exchange.command() == Some(working.command.as_str())
                && may_be_same_folder(working.folder.as_deref(), exchange.folder())
        })
    }

    /// Returns the messages of the commits that were made after message number `message`, newest first.
    pub(crate) fn commits_since(&self, message: usize) -> impl Iterator<Item = String> {
        let newest_first = self.all.iter().rev();
        let later = newest_first.take_while(move |call| call.message > message);
        later.filter(|call| !call.failed).filter_map(|exchange| {
            let result = exchange.result?;
            let line = exchange.command().and_then(commit_line)?;
            let message = message_in_line(&line)?;
            let command = exchange.whole_command().unwrap_or_default();
            is_committed(command, result, message).then(|| message.to_owned())
        })
    }

    /// Gives the result of a call to another call of the same message.
    pub(crate) fn move_result(&mut self, from: usize, to: usize) {
        if from == to || to >= self.all.len() || self.all[from].message != self.all[to].message {
            return;
        }
        let source = &mut self.all[from];
        let (result, failed) = (source.result.take(), std::mem::take(&mut source.failed));
        let target = &mut self.all[to];
        (target.result, target.failed) = (result, failed);
    }

    /// Gives the result of a call that waited to the call that it waited for.
    pub(super) fn hand_result_on(&mut self, from: usize, to: usize) {
        let source = &mut self.all[from];
        let (result, failed) = (source.result.take(), std::mem::take(&mut source.failed));
        source.only_waits = true;
        let target = &mut self.all[to];
        (target.result, target.failed) = (result, failed);
    }

    /// Returns the index of the last call if the log has no result of it.
    pub(crate) fn last_open(&self) -> Option<usize> {
        let last = self.all.last()?;
        last.result.is_none().then(|| self.all.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::facts::call_form::CalledTool;

    #[test]
    fn a_command_worked_later_however_its_output_is_cut() {
        let mut exchanges = Exchanges::default();
        for (arguments, result) in [
            (
                r#"{"command": "cd /srv && make 2>&1 | tail -20"}"#,
                "error: no valve",
            ),
            (r#"{"command": "make clean"}"#, "ok"),
            (r#"{"command": "make | head -60"}"#, "ok"),
        ] {
            let call = CalledTool {
                name: "bash",
                arguments,
            };
            let index = exchanges.push_call(0, CallForm::Tool(call));
            exchanges.set_result(index, result, false);
        }
        assert!(exchanges.worked_later(0, "error: no valve"));
        exchanges.all.truncate(2);
        assert!(!exchanges.worked_later(0, "error: no valve"));
        exchanges.note_working("cd /srv; make", "ok");
        assert!(!exchanges.worked_later(0, "error: no valve"));
        exchanges.note_working("cd /other && make", "ok");
        assert!(!exchanges.worked_later(0, "error: no valve"));
        exchanges.note_working("cd /srv && make | tail -3", "ok");
        assert!(exchanges.worked_later(0, "error: no valve"));
        assert!(!exchanges.is_over(0));
        for number in 0..2 {
            assert!(!exchanges.is_over(0));
            let call = CallForm::Command(["make a", "make -k"][number]);
            let index = exchanges.push_call(number, call);
            exchanges.set_result(index, "ok", false);
        }
        assert!(exchanges.is_over(0));
    }

    #[test]
    fn an_error_of_a_tool_that_worked_often_since_is_over() {
        let mut exchanges = Exchanges::default();
        let mut push = |arguments, result, failed| {
            let call = CalledTool {
                name: "get_house",
                arguments,
            };
            let index = exchanges.push_call(0, CallForm::Tool(call));
            exchanges.set_result(index, result, failed);
            exchanges.is_over(0)
        };
        push(r#"{"house": 7}"#, "Error: 429 too many", true);
        // In data the words of an error report none.
        let data = r#"{"note": "error: none was seen"}"#;
        assert!(!push(r#"{"house": 8}"#, data, false));
        assert!(!push(r#"{"house": 9}"#, data, false));
        assert!(push(r#"{"house": 10}"#, data, false));
        assert!(!push(r#"{"house": 11}"#, "Error: 429 too many", true));
    }
}
