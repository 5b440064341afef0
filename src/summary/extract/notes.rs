//! What a conversation holds that a summary is made of: one pass over its
//! messages fills all collectors.

use super::earlier::{self, Earlier};
use super::errors::Errors;
use super::files::{Files, is_command_key};
use super::identifiers;
use super::kinds::WORDS;
use super::line::windows;
use super::references::{ASSISTANT, CALL, Places, References, TOOL, USER};
use super::state::State;
use super::values::{self, Key};
use crate::transcript::Role;
use crate::transcript::arguments::parse_object;
use crate::transcript::view::{Turn, TurnCall};
use std::borrow::Cow;
use std::collections::HashMap;

/// The notes on one conversation.
#[derive(Debug)]
pub(super) struct Notes<'r> {
    /// What the user asked first.
    pub(super) goal: Option<Cow<'r, str>>,
    /// The user's later words, oldest first.
    pub(super) words: Vec<Cow<'r, str>>,
    /// Prose of an earlier summary.
    pub(super) prose: Vec<String>,
    /// Tools and how often each was called, in the order of their first call.
    pub(super) tools: Vec<(String, usize)>,
    /// What went wrong.
    pub(super) errors: Errors,
    /// What was touched.
    pub(super) files: Files,
    /// What may have to be named again.
    pub(super) references: References,
    /// Where things stand.
    pub(super) state: State<'r>,
    /// How many messages there are.
    pub(super) turns: usize,
}

impl<'r> Notes<'r> {
    /// Takes notes on a conversation.
    pub(super) fn take(turns: &'r [Turn<'r>]) -> Self {
        let mut notes = Self {
            goal: None,
            words: Vec::new(),
            prose: Vec::new(),
            tools: Vec::new(),
            errors: Errors::new(),
            files: Files::default(),
            references: References::new(turns.len()),
            state: State::default(),
            turns: turns.len(),
        };
        let mut tools = HashMap::new();
        for (number, turn) in turns.iter().enumerate() {
            notes.turn(turn, number, &mut tools);
        }
        notes
    }

    fn turn(&mut self, turn: &'r Turn<'r>, number: usize, tools: &mut HashMap<String, usize>) {
        if turn.earlier_summary {
            let earlier = earlier::read(&turn.text, number, &mut self.references, &mut self.files);
            return self.earlier(earlier, number, tools);
        }
        match turn.role {
            Role::User => self.user(&turn.text, number),
            Role::Assistant => {
                self.text(&turn.text, number, ASSISTANT);
                self.state.reply(&turn.text);
                turn.calls.iter().for_each(|call| self.call(call, number, tools));
            }
            Role::Tool | Role::Function => {
                self.text(&turn.text, number, TOOL);
                self.errors.read(&turn.text, number);
                self.state.result(&turn.text);
            }
            // System prompts are never summarised away.
            Role::System | Role::Developer => {}
        }
    }

    fn user(&mut self, text: &'r str, number: usize) {
        if text.trim().is_empty() {
            return;
        }
        self.text(text, number, USER);
        // Harnesses without tool messages hand results over in the user's name.
        self.errors.read(text, number);
        self.state.user(text);
        if self.goal.is_none() {
            self.goal = Some(Cow::Borrowed(text));
        } else {
            self.words.push(Cow::Borrowed(text));
        }
    }

    /// Notes the references of a text.
    fn text(&mut self, text: &'r str, number: usize, place: Places) {
        let (head, tail) = windows(text);
        if place == TOOL && values::is_json(head) {
            let references = &mut self.references;
            let mut add = |key: Key<'_>, value: &str, kinds| references.add(value, kinds, number, TOOL, key);
            values::walk(head, &mut add);
            // The end begins somewhere inside; an object's first key is the next place that is sure.
            values::walk(tail.find("{\"").map_or("", |start| &tail[start..]), &mut add);
            return;
        }
        for window in [head, tail] {
            identifiers::scan(window, &mut |identifier, kinds| self.references.add(identifier, kinds, number, place, Key::NONE));
        }
    }

    fn call(&mut self, call: &'r TurnCall<'r>, number: usize, tools: &mut HashMap<String, usize>) {
        if !call.name.is_empty() {
            self.tool(&call.name, 1, tools);
        }
        let arguments = parse_object(&call.arguments);
        self.state.call(call, arguments.as_deref());
        let Some(arguments) = arguments else {
            let text = String::from_utf8_lossy(&call.arguments);
            identifiers::scan(windows(&text).0, &mut |identifier, kinds| self.references.add(identifier, kinds, number, CALL, Key::NONE));
            return;
        };
        self.files.call(&call.name, &arguments);
        for entry in &arguments {
            let name = crate::transcript::text::wtf8_to_str(&entry.key);
            values::argument(Key { name: &name, parent: "" }, &entry.value, &mut |key, value, kinds| {
                // A command's words are no values of the key `command`, and no phrase to keep.
                let key = if is_command_key(key) { Key::NONE } else { key };
                if kinds & WORDS == 0 || !key.name.is_empty() {
                    self.references.add(value, kinds, number, CALL, key);
                }
            });
        }
    }

    fn tool(&mut self, name: &str, times: usize, tools: &mut HashMap<String, usize>) {
        let next = self.tools.len();
        let at = *tools.entry(name.to_owned()).or_insert(next);
        if at == next {
            self.tools.push((name.to_owned(), 0));
        }
        self.tools[at].1 = self.tools[at].1.saturating_add(times);
    }

    /// Takes over what an earlier summary held.
    fn earlier(&mut self, earlier: Earlier, number: usize, tools: &mut HashMap<String, usize>) {
        match earlier.goal {
            Some(goal) if self.goal.is_none() => self.goal = Some(Cow::Owned(goal)),
            // Two summaries: the first one knows what it began with.
            Some(goal) => self.prose.push(goal),
            None => {}
        }
        self.words.extend(earlier.words.into_iter().rev().map(Cow::Owned));
        earlier.tools.iter().for_each(|(name, times)| self.tool(name, *times, tools));
        earlier.errors.iter().rev().for_each(|error| self.errors.add(error, number));
        self.prose.extend(earlier.prose);
        self.state.open = earlier.steps;
    }
}
