//! The todos of the list that was written last: which are open, which are done, and which the work since has ended.

use super::call_effects::{CallWeight, weight_of_name};
use super::call_failures::is_failure;
use super::call_form::form_of_call;
use super::exchanges::Exchanges;
use super::file_changes::FileChange;
use super::path_ends::file_name;
use super::state_entries::EntryList;
use super::task_calls::open_tasks;
use super::todos::{done_todos, open_todos, open_todos_of_tags};
use crate::summary::extract::labels::{DONE_TODOS, OLDER_TODOS, OPEN_TODOS, STALE_TODOS};
use crate::summary::extract::lex::clip::OMISSION;
use crate::summary::extract::lexicon::code_words::TEXT_ENDINGS;
use crate::transcript::Role;
use crate::transcript::view::ViewedTurn;
use hashbrown::HashSet;
use std::borrow::Cow;

/// Number of changes during which an agent that keeps a list writes it again.
const MANY_CHANGES: usize = 30;
/// Number of changes after which some of the list may be done.
const SOME_CHANGES: usize = 8;
/// Maximum length in bytes of the todos that are done.
const LONGEST_DONE: usize = 160;
/// Between todos.
const TODO_END: &str = "; ";

/// The todos of a list.
#[derive(Debug, Default)]
pub(crate) struct FinalTodos<'r> {
    /// The todos that were open when the list was last written.
    pub(crate) open: Vec<Cow<'r, str>>,
    /// The todos of the same list that were done.
    done: Vec<Cow<'r, str>>,
    /// Index of the message that holds the list.
    message: usize,
    /// The list is older than the newest request, which may be about something else.
    are_older: bool,
    /// Much was done since the list was written, so that some of it may be done.
    are_stale: bool,
}

impl<'r> FinalTodos<'r> {
    /// Returns true if a todo is open in a list that is not older than the newest request or than much else.
    pub(super) fn are_current(&self) -> bool {
        !self.are_older && !self.are_stale && !self.open.is_empty()
    }

    /// Searches for the list that was written last, which replaces that of an earlier summary. `newest_request` is the
    /// index of the message with the newest request.
    pub(super) fn find(&mut self, turns: &'r [ViewedTurn<'r>], newest_request: usize) {
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
            self.replace(open, message, false);
            self.done = done;
        }
        if let Some(open) = open_tasks(turns).filter(|open| open.message >= self.message) {
            self.replace(open.tasks, open.message, false);
        }
        self.are_older |= self.message < newest_request;
    }

    /// Replaces the open todos by those of a list in message number `message`.
    pub(crate) fn replace(&mut self, todos: Vec<Cow<'r, str>>, message: usize, are_older: bool) {
        self.open = todos;
        self.done.clear();
        self.message = message;
        self.are_older = are_older;
    }

    /// Drops the todos that only name files which were written as a whole since the list: `ValveGA and
    /// ValveSystem` once `ValveGA.cs` and `ValveSystem.cs` are.
    /// `kept` are the messages that stay, which may write files, too.
    pub(crate) fn drop_written(&mut self, exchanges: &Exchanges<'_>, kept: &[ViewedTurn<'_>]) {
        if self.open.is_empty() {
            return;
        }
        let later = exchanges.all.iter().rev();
        // A call that holds the list may write a file, too.
        let later = later.take_while(|call| call.message >= self.message);
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
        self.open.retain(|todo| {
            let mut words = todo
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .filter(|word| !word.is_empty() && !JOINING_WORDS.contains(word))
                .peekable();
            let is_written = |word: &str| is_name(word) && written.contains(word);
            words.peek().is_none() || !words.all(is_written)
        });
    }

    /// Drops those todos of the earlier summary in message number `summary` that the work since has ended.
    pub(super) fn drop_ended(&mut self, summary: usize, ends: &dyn Fn(&str) -> bool) {
        if self.message == summary {
            self.open.retain(|todo| !ends(todo));
        }
    }

    /// Drops the todos of a list that was written for an older request, and not again during many changes since:
    /// nobody knows which of them are done. Takes note if some of a newer list may be done.
    pub(super) fn drop_forgotten(&mut self, exchanges: &Exchanges<'_>) {
        if self.open.is_empty() {
            return;
        }
        let later = exchanges.all.iter().rev();
        let later = later.take_while(|call| call.message > self.message);
        let changes = later
            .filter(|call| !call.failed && call.result.is_some())
            .filter(|call| call.weight() == CallWeight::Changes);
        let changes = changes.take(MANY_CHANGES).count();
        self.are_stale = changes >= SOME_CHANGES;
        if changes == MANY_CHANGES && self.are_older {
            self.open.clear();
        }
    }

    /// Returns the todos of a list, of a stale one those at its end: the first are the first to be done.
    fn shown(&self, most: usize) -> String {
        let all = self.open.join(TODO_END);
        if !self.are_stale || self.are_older {
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

    /// Renders the open todos, and the newest of those that are done beside a current list. `room` is that of the
    /// whole state, in bytes.
    pub(super) fn render(&self, entries: &mut EntryList, room: usize) {
        if self.open.is_empty() {
            return;
        }
        let (label, most) = if self.are_older {
            (OLDER_TODOS, room / 3)
        } else if self.are_stale {
            (STALE_TODOS, room * 3 / 4)
        } else {
            (OPEN_TODOS, room * 3 / 4)
        };
        entries.push_entry(label, &self.shown(most), most);
        if self.are_current() {
            let most = (room / 3).min(LONGEST_DONE);
            let done = newest_that_fit(&self.done, most.saturating_sub(DONE_TODOS.len()));
            entries.push_entry(DONE_TODOS, &done, most);
        }
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
