//! The state at the end of a conversation: the request that nobody answered, the todos that are
//! open, and the last words of the assistant.

use super::inline_commands::prose_before_command;
use super::todos::open_todos;
use crate::summary::extract::ablation::SummaryRule;
use crate::summary::extract::labels::{LAST_REPLY, NOT_ANSWERED, OPEN_TODOS};
use crate::summary::extract::lex::blocks::fold_block;
use crate::transcript::view::ViewedTurn;
use std::borrow::Cow;

/// Minimum length in bytes of a clipped entry without its label.
const LEAST_CLIPPED: usize = 20;
/// Before the further lines of an entry.
const INDENT: &str = "  ";

/// The state at the end of a conversation.
#[derive(Debug, Default)]
pub(crate) struct FinalState<'r> {
    /// The assistant's last words, unless a result came after them.
    reply: Option<&'r str>,
    /// The user's last words, unless words or calls of the assistant came after them.
    pub(crate) unanswered: Option<Cow<'r, str>>,
    /// The todos that were open when the list was last written.
    pub(crate) open_todos: Vec<Cow<'r, str>>,
}

impl<'r> FinalState<'r> {
    pub(crate) fn is_empty(&self) -> bool {
        self.reply.is_none() && self.unanswered.is_none() && self.open_todos.is_empty()
    }

    pub(crate) fn observe_request(&mut self, text: Cow<'r, str>) {
        self.unanswered = Some(text);
    }

    pub(crate) fn observe_reply(&mut self, text: &'r str) {
        if !text.trim_start().is_empty() {
            self.unanswered = None;
            self.reply = Some(text);
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
        if SummaryRule::State.is_off() {
            return entries.lines;
        }
        if let Some(text) = &self.unanswered {
            entries.push_entry(NOT_ANSWERED, text, room * 2 / 3);
        }
        if !self.open_todos.is_empty() {
            entries.push_entry(OPEN_TODOS, &self.open_todos.join("; "), room * 3 / 4);
        }
        // The command at the end of a reply is the last action.
        if let Some(reply) = self.reply.map(prose_before_command) {
            entries.push_entry(LAST_REPLY, reply, room);
        }
        entries.lines
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::Role;
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
        state.find_open_todos(&turns);
        assert_eq!(state.render(400), ["Open: fix it; test it"]);
    }

    #[test]
    fn an_answered_request_is_not_listed() {
        let mut state = FinalState::default();
        state.observe_request("first".into());
        state.observe_reply("answer");
        assert_eq!(state.render(400), ["Last reply: answer"]);
        state.observe_request("second".into());
        assert_eq!(state.render(400)[0], "Not answered yet: second");
    }
}
