//! Tells which findings of the assistant later messages overtook.

use super::call_effects::{CallWeight, weight_of_call, weight_of_name};
use super::call_form::CallForm;
use super::call_lines::is_shell_name;
use super::call_outcomes::counts_something;
use super::file_changes::FileChange;
use super::finding_sentences::CAUSES;
use super::inline_commands::final_command;
use super::program_runs::ProgramRun;
use super::test_runs::passed_by_line;
use crate::summary::extract::lex::code_marks::names_in_code;
use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lex::result_text::result_lines;
use crate::summary::extract::lexicon::assistant_words::{
    COMPLAINT_WORDS, DONE_WORDS, SETTLED_WORDS, TROUBLE_WORDS,
};
use crate::transcript::Role;
use crate::transcript::view::{ViewedCall, ViewedTurn};
use memchr::memmem::Finder;
use std::sync::LazyLock;

/// Number of edits after which what was wrong before them is mended.
pub(crate) const MANY_EDITS: usize = 4;
/// Maximum length in bytes of a complaint. In a longer message, its words may be about anything.
const LONGEST_COMPLAINT: usize = 600;
/// Maximum number of later edits in which a name is looked for, and the lengths in bytes of such a name.
const MOST_LATER_EDITS: usize = 24;
const LEAST_NAME: usize = 4;
const LONGEST_NAME: usize = 60;

/// What is known of the messages after the one that is read: the newest is read first.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LaterMessages {
    /// Number of messages with a finding, of reports, and of calls that changed files.
    pub(super) messages: usize,
    pub(super) reports: usize,
    pub(super) edits: usize,
    /// Number of messages that name a cause: the newest is the one that was found last.
    pub(super) causes: i32,
    /// The assistant said that something works.
    pub(super) is_settled: bool,
    /// The work was committed.
    pub(super) is_committed: bool,
    /// All tests of a run passed.
    pub(super) are_tests_passed: bool,
}

/// What is known of the message of a finding.
#[derive(Debug, Clone, Copy)]
pub(super) struct OvertakenMessage {
    pub(super) is_report: bool,
    /// The user's next words say that something does not work.
    pub(super) is_refuted: bool,
    /// What was said and done after it.
    pub(super) since: LaterMessages,
}

/// The later calls that changed files, the newest first.
#[derive(Debug, Default)]
pub(super) struct EditsSince<'t> {
    arguments: Vec<&'t [u8]>,
}

impl<'t> EditsSince<'t> {
    /// Takes note of the edits of a message. Returns their number.
    pub(super) fn observe(&mut self, turn: &'t ViewedTurn<'_>) -> usize {
        let mut count = 0;
        for edit in turn.calls.iter().filter(|call| edits_files(call)) {
            count += 1;
            if self.arguments.len() < MOST_LATER_EDITS {
                self.arguments.push(&edit.arguments);
            }
        }
        // An agent without tools ends its message with the edit.
        let command = final_command(&turn.text).filter(|_| turn.calls.is_empty());
        if let Some(command) = command.filter(|command| edits_by_command(command)) {
            count += 1;
            if self.arguments.len() < MOST_LATER_EDITS {
                self.arguments.push(command.as_bytes());
            }
        }
        count
    }

    /// Returns true if a later call edited something that a text names in code.
    pub(super) fn name_any_of(&self, text: &str) -> bool {
        names_in_code(text).any(|name| self.hold(name))
    }

    fn hold(&self, name: &str) -> bool {
        let search = Finder::new(name);
        let mut edits = self.arguments.iter();
        edits.any(|arguments| search.find(arguments).is_some())
    }

    /// Returns true for a sentence about what was wrong with something in code that a later call edited.
    pub(super) fn are_about(&self, text: &str) -> bool {
        if self.arguments.is_empty() || !(CAUSES.has_words(text) || TROUBLES.has_words(text)) {
            return false;
        }
        let mut names =
            names_in_code(text).filter(|name| (LEAST_NAME..=LONGEST_NAME).contains(&name.len()));
        names.any(|name| self.hold(name))
    }
}

/// Returns true for a sentence about tests that failed: all of them passed since.
pub(super) fn is_mended(text: &str, since: LaterMessages) -> bool {
    let is_about_tests = TESTS.has_words(text);
    let is_trouble = TROUBLES.has_words(text);
    since.are_tests_passed && is_about_tests && (is_trouble || CAUSES.has_words(text))
}

/// Returns true if the user answers with no.
pub(super) fn denies(turn: &ViewedTurn<'_>) -> bool {
    let text = turn.text.trim_start().to_ascii_lowercase();
    turn.role == Role::User
        && ["no,", "no.", "no ", "nope"]
            .iter()
            .any(|word| text.starts_with(word))
}

/// Returns true if a message is the result of a run in which all tests passed.
pub(super) fn shows_passed_tests(turn: &ViewedTurn<'_>) -> bool {
    if !matches!(turn.role, Role::Tool | Role::Function) {
        return false;
    }
    let end = turn
        .text
        .ceil_char_boundary(turn.text.len().saturating_sub(LONGEST_RUN_END));
    let counted: Vec<bool> = result_lines(&turn.text[end..])
        .filter(|line| counts_something(line))
        .filter_map(passed_by_line)
        .collect();
    !counted.is_empty() && counted.iter().all(|passed| *passed)
}

/// The part in bytes at the end of a result in which a run counts its tests.
const LONGEST_RUN_END: usize = 1500;

/// Returns true if later messages tell more of what a sentence is about: what was in the way is over once the
/// assistant said that it works, and its cause once a report came.
pub(super) fn is_over(text: &str, message: OvertakenMessage) -> bool {
    let is_cause = CAUSES.has_words(text);
    let is_trouble = TROUBLES.has_words(text);
    let since = message.since;
    let is_edited = since.edits >= MANY_EDITS && (is_cause || is_trouble);
    let is_reported = is_cause && !message.is_report && since.reports > 0;
    let is_denied = message.is_refuted && (SETTLED.has_words(text) || DONE.has_words(text));
    is_edited || (since.is_settled && is_trouble && !is_cause) || is_reported || is_denied
}

/// Returns true for a sentence that says that something works, and of nothing that does not.
pub(super) fn says_settled(sentence: &str) -> bool {
    SETTLED.has_words(sentence) && !TROUBLES.has_words(sentence)
}

/// Returns true if the user says in a message that something does not work.
pub(super) fn complains(turn: &ViewedTurn<'_>) -> bool {
    turn.role == Role::User
        && turn.text.len() <= LONGEST_COMPLAINT
        && COMPLAINTS.has_words(&turn.text)
}

/// Returns true for a call that changes files, by the name of its tool.
fn edits_files(call: &ViewedCall<'_>) -> bool {
    weight_of_name(&call.name) == CallWeight::Changes && !is_shell_name(&call.name)
}

/// Returns true for a command or a call in tags that changes a file.
fn edits_by_command(command: &str) -> bool {
    let call = CallForm::Command(command);
    ProgramRun::of(command).edits_file()
        || (weight_of_call(call) == CallWeight::Changes && FileChange::of(call).is_some())
}

/// Returns true if the assistant commits its work in a message.
pub(super) fn commits_in(turn: &ViewedTurn<'_>) -> bool {
    let mut calls = turn.calls.iter();
    calls.any(|call| COMMIT_SEARCH.find(&call.arguments).is_some())
}

/// Searches for a commit, for the words of what works or does not, of what was not seen, and of complaints.
static COMMIT_SEARCH: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("git commit"));
static SETTLED: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[SETTLED_WORDS]));
static TESTS: LazyLock<PhraseSearch> =
    LazyLock::new(|| PhraseSearch::new(&[&["test", "tests", "测试", "테스트"]]));
static TROUBLES: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[TROUBLE_WORDS]));
static DONE: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[DONE_WORDS]));
static COMPLAINTS: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[COMPLAINT_WORDS]));
