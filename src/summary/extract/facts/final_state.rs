//! The state at the end of a conversation: the request that nobody answered, the todos that are
//! open, and the last words of the assistant.

use super::closing_words::without_announcement;
use super::final_todos::FinalTodos;
use super::finding_sentences::begins_with_intent;
use super::inline_commands::prose_before_command;
use super::lead_ins::without_lead_in;
use super::next_steps::find_next_steps;
use super::request_log::LEAST_REQUEST;
use super::state_entries::EntryList;
use crate::summary::extract::ablation::SummaryRule;
use crate::summary::extract::labels::{
    ANSWERED_BEFORE, LAST_REPLY, NEXT_STEPS, NOT_ANSWERED, NOT_WRITTEN, SAID_BEFORE, SAID_LAST,
};
use crate::summary::extract::lex::sentences::asks_at_end;
use crate::transcript::view::ViewedTurn;
use std::borrow::Cow;
use std::collections::VecDeque;

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
/// The opening of what says nothing to go on from.
const APOLOGY: &str = "My apologies";

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
    pub(crate) todos: FinalTodos<'r>,
    /// The files of a list that the user asked for and that nobody wrote so far.
    pub(super) missing_files: Vec<String>,
    /// The assistant acts or speaks in the messages that stay: nothing here was the last.
    pub(crate) goes_on: bool,
    /// The first request of the messages that stay.
    pub(crate) kept_request: Option<String>,
    /// The user answers the last words, here or at the start of the messages that stay.
    pub(crate) is_answered: bool,
    /// The assistant speaks in the messages that stay.
    pub(crate) is_said_later: bool,
    /// The user asks something in the messages that stay.
    pub(crate) is_asked_later: bool,
}

impl<'r> FinalState<'r> {
    pub(crate) fn is_empty(&self) -> bool {
        self.reply.is_none() && self.unanswered.is_none() && self.todos.open.is_empty()
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
        !self.todos.open.is_empty() || self.names_steps()
    }

    /// Returns true if work is left to do that is not older than the newest request or than much else.
    pub(crate) fn names_current_work(&self) -> bool {
        self.todos.are_current() || self.names_steps()
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

    /// Searches for the list of todos that was written last, else for the steps that the assistant named last.
    /// `newest_request` is the index of the message with the newest request.
    pub(crate) fn find_open_todos(&mut self, turns: &'r [ViewedTurn<'r>], newest_request: usize) {
        self.todos.find(turns, newest_request);
        if self.todos.open.is_empty() && self.unanswered.is_none() {
            self.next_steps = find_next_steps(turns);
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
        self.todos.render(&mut entries, room);
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

/// Returns what a reply says before a command at its end, without what only leads in to it.
fn told_prose(reply: &str) -> &str {
    without_lead_in(prose_before_command(reply))
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
