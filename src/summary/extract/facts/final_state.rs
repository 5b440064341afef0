//! The state at the end of a conversation: the last action and its result, the
//! request that nobody answered, and the todos that are open.

use super::argument_keys::is_file_key;
use super::todos::{open_todos, strip_open_quotation};
use crate::summary::extract::labels::{LAST_ACTION, LAST_REPLY, NOT_ANSWERED, OPEN_TODOS};
use crate::summary::extract::lex::argument_leaves::visit_leaves;
use crate::summary::extract::lex::blocks::fold_block;
use crate::summary::extract::lex::excerpt::{both_ends, first_line};
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::frame::has_frame_tag;
use crate::transcript::view::{ViewedCall, ViewedTurn};
use std::borrow::Cow;

/// Maximum length in bytes of a tool's name, an argument or the first line of a result.
const LONGEST_PART: usize = 120;
/// Minimum length in bytes of a clipped entry without its label.
const LEAST_CLIPPED: usize = 20;
/// Maximum number of arguments shown of a call.
const MOST_ARGUMENTS: usize = 8;
/// Before the further lines of an entry.
const INDENT: &str = "  ";

/// The state at the end of a conversation.
#[derive(Debug, Default)]
pub(crate) struct FinalState<'r> {
    /// The last call.
    call: Option<&'r ViewedCall<'r>>,
    /// The result of the last call.
    result: Option<&'r str>,
    /// The assistant's last words, unless a result came after them.
    reply: Option<&'r str>,
    /// The user's last words, unless words or calls of the assistant came after them.
    pub(crate) unanswered: Option<&'r str>,
    /// The todos that were open when the list was last written.
    pub(crate) open_todos: Vec<Cow<'r, str>>,
}

impl<'r> FinalState<'r> {
    pub(crate) fn is_empty(&self) -> bool {
        self.call.is_none()
            && self.reply.is_none()
            && self.unanswered.is_none()
            && self.open_todos.is_empty()
            && self.result.is_none_or(|text| text.trim().is_empty())
    }

    pub(crate) fn observe_request(&mut self, text: &'r str) {
        self.unanswered = Some(text);
    }

    pub(crate) fn observe_reply(&mut self, text: &'r str) {
        if !text.trim_start().is_empty() {
            self.unanswered = None;
            self.reply = Some(text);
        }
    }

    pub(crate) fn observe_call(&mut self, call: &'r ViewedCall<'r>) {
        self.call = Some(call);
        (self.result, self.unanswered) = (None, None);
    }

    /// Takes note of a result. The last of several results counts.
    pub(crate) fn observe_result(&mut self, text: &'r str) {
        self.reply = None;
        self.result = Some(text);
    }

    /// Searches for the list of todos that was written last. It replaces that of an earlier
    /// summary.
    pub(crate) fn find_open_todos(&mut self, turns: &'r [ViewedTurn<'r>]) {
        let newest_first = turns.iter().rev().flat_map(|turn| turn.calls.iter().rev());
        if let Some(open) = newest_first
            .filter_map(|call| open_todos(&call.arguments))
            .next()
        {
            self.open_todos = open;
        }
    }

    /// Renders lines of at most `room` bytes together, open tasks first.
    pub(crate) fn render(&self, room: usize) -> Vec<String> {
        let mut entries = EntryList {
            lines: Vec::new(),
            left: room,
        };
        if let Some(text) = self.unanswered {
            entries.push_entry(NOT_ANSWERED, text, room * 2 / 3);
        }
        if !self.open_todos.is_empty() {
            entries.push_entry(OPEN_TODOS, &self.open_todos.join("; "), room / 2);
        }
        if let Some(call) = self.call {
            let result = self
                .result
                .map(|text| fold_line(first_line(both_ends(text).0), LONGEST_PART))
                .filter(|line| !line.is_empty())
                .map(|line| format!(" -> {line}"))
                .unwrap_or_default();
            let most = if self.reply.is_some() { room / 2 } else { room };
            let action = format!("{}{result}", format_call(call));
            // Without room for the first argument, the name still has room.
            if !entries.push_entry(LAST_ACTION, &action, most) {
                let name = format!("{}(…)", fold_line(&call.name, LONGEST_PART));
                entries.push_entry(LAST_ACTION, &name, most);
            }
        }
        if let Some(reply) = self.reply {
            entries.push_entry(LAST_REPLY, reply, room);
        }
        entries.lines
    }

    /// Returns the approximate number of bytes that the complete state takes.
    pub(crate) fn byte_demand(&self) -> usize {
        let open_todos: usize = self.open_todos.iter().map(|todo| todo.len() + 2).sum();
        self.unanswered.map_or(0, |text| text.len() + 20)
            + open_todos
            + self.call.map_or(0, |_| 3 * LONGEST_PART)
            + self.reply.map_or(0, |text| text.len() + 14)
    }
}

/// Entries within the room that is left.
struct EntryList {
    lines: Vec<String>,
    /// Room that is left, in bytes.
    left: usize,
}

impl EntryList {
    /// Adds an entry of at most `most` bytes. Returns false if a part that is worth its room does
    /// not fit.
    fn push_entry(&mut self, label: &str, text: &str, most: usize) -> bool {
        let Some(block) = fold_block(label, INDENT, text, most.min(self.left))
            .filter(|block| block.is_complete || block.text.len() >= label.len() + LEAST_CLIPPED)
        else {
            return false;
        };
        self.left = self.left.saturating_sub(block.text.len() + 1);
        self.lines.push(block.text);
        true
    }
}

/// Formats a call as `name(key=value)`.
fn format_call(call: &ViewedCall<'_>) -> String {
    let mut formatted = format!("{}(", fold_line(&call.name, LONGEST_PART));
    let mut shown = 0;
    let arguments = if call.valid {
        std::str::from_utf8(&call.arguments).unwrap_or_default()
    } else {
        ""
    };
    visit_leaves(arguments, &mut |key, leaf| {
        if shown >= MOST_ARGUMENTS {
            return;
        }
        let text = leaf.decode();
        let value = text
            .as_deref()
            .map(|text| strip_open_quotation(first_line(text)))
            .unwrap_or_default();
        // Breaking the tags in a path would make it another path.
        let is_broken =
            has_frame_tag(value) && (!value.contains(char::is_whitespace) || is_file_key(key.name));
        if !value.is_empty() && !is_broken {
            formatted.push_str(if shown == 0 { "" } else { ", " });
            formatted.push_str(&fold_line(key.name, LONGEST_PART));
            formatted.push('=');
            formatted.push_str(&fold_line(value, LONGEST_PART));
            shown += 1;
        }
    });
    formatted.push(')');
    formatted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::Role;

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
    fn open_todos_and_the_last_action() {
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
        state.observe_call(&turns[0].calls[0]);
        state.observe_result("ok");
        state.observe_reply("On it");
        state.observe_call(&turns[0].calls[1]);
        state.observe_result("\n  3 passed\nmore");
        state.find_open_todos(&turns);
        assert_eq!(
            state.render(400),
            [
                "Open: fix it; test it",
                "Last action: bash(command=cargo test) -> 3 passed"
            ]
        );
    }

    #[test]
    fn an_answered_request_is_not_listed() {
        let mut state = FinalState::default();
        state.observe_request("first");
        state.observe_reply("answer");
        assert_eq!(state.render(400), ["Last reply: answer"]);
        state.observe_request("second");
        assert_eq!(state.render(400)[0], "Not answered yet: second");
    }

    #[test]
    fn without_room_for_the_values_the_name_stays() {
        let long = format!(r#"{{"path": "/{}"}}"#, "very-long-name/".repeat(6));
        let edit = call_of("edit_file", long.as_bytes());
        let mut state = FinalState::default();
        state.observe_call(&edit);
        assert_eq!(state.render(80), ["Last action: edit_file(…)"]);
        assert!(state.render(10).is_empty());
    }

    #[test]
    fn an_open_quotation_of_an_argument_is_cut() {
        let bash = call_of("bash", br#"{"command": "echo \"a", "other": "b\" c"}"#);
        assert_eq!(format_call(&bash), "bash(command=echo, other=b)");
    }
}
