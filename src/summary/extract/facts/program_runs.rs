//! What a call ran, and whether that worked since.

use super::shell_lines::{folder_of, plain_command};
use crate::summary::extract::lex::excerpt::both_ends;
use crate::summary::extract::lexicon::shell_words::SWE_AGENT_WRITING_COMMANDS;

/// What a command runs: `cargo test` of `cargo test --locked`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ProgramRun<'c> {
    pub(super) program: &'c str,
    /// Its first operand, if that stands before all options. Of a tool, all arguments.
    pub(super) operand: Option<&'c str>,
}

impl<'c> ProgramRun<'c> {
    pub(super) fn of(command: &'c str) -> Self {
        let mut words = command.trim_start_matches("& ").split_whitespace();
        let program = words.next().unwrap_or_default();
        Self {
            program: program.rsplit('/').next().unwrap_or(program),
            operand: words.next().filter(|word| !word.starts_with('-')),
        }
    }

    /// Returns true if the program edits the file that is open: then its operands tell the lines.
    pub(super) fn edits_file(self) -> bool {
        SWE_AGENT_WRITING_COMMANDS.contains(&self.program)
    }
}

/// A command that worked, and the folder that it changed to first.
#[derive(Debug)]
pub(super) struct WorkingCommand {
    pub(super) command: String,
    pub(super) folder: Option<String>,
    /// What it printed, of a long text both ends.
    result: String,
}

impl WorkingCommand {
    /// Returns a command that printed `result`.
    pub(super) fn new(command: &str, result: &str) -> Self {
        let (head, tail) = both_ends(result);
        Self {
            command: plain_command(command).to_owned(),
            folder: folder_of(command).map(str::to_owned),
            result: format!("{head}\n{tail}"),
        }
    }

    /// Returns true if it printed an error, as a program does that goes on after one.
    pub(super) fn shows(&self, error: &str) -> bool {
        self.result.contains(message_of(error))
    }
}

/// Returns false for two different folders. A call without one runs wherever the shell is.
pub(super) fn may_be_same_folder(folder: Option<&str>, other: Option<&str>) -> bool {
    folder
        .zip(other)
        .is_none_or(|(folder, other)| folder == other)
}

/// Returns what an error says, without its name and what stands before it.
pub(super) fn message_of(error: &str) -> &str {
    error
        .rsplit_once(": ")
        .map(|(_, message)| message.trim())
        .filter(|message| message.len() >= LEAST_MESSAGE)
        .unwrap_or(error)
}

/// Minimum length in bytes of a message by which an error is known again.
const LEAST_MESSAGE: usize = 12;
