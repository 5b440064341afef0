//! Reads the todos from the arguments of a call.

use super::inline_commands::{final_command, split_tagged_call};
use crate::json::python_parser::parse_python_object;
use crate::json::python_value::{PythonEntry, PythonValue};
use crate::json::wtf8_to_str;
use crate::summary::extract::lex::excerpt::first_line;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lexicon::argument_names::{
    CLOSED_TODO_STATES, DONE_TODO_STATES, TODO_LIST_KEYS, TODO_STATE_KEYS, TODO_TEXT_KEYS,
};
use memchr::memmem::Finder;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Maximum length of a todo in bytes.
const LONGEST_TODO: usize = 120;

/// A key of lists that may hold the jobs of other agents instead of todos.
const JOB_LIST_KEY: &[u8] = b"tasks";

/// What stands in the box of a todo that is done.
const CLOSED_TICKS: [&str; 4] = ["x", "X", "✓", "✔"];

/// Searches for the keys of todo lists with their opening quotation mark.
static LIST_KEY_SEARCH: LazyLock<[Finder<'static>; 5]> =
    LazyLock::new(|| TODO_LIST_KEYS.map(|key| Finder::new(&format!("\"{key}")).into_owned()));

/// Which todos of a list are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TodoState {
    Open,
    Done,
}

/// Returns the open todos of the arguments. Returns `None` if they hold no list of todos.
pub(crate) fn open_todos(arguments: &[u8]) -> Option<Vec<Cow<'static, str>>> {
    todos_in(arguments, TodoState::Open)
}

/// Returns the todos of the arguments that are done.
pub(crate) fn done_todos(arguments: &[u8]) -> Vec<Cow<'static, str>> {
    todos_in(arguments, TodoState::Done).unwrap_or_default()
}

/// Returns the todos of the arguments in a state. Returns `None` if they hold no list of todos.
fn todos_in(arguments: &[u8], state: TodoState) -> Option<Vec<Cow<'static, str>>> {
    if !LIST_KEY_SEARCH
        .iter()
        .any(|search| search.find(arguments).is_some())
    {
        return None;
    }
    let entries = parse_python_object(arguments)?;
    entries.iter().rev().find_map(|entry| match &entry.value {
        PythonValue::Array(items)
            if is_todo_list_key(&entry.key)
                && (items.is_empty() || items.iter().any(|item| is_todo(item, &entry.key))) =>
        {
            let todos = items.iter().filter_map(|item| todo_in(item, state));
            Some(todos.map(Cow::Owned).collect())
        }
        PythonValue::String(wtf8) if is_todo_list_key(&entry.key) => {
            let boxes = boxes_in(&wtf8_to_str(wtf8), state)?;
            Some(boxes.into_iter().map(Cow::Owned).collect())
        }
        _ => None,
    })
}

/// Returns the open todos of a call in tags. Returns `None` if it holds no list of todos.
pub(crate) fn open_todos_of_tags(text: &str) -> Option<Vec<Cow<'_, str>>> {
    let (_, parameters) = split_tagged_call(final_command(text)?)?;
    let mut lists = parameters
        .iter()
        .filter(|(key, _)| is_todo_list_key(key.as_bytes()));
    let open = lists.find_map(|(_, list)| boxes_in(list, TodoState::Open))?;
    Some(open.into_iter().map(Cow::Owned).collect())
}

/// Returns true if an item of a list is a todo: it has a state, or the list is called so.
fn is_todo(item: &PythonValue<'_>, list: &[u8]) -> bool {
    match item {
        PythonValue::Object(entries) => state_of(entries).is_some(),
        PythonValue::String(_) => list != JOB_LIST_KEY,
        _ => false,
    }
}

fn is_todo_list_key(key: &[u8]) -> bool {
    TODO_LIST_KEYS.iter().any(|known| known.as_bytes() == key)
}

/// Returns the text of a todo, if it is in a state.
fn todo_in(item: &PythonValue<'_>, state: TodoState) -> Option<String> {
    let entries = match item {
        PythonValue::Object(entries) => entries,
        PythonValue::String(wtf8) if state == TodoState::Open => {
            return Some(
                fold_line(strip_open_quotation(&wtf8_to_str(wtf8)), LONGEST_TODO).into_owned(),
            );
        }
        _ => return None,
    };
    // An item without a state may be anything: the job of another agent, a step of a recipe.
    let told = state_of(entries)?;
    let is_wanted = match state {
        TodoState::Open => !is_closed(&told),
        // What was dropped was not done.
        TodoState::Done => DONE_TODO_STATES
            .iter()
            .any(|done| told.eq_ignore_ascii_case(done)),
    };
    if !is_wanted {
        return None;
    }
    TODO_TEXT_KEYS
        .iter()
        .find_map(|key| text_of_key(entries, key))
        .filter(|text| !text.is_empty())
}

/// Returns the items of a Markdown list whose boxes are in a state, without those that stand for the items
/// below them. Returns `None` if the list has no boxes.
fn boxes_in(list: &str, state: TodoState) -> Option<Vec<String>> {
    let boxes: Vec<TodoBox<'_>> = list.lines().filter_map(TodoBox::parse).collect();
    let found = boxes.iter().enumerate().filter(|(at, todo)| {
        let holds_others = boxes
            .get(at + 1)
            .is_some_and(|next| next.indent > todo.indent);
        todo.is_closed == (state == TodoState::Done) && !holds_others
    });
    let texts = found.map(|(_, todo)| {
        // How much of a done one was done, says that it is not.
        let text = if todo.is_closed {
            todo.text
        } else {
            strip_progress(todo.text)
        };
        fold_line(strip_open_quotation(text), LONGEST_TODO).into_owned()
    });
    (!boxes.is_empty()).then(|| texts.collect())
}

/// An item of a Markdown list with a box: `- [x] read it`.
struct TodoBox<'t> {
    indent: usize,
    is_closed: bool,
    text: &'t str,
}

impl<'t> TodoBox<'t> {
    fn parse(line: &'t str) -> Option<Self> {
        let item = line.trim_start();
        let rest = item.strip_prefix(['-', '*', '+'])?.trim_start();
        let (tick, text) = rest.strip_prefix('[')?.split_once(']')?;
        let is_box = tick.chars().count() == 1 && !text.trim().is_empty();
        is_box.then(|| Self {
            indent: line.len() - item.len(),
            // `[-]` and `[~]` are begun, `[!]` is in trouble.
            is_closed: CLOSED_TICKS.contains(&tick),
            text: text.trim(),
        })
    }
}

/// Strips how much of a todo was done when the list was written: `Write the tests (5/12 complete)`.
fn strip_progress(text: &str) -> &str {
    let note = text
        .strip_suffix(')')
        .and_then(|text| text.rsplit_once(" ("));
    match note {
        Some((todo, note)) if counts_progress(note) => todo,
        _ => text,
    }
}

/// Returns true for a text like `5/12 complete` or `3 of 4`.
fn counts_progress(note: &str) -> bool {
    let digits = note.bytes().take_while(u8::is_ascii_digit).count();
    let rest = note[digits..].trim_start();
    digits > 0
        && (rest.strip_prefix('/').or_else(|| rest.strip_prefix("of ")))
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns the state of a todo. Returns `None` if it has none.
fn state_of(entries: &[PythonEntry<'_>]) -> Option<String> {
    TODO_STATE_KEYS.iter().find_map(|key| {
        let entry = entries
            .iter()
            .find(|entry| entry.key.as_ref() == key.as_bytes())?;
        match &entry.value {
            PythonValue::Bool(is_done) => Some(is_done.to_string()),
            _ => text_of_key(entries, key),
        }
    })
}

fn is_closed(state: &str) -> bool {
    CLOSED_TODO_STATES
        .iter()
        .any(|closed| state.eq_ignore_ascii_case(closed))
}

/// Returns the first line of the string under a key.
fn text_of_key(entries: &[PythonEntry<'_>], key: &str) -> Option<String> {
    entries.iter().find_map(|entry| match &entry.value {
        PythonValue::String(wtf8) if entry.key.as_ref() == key.as_bytes() => {
            let text = wtf8_to_str(wtf8);
            Some(fold_line(strip_open_quotation(first_line(&text)), LONGEST_TODO).into_owned())
        }
        _ => None,
    })
}

/// Cuts a text at a quotation mark that it does not close. With a mark of the next value it would
/// read as a phrase that nobody wrote.
pub(crate) fn strip_open_quotation(text: &str) -> &str {
    let end = ['"', '`']
        .into_iter()
        .filter(|&mark| text.matches(mark).count() % 2 == 1)
        .filter_map(|mark| text.rfind(mark))
        .min();
    end.map_or(text, |end| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_without_a_state_is_no_todo() {
        for arguments in [
            r#"{"tasks": [{"agent": "scout", "task": "look around"}]}"#,
            r#"{"tasks": ["look around"]}"#,
        ] {
            assert_eq!(open_todos(arguments.as_bytes()), None, "{arguments}");
        }
        for (arguments, wanted) in [
            (
                r#"{"tasks": [{"title": "a", "status": "pending"}, {"title": "b", "state": "done"}]}"#,
                vec!["a"],
            ),
            (
                r#"{"todos": [{"text": "a", "completed": false}, {"text": "b", "completed": true}]}"#,
                vec!["a"],
            ),
            (r#"{"plan": ["a", "b"]}"#, vec!["a", "b"]),
            (r#"{"todos": []}"#, vec![]),
            (
                r#"{"path": "a.c", "task_progress": "- [ ] A\n  - [x] b\n  - [ ] c (2/5 done)\n* [X] d\n- [ ] e"}"#,
                vec!["c", "e"],
            ),
        ] {
            assert_eq!(
                open_todos(arguments.as_bytes()).unwrap(),
                wanted,
                "{arguments}"
            );
        }
    }

    #[test]
    fn what_is_done_is_told_apart() {
        for (arguments, done) in [
            (
                r#"{"todos": [{"content": "a", "status": "completed"}, {"content": "b", "status": "pending"}, {"content": "c", "status": "cancelled"}]}"#,
                vec!["a"],
            ),
            (
                r#"{"task_progress": "- [x] a\n- [ ] b\n- [-] c\n- [!] d\n- [x] e (5/12 complete)"}"#,
                vec!["a", "e (5/12 complete)"],
            ),
            (r#"{"plan": ["a", "b"]}"#, vec![]),
            (r#"{"path": "a.c"}"#, vec![]),
        ] {
            assert_eq!(done_todos(arguments.as_bytes()), done, "{arguments}");
        }
    }

    #[test]
    fn an_open_quotation_is_cut() {
        assert_eq!(strip_open_quotation("say \"a\" and \"b"), "say \"a\" and ");
        assert_eq!(strip_open_quotation("`x` \"y\""), "`x` \"y\"");
    }
}
