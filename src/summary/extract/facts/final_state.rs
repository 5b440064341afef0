//! The state at the end of a conversation: the request that nobody answered, the todos that are
//! open, and the last words of the assistant.

use super::call_effects::{CallWeight, weight_of_name};
use super::call_failures::is_failure;
use super::call_form::form_of_call;
use super::closing_words::{closing_part, without_announcement};
use super::exchanges::Exchanges;
use super::file_changes::FileChange;
use super::finding_sentences::begins_with_intent;
use super::inline_commands::prose_before_command;
use super::lead_ins::without_lead_in;
use super::next_steps::find_next_steps;
use super::path_ends::file_name;
use super::request_log::LEAST_REQUEST;
use super::task_calls::open_tasks;
use super::todos::{done_todos, open_todos, open_todos_of_tags};
use crate::summary::extract::ablation::SummaryRule;
use crate::summary::extract::labels::{
    ANSWERED_BEFORE, DONE_TODOS, LAST_REPLY, NEXT_STEPS, NOT_ANSWERED, NOT_WRITTEN, OLDER_TODOS,
    OPEN_TODOS, SAID_BEFORE, SAID_LAST, STALE_TODOS,
};
use crate::summary::extract::lex::blocks::{FoldedBlock, fold_block, fold_block_ends};
use crate::summary::extract::lex::clip::OMISSION;
use crate::summary::extract::lex::sentences::asks_at_end;
use crate::summary::extract::lexicon::code_words::TEXT_ENDINGS;
use crate::transcript::Role;
use crate::transcript::view::ViewedTurn;
use hashbrown::HashSet;
use std::borrow::Cow;
use std::collections::VecDeque;

/// Minimum length in bytes of a clipped entry without its label.
const LEAST_CLIPPED: usize = 20;
/// Minimum length in bytes of what the assistant said before a result, and the most of it that is shown.
const LEAST_SAID: usize = 80;
const MOST_SAID: usize = 3;
/// The most that is shown of what was said before work that goes on, in bytes.
const LONGEST_SAID: usize = 180;
/// How the first word of what is about to be done ends: `Implementing the valve`.
const DOING: &str = "ing";
/// Words that end so and tell no doing: `Everything passes.`
const NO_DOING: [&str; 5] = ["Nothing", "Everything", "Something", "Anything", "During"];
/// Maximum length in bytes of a reply that is shown as a whole.
const SHORT_REPLY: usize = 240;
/// Minimum room in bytes for the beginning and the end of a reply.
const LEAST_FOR_ENDS: usize = 360;
/// Number of changes during which an agent that keeps a list writes it again.
const MANY_CHANGES: usize = 30;
/// Number of changes after which some of the list may be done.
const SOME_CHANGES: usize = 8;
/// The opening of what says nothing to go on from.
const APOLOGY: &str = "My apologies";
/// Maximum length in bytes of the todos that are done.
const LONGEST_DONE: usize = 160;
/// Between todos.
const TODO_END: &str = "; ";
/// Before the further lines of an entry.
const INDENT: &str = "  ";

/// The state at the end of a conversation.
#[derive(Debug, Default)]
pub(crate) struct FinalState<'r> {
    /// The assistant's last words, unless a result came after them.
    reply: Option<&'r str>,
    /// The user's last words, unless words or calls of the assistant came after them.
    pub(crate) unanswered: Option<Cow<'r, str>>,
    /// What the assistant answered when the user asked the last question for the first time. The form that
    /// was wanted then is wanted again.
    pub(crate) earlier_answer: Option<&'r str>,
    /// What the assistant said lately, newest first, also before results.
    said: VecDeque<&'r str>,
    /// What it said last, however little.
    last_said: Option<&'r str>,
    /// The steps that the assistant named last.
    pub(crate) next_steps: Vec<String>,
    /// The todos that were open when the list was last written.
    pub(crate) open_todos: Vec<Cow<'r, str>>,
    /// The todos of the same list that were done.
    done_todos: Vec<Cow<'r, str>>,
    /// The files of a list that the user asked for and that nobody wrote so far.
    pub(super) missing_files: Vec<String>,
    /// Index of the message that holds their list.
    todos_message: usize,
    /// The list of todos is older than the newest request, which may be about something else.
    are_todos_older: bool,
    /// Much was done since the list was written, so that some of it may be done.
    are_todos_stale: bool,
    /// The assistant acts or speaks in the messages that stay: nothing here was the last.
    pub(crate) goes_on: bool,
    /// The user answers the last words, here or at the start of the messages that stay.
    pub(crate) is_answered: bool,
    /// The assistant speaks in the messages that stay.
    pub(crate) is_said_later: bool,
    /// The user asks something in the messages that stay.
    pub(crate) is_asked_later: bool,
}

impl<'r> FinalState<'r> {
    pub(crate) fn is_empty(&self) -> bool {
        self.reply.is_none() && self.unanswered.is_none() && self.open_todos.is_empty()
    }

    /// Returns true if the last reply is short enough to be shown and holds a sentence.
    pub(crate) fn shows(&self, sentence: &str) -> bool {
        let is_said =
            |text: &str| text[..text.floor_char_boundary(LONGEST_SAID)].contains(sentence);
        let goes_on = self.goes_on && !self.is_answered;
        (self.reply).is_some_and(|reply| reply.len() <= SHORT_REPLY && reply.contains(sentence))
            || (goes_on
                && self
                    .said_before_work()
                    .is_some_and(|(_, text)| is_said(text)))
    }

    /// Returns true if todos or steps are left to do, or a question stands again.
    pub(crate) fn names_open_work(&self) -> bool {
        !self.open_todos.is_empty() || self.names_steps()
    }

    /// Returns true if work is left to do that is not older than the newest request or than much else.
    pub(crate) fn names_current_work(&self) -> bool {
        let are_todos_current = !self.are_todos_older && !self.are_todos_stale;
        (are_todos_current && !self.open_todos.is_empty()) || self.names_steps()
    }

    /// Returns true if anything but todos is left to do.
    fn names_steps(&self) -> bool {
        !self.next_steps.is_empty()
            || !self.missing_files.is_empty()
            || self.earlier_answer.is_some()
    }

    pub(crate) fn observe_request(&mut self, text: Cow<'r, str>) {
        // What was said before it is answered by it; `yes` speaks of it.
        if text.len() >= LEAST_REQUEST {
            self.said.clear();
            self.last_said = None;
            self.reply = self.reply.filter(|reply| !asks_at_end(reply));
        }
        self.unanswered = Some(text);
    }

    pub(crate) fn observe_reply(&mut self, text: &'r str) {
        if !text.trim_start().is_empty() {
            self.unanswered = None;
            self.reply = Some(text);
            self.last_said = Some(text);
            let prose = prose_before_command(text).trim();
            if prose.len() >= LEAST_SAID && !prose.starts_with(APOLOGY) {
                self.said.push_front(text);
                self.said.truncate(MOST_SAID);
            }
        }
    }

    /// Takes note of a call, which answers the user.
    pub(crate) fn observe_call(&mut self) {
        self.unanswered = None;
    }

    /// Takes note of a result. What the assistant said before it is not its last word.
    pub(crate) fn observe_result(&mut self) {
        self.reply = None;
    }

    /// Replaces the open todos by those of a list in message number `message`.
    pub(crate) fn replace_todos(
        &mut self,
        todos: Vec<Cow<'r, str>>,
        message: usize,
        are_older: bool,
    ) {
        self.open_todos = todos;
        self.done_todos.clear();
        self.todos_message = message;
        self.are_todos_older = are_older;
    }

    /// Searches for the list of todos that was written last, which replaces that of an earlier summary,
    /// else for the steps that the assistant named last. `newest_request` is the index of the message
    /// with the newest request.
    pub(crate) fn find_open_todos(&mut self, turns: &'r [ViewedTurn<'r>], newest_request: usize) {
        let newest_first = turns.iter().enumerate().rev();
        let mut lists = newest_first.filter_map(|(message, turn)| {
            let mut calls = turn.calls.iter().rev();
            let todos = |call| {
                let arguments = form_of_call(call).text().as_bytes();
                Some((open_todos(arguments)?, done_todos(arguments)))
            };
            let lists = calls.find_map(todos);
            let lists = lists.or_else(|| Some((open_todos_of_turn(turn)?, Vec::new())));
            Some((message, lists?))
        });
        if let Some((message, (open, done))) = lists.next() {
            self.replace_todos(open, message, false);
            self.done_todos = done;
        }
        if let Some(open) = open_tasks(turns).filter(|open| open.message >= self.todos_message) {
            self.replace_todos(open.tasks, open.message, false);
        }
        self.are_todos_older |= self.todos_message < newest_request;
        if self.open_todos.is_empty() && self.unanswered.is_none() {
            self.next_steps = find_next_steps(turns);
        }
    }

    /// Drops the todos that only name files which were written as a whole since the list: `ValveGA and
    /// ValveSystem` once `ValveGA.cs` and `ValveSystem.cs` are.
    /// `kept` are the messages that stay, which may write files, too.
    pub(crate) fn drop_written_todos(
        &mut self,
        exchanges: &Exchanges<'_>,
        kept: &[ViewedTurn<'_>],
    ) {
        if self.open_todos.is_empty() {
            return;
        }
        let later = exchanges.all.iter().rev();
        // A call that holds the list may write a file, too.
        let later = later.take_while(|call| call.message >= self.todos_message);
        let changes = later
            .filter(|call| !call.failed && call.result.is_some())
            .filter(|call| call.weight() == CallWeight::Changes)
            .filter_map(|call| FileChange::of(call.call));
        let whole = changes
            .chain(changes_in(kept))
            .filter(|change| change.is_whole);
        let written: HashSet<String> = whole
            .filter_map(|change| stem_of_code(&change.path).map(str::to_owned))
            .collect();
        self.open_todos.retain(|todo| {
            let mut words = todo
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .filter(|word| !word.is_empty() && !JOINING_WORDS.contains(word))
                .peekable();
            let is_written = |word: &str| is_name(word) && written.contains(word);
            words.peek().is_none() || !words.all(is_written)
        });
    }

    /// Drops those todos of the earlier summary in message number `summary` that the work since has ended.
    pub(super) fn drop_ended_todos(&mut self, summary: usize, ends: &dyn Fn(&str) -> bool) {
        if self.todos_message == summary {
            self.open_todos.retain(|todo| !ends(todo));
        }
    }

    /// Drops the todos of a list that was written for an older request, and not again during many changes since:
    /// nobody knows which of them are done. Takes note if some of a newer list may be done.
    pub(super) fn drop_forgotten_todos(&mut self, exchanges: &Exchanges<'_>) {
        if self.open_todos.is_empty() {
            return;
        }
        let later = exchanges.all.iter().rev();
        let later = later.take_while(|call| call.message > self.todos_message);
        let changes = later
            .filter(|call| !call.failed && call.result.is_some())
            .filter(|call| call.weight() == CallWeight::Changes);
        let changes = changes.take(MANY_CHANGES).count();
        self.are_todos_stale = changes >= SOME_CHANGES;
        if changes == MANY_CHANGES && self.are_todos_older {
            self.open_todos.clear();
        }
    }

    /// Returns what the assistant said last, if the messages that stay only go on with calls, with its label.
    fn said_before_work(&self) -> Option<(&'static str, &'r str)> {
        if self.is_said_later {
            return None;
        }
        let mut said = self.said.iter().filter_map(|&text| {
            let told = without_announcement(told_prose(text).trim_start());
            let first = told.split(' ').next().unwrap_or_default();
            let is_told =
                !begins_with_intent(told) && (!first.ends_with(DOING) || NO_DOING.contains(&first));
            let label = if self.last_said == Some(text) {
                SAID_LAST
            } else {
                SAID_BEFORE
            };
            is_told.then_some((label, told))
        });
        said.next()
    }

    /// Returns the todos of a list, of a stale one those at its end: the first are the first to be done.
    fn shown_todos(&self, most: usize) -> String {
        let all = self.open_todos.join(TODO_END);
        if !self.are_todos_stale || self.are_todos_older {
            return all;
        }
        let mut start = 0;
        let room = most.saturating_sub(STALE_TODOS.len() + OMISSION.len() + TODO_END.len());
        while all.len() - start > room
            && let Some(end) = all[start..].find(TODO_END)
        {
            start += end + TODO_END.len();
        }
        if start == 0 {
            all
        } else {
            format!("{OMISSION}{TODO_END}{}", &all[start..])
        }
    }

    /// Renders lines of at most `room` bytes together, open tasks first. With `all` they also tell what
    /// the assistant said before the last results.
    pub(crate) fn render(&self, room: usize, all: bool) -> Vec<String> {
        let mut entries = EntryList {
            lines: Vec::new(),
            left: room,
        };
        if SummaryRule::State.is_off() {
            return entries.lines;
        }
        if let Some(text) = &self.unanswered {
            entries.push_entry(NOT_ANSWERED, text, room * 2 / 3);
        }
        if let Some(answer) = self.earlier_answer {
            entries.push_ends(ANSWERED_BEFORE, answer, room * 2 / 3);
        }
        if !self.open_todos.is_empty() {
            let (label, most) = if self.are_todos_older {
                (OLDER_TODOS, room / 3)
            } else if self.are_todos_stale {
                (STALE_TODOS, room * 3 / 4)
            } else {
                (OPEN_TODOS, room * 3 / 4)
            };
            entries.push_entry(label, &self.shown_todos(most), most);
        }
        if !self.open_todos.is_empty() && !self.are_todos_older && !self.are_todos_stale {
            let most = (room / 3).min(LONGEST_DONE);
            let done = newest_that_fit(&self.done_todos, most.saturating_sub(DONE_TODOS.len()));
            entries.push_entry(DONE_TODOS, &done, most);
        }
        if !self.missing_files.is_empty() {
            entries.push_entry(NOT_WRITTEN, &self.missing_files.join(" "), room / 2);
        }
        if !self.next_steps.is_empty() {
            entries.push_entry(NEXT_STEPS, &self.next_steps.join(" / "), room * 3 / 4);
        }
        // What came of the last words, the messages that stay show, unless the user answered them.
        if self.goes_on && !self.is_answered {
            if let Some((label, text)) = self.said_before_work() {
                entries.push_closing(label, text, room.min(LONGEST_SAID));
            }
            return entries.lines;
        }
        // The command at the end of a reply is the last action.
        let is_told = |reply: &&str| self.earlier_answer != Some(reply.trim());
        if let Some(reply) = self.reply.filter(is_told).map(told_prose) {
            let label = if self.goes_on {
                SAID_BEFORE
            } else {
                LAST_REPLY
            };
            entries.push_ends(label, reply, room);
        } else if all {
            let first = if self.goes_on { SAID_BEFORE } else { SAID_LAST };
            let labels = std::iter::once(first).chain(std::iter::repeat(SAID_BEFORE));
            // What the assistant was about to do, the messages that stay show.
            let said = self.said.iter().filter(|text| {
                !self.goes_on || !begins_with_intent(prose_before_command(text).trim_start())
            });
            for (text, label) in said.zip(labels) {
                entries.push_closing(label, told_prose(text), room);
            }
        }
        entries.lines
    }
}

/// Returns the open todos of a message without calls whose text ends with one.
fn open_todos_of_turn<'r>(turn: &'r ViewedTurn<'r>) -> Option<Vec<Cow<'r, str>>> {
    let may_hold = turn.role == Role::Assistant && turn.calls.is_empty();
    may_hold.then(|| open_todos_of_tags(&turn.text)).flatten()
}

/// Returns the changes of files by calls that worked in messages.
pub(super) fn changes_in(turns: &[ViewedTurn<'_>]) -> impl Iterator<Item = FileChange> {
    let with_next = turns.iter().zip(turns.iter().skip(1));
    let worked = with_next.filter(|(turn, result)| {
        turn.calls.len() == 1
            && weight_of_name(&turn.calls[0].name) == CallWeight::Changes
            && result.role == Role::Tool
            && !result.failed
            && !is_failure(&result.text)
    });
    worked.filter_map(|(turn, _)| FileChange::of(form_of_call(&turn.calls[0])))
}

/// Returns the name of a file of code without its folders and its ending. `pump.test.cs` and `pump.md` are
/// other things than the pump.
fn stem_of_code(path: &str) -> Option<&str> {
    let (stem, ending) = file_name(path).split_once('.')?;
    (!TEXT_ENDINGS.contains(&ending) && !ending.contains('.')).then_some(stem)
}

/// Returns true for a name as programs have them: `ValveGA`, `set_speed`.
fn is_name(word: &str) -> bool {
    let inner = word.get(1..).unwrap_or_default();
    inner.contains('_') || inner.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// Words of a todo that name nothing.
const JOINING_WORDS: [&str; 9] = [
    "and",
    "the",
    "a",
    "Add",
    "Create",
    "Write",
    "Implement",
    "file",
    "files",
];

/// Entries within the room that is left.
struct EntryList {
    lines: Vec<String>,
    /// Room that is left, in bytes.
    left: usize,
}

impl EntryList {
    /// Adds an entry of at most `most` bytes, if a part that is worth its room fits.
    fn push_entry(&mut self, label: &str, text: &str, most: usize) {
        self.push_block(label, fold_block(label, INDENT, text, most.min(self.left)));
    }

    /// Adds an entry like `push_entry`, of a long one its beginning and its end.
    fn push_ends(&mut self, label: &str, text: &str, most: usize) {
        let room = most.min(self.left);
        if room < LEAST_FOR_ENDS {
            self.push_closing(label, text, most);
        } else {
            self.push_block(label, fold_block_ends(label, INDENT, text, room));
        }
    }

    /// Adds an entry like `push_entry`, of a long one what it comes to at its end.
    fn push_closing(&mut self, label: &str, text: &str, most: usize) {
        let room = most.min(self.left);
        let closing = closing_part(text, room.saturating_sub(label.len() + 1));
        self.push_entry(label, closing, most);
    }

    fn push_block(&mut self, label: &str, block: Option<FoldedBlock>) {
        let Some(block) = block
            .filter(|block| block.is_complete || block.text.len() >= label.len() + LEAST_CLIPPED)
        else {
            return;
        };
        self.left = self.left.saturating_sub(block.text.len() + 1);
        self.lines.push(block.text);
    }
}

/// Returns the newest todos, the last of a list, that fit in `room` bytes together.
fn newest_that_fit(todos: &[Cow<'_, str>], room: usize) -> String {
    let mut length = 0;
    let newest = todos.iter().rev().take_while(|todo| {
        length += todo.len() + TODO_END.len();
        length <= room + TODO_END.len()
    });
    let first = todos.len() - newest.count();
    todos[first..].join(TODO_END)
}

/// Returns what a reply says before a command at its end, without what only leads in to it.
fn told_prose(reply: &str) -> &str {
    without_lead_in(prose_before_command(reply))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::view::ViewedCall;

    fn call_of<'v>(name: &'v str, arguments: &'v [u8]) -> ViewedCall<'v> {
        ViewedCall {
            id: Cow::Borrowed("c"),
            name: Cow::Borrowed(name),
            arguments: Cow::Borrowed(arguments),
            valid: true,
            legacy: false,
        }
    }

    #[test]
    fn a_question_that_was_answered_is_no_last_reply() {
        let mut state = FinalState::default();
        state.observe_reply("It costs 4. Shall I book it, or another one?");
        state.observe_request("Book it for the 3rd, please.".into());
        assert!(state.reply.is_none());
        state.observe_reply("It costs 4.");
        state.observe_request("Then book it for the 3rd, please.".into());
        assert_eq!(state.reply, Some("It costs 4."));
    }

    #[test]
    fn open_todos_are_listed_and_a_reply_before_a_result_is_not_the_last_word() {
        let todos = br#"{"todos": [{"content": "read it", "status": "completed"}, {"content": "fix it", "status": "pending"}, {"content": "test it", "status": "in_progress"}]}"#;
        let calls = vec![
            call_of("write_todos", todos),
            call_of("bash", br#"{"command": "cargo test"}"#),
        ];
        let turns = [ViewedTurn {
            role: Role::Assistant,
            text: Cow::Borrowed(""),
            calls,
            tool: None,
            answers: Cow::Borrowed(""),
            failed: false,
            earlier_summary: false,
        }];
        let mut state = FinalState::default();
        state.observe_reply("On it");
        state.observe_call();
        state.observe_result();
        state.find_open_todos(&turns, 0);
        assert_eq!(
            state.render(400, false),
            ["Open: fix it; test it", "Done so far: read it"]
        );
    }

    #[test]
    fn an_answered_request_is_not_listed() {
        let mut state = FinalState::default();
        state.observe_request("first".into());
        state.observe_reply("answer");
        assert_eq!(state.render(400, false), ["Last reply: answer"]);
        state.observe_request("second".into());
        assert_eq!(state.render(400, false)[0], "Not answered yet: second");
    }
}
