//! Where things stand: the last action and what came of it, the request that
//! nobody answered yet, the todos that are still open.

use crate::json::python_parser::parse_python_object;
use crate::json::python_value::PythonValue;
use crate::json::wtf8_to_str;
use crate::summary::extract::facts::touched_files as files;
use crate::summary::extract::lex::argument_leaves::leaves;
use crate::summary::extract::lex::line::{block, first_line, fold, is_armed, windows};
use crate::transcript::view::{ViewedCall, ViewedTurn};
use memchr::memmem::Finder;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Argument names that hold a list of todos.
const TODO_KEYS: [&str; 4] = ["todos", "plan", "todo_list", "tasks"];
/// What finds them, each with the quotation mark before it.
static TODO_MARKS: LazyLock<[Finder<'static>; 4]> =
    LazyLock::new(|| TODO_KEYS.map(|key| Finder::new(&format!("\"{key}")).into_owned()));
/// Names under which a todo says what is to be done.
const TODO_TEXTS: &[&str] = &["content", "step", "title", "task", "text", "description"];
/// States of a todo that is no longer open.
const CLOSED: &[&str] = &[
    "completed",
    "complete",
    "done",
    "cancelled",
    "canceled",
    "deleted",
];
/// Of one argument or of a result's first line, no more bytes than this are told.
const LONGEST: usize = 120;
/// Of a text that is not told whole, fewer bytes than this say nothing.
const LEAST: usize = 20;
/// Arguments told of one call.
const MOST_ARGUMENTS: usize = 8;
/// What continues an entry on the next line.
const INDENT: &str = "  ";

/// The state at the end of a conversation.
#[derive(Debug, Default)]
pub(crate) struct FinalState<'r> {
    /// The last call.
    action: Option<&'r ViewedCall<'r>>,
    /// Its result.
    result: Option<&'r str>,
    /// The assistant's last words, if they came after that.
    reply: Option<&'r str>,
    /// What the user said last, if no words or calls of the assistant follow.
    pub(crate) unanswered: Option<&'r str>,
    /// The todos that were open when the list was last written.
    pub(crate) open: Vec<Cow<'r, str>>,
}

impl<'r> FinalState<'r> {
    pub(crate) fn is_empty(&self) -> bool {
        self.action.is_none()
            && self.reply.is_none()
            && self.unanswered.is_none()
            && self.open.is_empty()
            && self.result.is_none_or(|text| text.trim().is_empty())
    }

    pub(crate) fn user(&mut self, text: &'r str) {
        self.unanswered = Some(text);
    }

    pub(crate) fn reply(&mut self, text: &'r str) {
        if !text.trim_start().is_empty() {
            self.unanswered = None;
            self.reply = Some(text);
        }
    }

    /// Notes a call.
    pub(crate) fn call(&mut self, call: &'r ViewedCall<'r>) {
        self.action = Some(call);
        (self.result, self.unanswered) = (None, None);
    }

    /// Notes a result. Of several at once the last one counts.
    pub(crate) fn result(&mut self, text: &'r str) {
        self.reply = None;
        self.result = Some(text);
    }

    /// Looks for the list of todos that was written last; what an earlier summary said was open is older.
    pub(crate) fn todos(&mut self, turns: &'r [ViewedTurn<'r>]) {
        let newest = turns.iter().rev().flat_map(|turn| turn.calls.iter().rev());
        if let Some(open) = newest.filter_map(|call| open_todos(&call.arguments)).next() {
            self.open = open;
        }
    }

    /// Lines of at most `room` bytes, what is still to do first; and whether they say all.
    pub(crate) fn write(&self, room: usize) -> (Vec<String>, bool) {
        let mut lines = Vec::new();
        let (mut left, mut all) = (room, true);
        let mut tell = |label: &str, text: &str, share: usize| {
            let told = block(label, INDENT, text, share.min(left))
                .filter(|(told, whole)| *whole || told.len() >= label.len() + LEAST);
            all &= told.as_ref().is_none_or(|(_, whole)| *whole)
                && (told.is_some() || text.is_empty());
            let is_told = told.is_some();
            if let Some((told, _)) = told {
                left = left.saturating_sub(told.len() + 1);
                lines.push(told);
            }
            is_told
        };
        if let Some(text) = self.unanswered {
            tell("Not answered yet: ", text, room * 2 / 3);
        }
        if !self.open.is_empty() {
            tell("Open: ", &self.open.join("; "), room / 2);
        }
        if let Some(call) = self.action {
            let result = self
                .result
                .map(|text| fold(first_line(windows(text).0), LONGEST))
                .filter(|line| !line.is_empty());
            let result = result.map(|line| format!(" -> {line}")).unwrap_or_default();
            let share = if self.reply.is_some() { room / 2 } else { room };
            // Where not even the first of its values has room, its name does.
            if !tell("Last action: ", &format!("{}{result}", action(call)), share) {
                tell(
                    "Last action: ",
                    &format!("{}(…)", fold(&call.name, LONGEST)),
                    share,
                );
            }
        }
        if let Some(reply) = self.reply {
            tell("Last reply: ", reply, room);
        }
        (lines, all)
    }

    /// How many bytes would tell all.
    pub(crate) fn demand(&self) -> usize {
        let open: usize = self.open.iter().map(|todo| todo.len() + 2).sum();
        self.unanswered.map_or(0, |text| text.len() + 20)
            + open
            + self.action.map_or(0, |_| 3 * LONGEST)
            + self.reply.map_or(0, |text| text.len() + 14)
    }
}

/// A call as `name(key=value)`.
fn action(call: &ViewedCall<'_>) -> String {
    let mut told = format!("{}(", fold(&call.name, LONGEST));
    let mut number = 0;
    let arguments = if call.valid {
        std::str::from_utf8(&call.arguments).unwrap_or_default()
    } else {
        ""
    };
    leaves(arguments, &mut |key, leaf| {
        let text = if number < MOST_ARGUMENTS {
            leaf.text()
        } else {
            None
        };
        let value = text
            .as_deref()
            .map(|text| unquoted(first_line(text)))
            .unwrap_or_default();
        // What the frame would change is no path any more.
        let is_false = is_armed(value)
            && (!value.contains(char::is_whitespace) || files::is_file_key(key.name));
        if !value.is_empty() && !is_false {
            let comma = if number == 0 { "" } else { ", " };
            for part in [comma, &fold(key.name, LONGEST), "=", &fold(value, LONGEST)] {
                told.push_str(part);
            }
            number += 1;
        }
    });
    told.push(')');
    told
}

/// A text up to the quotation mark that is not closed in it: with one of the next value it would read as a phrase that nobody wrote.
fn unquoted(text: &str) -> &str {
    let end = ['"', '`']
        .into_iter()
        .filter(|&mark| text.matches(mark).count() % 2 == 1)
        .filter_map(|mark| text.rfind(mark))
        .min();
    end.map_or(text, |end| &text[..end])
}

/// The open todos, if the arguments hold a list of todos.
fn open_todos<'r>(arguments: &'r [u8]) -> Option<Vec<Cow<'r, str>>> {
    if !TODO_MARKS.iter().any(|mark| mark.find(arguments).is_some()) {
        return None;
    }
    let entries = parse_python_object(arguments)?;
    entries.iter().rev().find_map(|entry| match &entry.value {
        PythonValue::Array(items)
            if TODO_KEYS
                .iter()
                .any(|key| key.as_bytes() == entry.key.as_ref()) =>
        {
            Some(items.iter().filter_map(open).map(Cow::Owned).collect())
        }
        _ => None,
    })
}

/// What an open todo says.
fn open(item: &PythonValue<'_>) -> Option<String> {
    let entries = match item {
        PythonValue::Object(entries) => entries,
        PythonValue::String(wtf8) => {
            return Some(fold(unquoted(&wtf8_to_str(wtf8)), LONGEST).into_owned());
        }
        _ => return None,
    };
    let text = |key: &str| {
        entries.iter().find_map(|entry| match &entry.value {
            PythonValue::String(wtf8) if entry.key.as_ref() == key.as_bytes() => {
                Some(fold(unquoted(first_line(&wtf8_to_str(wtf8))), LONGEST).into_owned())
            }
            _ => None,
        })
    };
    let closed = text("status")
        .or_else(|| text("state"))
        .is_some_and(|status| {
            CLOSED
                .iter()
                .any(|closed| status.eq_ignore_ascii_case(closed))
        });
    if closed {
        None
    } else {
        TODO_TEXTS
            .iter()
            .find_map(|key| text(key))
            .filter(|text| !text.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::Role;

    fn call<'v>(name: &'v str, arguments: &'v [u8]) -> ViewedCall<'v> {
        ViewedCall {
            id: Cow::Borrowed("c"),
            name: Cow::Borrowed(name),
            arguments: Cow::Borrowed(arguments),
            valid: true,
            legacy: false,
        }
    }

    #[test]
    fn open_todos_and_the_last_action() {
        let todos = br#"{"todos": [{"content": "read it", "status": "completed"}, {"content": "fix it", "status": "pending"}, {"content": "test it", "status": "in_progress"}]}"#;
        let calls = vec![
            call("write_todos", todos),
            call("bash", br#"{"command": "cargo test"}"#),
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
        state.call(&turns[0].calls[0]);
        state.result("ok");
        state.reply("On it");
        state.call(&turns[0].calls[1]);
        state.result("\n  3 passed\nmore");
        state.todos(&turns);
        assert_eq!(
            state.write(400).0,
            [
                "Open: fix it; test it",
                "Last action: bash(command=cargo test) -> 3 passed"
            ]
        );
    }

    #[test]
    fn only_an_unanswered_request_is_one() {
        let mut state = FinalState::default();
        state.user("first");
        state.reply("answer");
        assert_eq!(state.write(400).0, ["Last reply: answer"]);
        state.user("second");
        assert_eq!(state.write(400).0[0], "Not answered yet: second");
    }

    #[test]
    fn what_has_no_room_for_its_values_has_its_name() {
        let long = format!(r#"{{"path": "/{}"}}"#, "very-long-name/".repeat(6));
        let edit = call("edit_file", long.as_bytes());
        let mut state = FinalState::default();
        state.call(&edit);
        assert_eq!(state.write(80).0, ["Last action: edit_file(…)"]);
        assert!(state.write(10).0.is_empty());
    }

    #[test]
    fn half_a_quotation_is_cut() {
        assert_eq!(unquoted("say \"a\" and \"b"), "say \"a\" and ");
        assert_eq!(unquoted("`x` \"y\""), "`x` \"y\"");
        let bash = call("bash", br#"{"command": "echo \"a", "other": "b\" c"}"#);
        assert_eq!(action(&bash), "bash(command=echo, other=b)");
    }
}
