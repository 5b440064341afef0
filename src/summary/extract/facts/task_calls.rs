//! Reads the open tasks of agents that keep their list by single calls: one adds a task, another sets its
//! state by its number.

use super::todos::strip_open_quotation;
use crate::json::python_parser::parse_python_object;
use crate::json::python_value::{PythonEntry, PythonValue};
use crate::json::wtf8_to_str;
use crate::summary::extract::lex::excerpt::first_line;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lexicon::argument_names::{
    CLOSED_TODO_STATES, TASK_NUMBER_KEYS, TASK_TEXT_KEYS, TODO_STATE_KEYS,
};
use crate::transcript::view::{ViewedCall, ViewedTurn};
use std::borrow::Cow;

/// Maximum length of a task in bytes.
const LONGEST_TASK: usize = 100;
/// The names of the tools of Claude Code that add a task and change one.
const CREATING_TOOL: &str = "TaskCreate";
const UPDATING_TOOL: &str = "TaskUpdate";

/// Returns true for the name of a tool that keeps a list of tasks by single calls.
pub(super) fn keeps_tasks(tool: &str) -> bool {
    tool == CREATING_TOOL || tool == UPDATING_TOOL
}

/// The tasks that single calls leave open.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OpenTasks<'r> {
    pub(super) tasks: Vec<Cow<'r, str>>,
    /// Index of the message with the last of these calls.
    pub(super) message: usize,
}

/// A task with its number, from 1 on in the order in which they were added.
struct Task {
    text: String,
    is_open: bool,
}

/// Returns the tasks that are open after all calls. Returns `None` if no call adds one.
pub(super) fn open_tasks<'r>(turns: &[ViewedTurn<'_>]) -> Option<OpenTasks<'r>> {
    let mut tasks: Vec<Task> = Vec::new();
    let mut last = 0;
    for (message, turn) in turns.iter().enumerate() {
        for call in turn.calls.iter().filter(|call| keeps_tasks(&call.name)) {
            observe_call(call, &mut tasks);
            last = message;
        }
    }
    let open = tasks.iter().filter(|task| task.is_open);
    (!tasks.is_empty()).then(|| OpenTasks {
        tasks: open.map(|task| Cow::Owned(task.text.clone())).collect(),
        message: last,
    })
}

/// Returns the numbers of the tasks that calls close, in their order.
pub(super) fn closed_tasks(turns: &[ViewedTurn<'_>]) -> Vec<String> {
    let calls = turns.iter().flat_map(|turn| turn.calls.iter());
    let updates = calls.filter(|call| call.name == UPDATING_TOOL);
    let closed = updates.filter_map(|call| {
        let entries = parse_python_object(&call.arguments)?;
        let number = text_of_keys(&entries, &TASK_NUMBER_KEYS)?;
        states_end(&entries).then_some(number)
    });
    closed.collect()
}

/// Returns true if the state of a task says that it is over.
fn states_end(entries: &[PythonEntry<'_>]) -> bool {
    text_of_keys(entries, TODO_STATE_KEYS).is_some_and(|state| {
        CLOSED_TODO_STATES
            .iter()
            .any(|closed| state.eq_ignore_ascii_case(closed))
    })
}

fn observe_call(call: &ViewedCall<'_>, tasks: &mut Vec<Task>) {
    let Some(entries) = parse_python_object(&call.arguments) else {
        return;
    };
    let text = text_of_keys(&entries, &TASK_TEXT_KEYS);
    let is_closed = states_end(&entries);
    if call.name == CREATING_TOOL {
        tasks.extend(text.map(|text| Task {
            text,
            is_open: !is_closed,
        }));
        return;
    }
    let number =
        text_of_keys(&entries, &TASK_NUMBER_KEYS).and_then(|number| number.parse::<usize>().ok());
    let task = number.and_then(|number| tasks.get_mut(number.checked_sub(1)?));
    if let Some(task) = task {
        task.is_open &= !is_closed;
        if let Some(text) = text {
            task.text = text;
        }
    }
}

/// Returns the first line of the text or the number under the first of some keys.
fn text_of_keys(entries: &[PythonEntry<'_>], keys: &[&str]) -> Option<String> {
    let mut found = keys.iter().filter_map(|key| {
        let entry = entries
            .iter()
            .find(|entry| entry.key.as_ref() == key.as_bytes())?;
        match &entry.value {
            PythonValue::String(wtf8) => {
                let text = wtf8_to_str(wtf8);
                let line = strip_open_quotation(first_line(&text));
                Some(fold_line(line, LONGEST_TASK).into_owned())
            }
            _ => None,
        }
    });
    found.find(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::Role;

    fn turn_of(name: &'static str, arguments: &'static str) -> ViewedTurn<'static> {
        ViewedTurn {
            role: Role::Assistant,
            text: Cow::Borrowed(""),
            calls: vec![ViewedCall {
                id: Cow::Borrowed("c"),
                name: Cow::Borrowed(name),
                arguments: Cow::Borrowed(arguments.as_bytes()),
                valid: true,
                legacy: false,
            }],
            tool: None,
            answers: Cow::Borrowed(""),
            failed: false,
            earlier_summary: false,
        }
    }

    #[test]
    fn tasks_are_open_until_a_call_closes_them() {
        let turns = [
            turn_of(
                "TaskCreate",
                r#"{"subject": "Mend the pump", "description": "with tape"}"#,
            ),
            turn_of("TaskCreate", r#"{"subject": "Test it"}"#),
            turn_of("TaskCreate", r#"{"subject": "Ship it"}"#),
            turn_of("TaskUpdate", r#"{"taskId": "1", "status": "completed"}"#),
            turn_of("TaskUpdate", r#"{"taskId": "3", "subject": "Ship both"}"#),
            turn_of("TaskUpdate", r#"{"taskId": "9", "status": "completed"}"#),
        ];
        let open = open_tasks(&turns).unwrap();
        assert_eq!(
            (open.tasks.as_slice(), open.message),
            (&["Test it".into(), "Ship both".into()][..], 5)
        );
        assert!(open_tasks(&turns[3..]).is_none());
    }
}
