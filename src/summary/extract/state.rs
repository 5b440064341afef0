//! Where things stand: the last action and what came of it, the request that
//! nobody answered yet, the todos that are still open.

use super::line::{Count, clip, first_line, fold, reach, windows};
use crate::transcript::arguments::{Entry, Value, parse_object};
use crate::transcript::text::wtf8_to_str;
use crate::transcript::view::TurnCall;

/// Argument names that hold a list of todos.
const TODO_KEYS: &[&str] = &["todos", "plan", "todo_list", "tasks"];
/// Names under which a todo says what is to be done.
const TODO_TEXTS: &[&str] = &["content", "step", "title", "task", "text", "description"];
/// States of a todo that is no longer open.
const CLOSED: &[&str] = &["completed", "complete", "done", "cancelled", "canceled", "deleted"];
/// Of one argument or of a result's first line, no more than this is told.
const MOST_CHARS: usize = 120;

/// The state at the end of a conversation.
#[derive(Debug, Default)]
pub(super) struct State<'r> {
    /// The last call.
    pub(super) action: Option<&'r TurnCall<'r>>,
    /// Its result.
    pub(super) result: Option<&'r str>,
    /// The assistant's last words, if they came after that.
    pub(super) reply: Option<&'r str>,
    /// What the user said last, if no words or calls of the assistant follow.
    pub(super) unanswered: Option<&'r str>,
    /// The todos that were open when the list was last written.
    pub(super) open: Vec<String>,
}

impl<'r> State<'r> {
    pub(super) fn is_empty(&self) -> bool {
        self.action.is_none()
            && self.reply.is_none()
            && self.unanswered.is_none()
            && self.open.is_empty()
            && self.result.is_none_or(|text| text.trim().is_empty())
    }

    pub(super) fn user(&mut self, text: &'r str) {
        if !text.trim().is_empty() {
            self.unanswered = Some(text);
        }
    }

    pub(super) fn reply(&mut self, text: &'r str) {
        if !text.trim().is_empty() {
            self.unanswered = None;
            self.reply = Some(text);
        }
    }

    /// Notes a call, and its list of todos if it holds one.
    pub(super) fn call(&mut self, call: &'r TurnCall<'r>, arguments: Option<&[Entry<'_>]>) {
        self.action = Some(call);
        (self.result, self.unanswered) = (None, None);
        for entry in arguments.unwrap_or_default() {
            if let (true, Value::Array(items)) = (TODO_KEYS.contains(&wtf8_to_str(&entry.key).as_ref()), &entry.value) {
                self.open = items.iter().filter_map(open).collect();
            }
        }
    }

    /// Notes a result. Of several at once the last one counts.
    pub(super) fn result(&mut self, text: &'r str) {
        self.reply = None;
        self.result = Some(text);
    }

    /// Lines that cost at most `tokens`: what is still to do first.
    pub(super) fn write(&self, tokens: usize, count: Count<'_>) -> Vec<String> {
        let mut lines = Vec::new();
        let mut left = tokens;
        let mut tell = |label: &str, text: &str, share: usize| {
            let line = format!("{label}: {}", fold(text, reach(share)));
            if let Some(line) = clip(&line, share.min(left), count).filter(|line| line.len() > label.len() + 5) {
                left -= count(&format!("{line}\n")).min(left);
                lines.push(line);
            }
        };
        if let Some(text) = self.unanswered {
            tell("Not answered yet", text, tokens * 2 / 3);
        }
        if !self.open.is_empty() {
            tell("Open", &self.open.join("; "), tokens / 2);
        }
        if let Some(call) = self.action {
            let result = self.result.map(|text| fold(first_line(windows(text).0), MOST_CHARS)).filter(|line| !line.is_empty());
            let result = result.map(|line| format!(" -> {line}")).unwrap_or_default();
            tell("Last action", &format!("{}{result}", action(call)), if self.reply.is_some() { tokens / 2 } else { tokens });
        }
        if let Some(reply) = self.reply {
            tell("Last reply", reply, tokens);
        }
        lines
    }
}

/// A call as `name(key=value)`.
fn action(call: &TurnCall<'_>) -> String {
    let told: Vec<String> = parse_object(&call.arguments).unwrap_or_default().iter().take(8).filter_map(told).collect();
    format!("{}({})", fold(&call.name, MOST_CHARS), told.join(", "))
}

/// A short argument as `key=value`.
fn told(entry: &Entry<'_>) -> Option<String> {
    let value = match &entry.value {
        Value::String(wtf8) => {
            let text = wtf8_to_str(wtf8);
            fold(first_line(&text), MOST_CHARS)
        }
        Value::Integer(number) => (*number).to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Null | Value::Float(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    let unspellable = value.is_empty() || value.contains(char::REPLACEMENT_CHARACTER);
    (!unspellable).then(|| format!("{}={value}", fold(&wtf8_to_str(&entry.key), MOST_CHARS)))
}

/// What an open todo says.
fn open(item: &Value<'_>) -> Option<String> {
    let entries = match item {
        Value::Object(entries) => entries,
        Value::String(wtf8) => return Some(fold(&wtf8_to_str(wtf8), MOST_CHARS)),
        _ => return None,
    };
    let text = |key: &str| {
        entries.iter().find_map(|entry| match &entry.value {
            Value::String(wtf8) if entry.key.as_ref() == key.as_bytes() => Some(fold(&wtf8_to_str(wtf8), MOST_CHARS)),
            _ => None,
        })
    };
    let closed = text("status").or_else(|| text("state")).is_some_and(|status| CLOSED.iter().any(|closed| status.eq_ignore_ascii_case(closed)));
    if closed { None } else { TODO_TEXTS.iter().find_map(|key| text(key)).filter(|text| !text.is_empty()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::borrow::Cow;

    fn call<'v>(name: &'v str, arguments: &'v [u8]) -> TurnCall<'v> {
        TurnCall { id: Cow::Borrowed("c"), name: Cow::Borrowed(name), arguments: Cow::Borrowed(arguments), valid: true, legacy: false }
    }

    fn quarter(text: &str) -> usize {
        text.chars().count().div_ceil(4)
    }

    #[test]
    fn open_todos_and_the_last_action() {
        let todos = br#"{"todos": [{"content": "read it", "status": "completed"}, {"content": "fix it", "status": "pending"}, {"content": "test it", "status": "in_progress"}]}"#;
        let (write, run) = (call("write_todos", todos), call("bash", br#"{"command": "cargo test"}"#));
        let mut state = State::default();
        state.call(&write, parse_object(&write.arguments).as_deref());
        state.result("ok");
        state.reply("On it");
        state.call(&run, parse_object(&run.arguments).as_deref());
        state.result("\n  3 passed\nmore");
        assert_eq!(state.write(100, &quarter), ["Open: fix it; test it", "Last action: bash(command=cargo test) -> 3 passed"]);
    }

    #[test]
    fn only_an_unanswered_request_is_one() {
        let mut state = State::default();
        state.user("first");
        state.reply("answer");
        assert_eq!(state.write(100, &quarter), ["Last reply: answer"]);
        state.user("second");
        assert_eq!(state.write(100, &quarter)[0], "Not answered yet: second");
    }
}
