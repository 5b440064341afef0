//! What a conversation holds that a summary is made of: one pass over its
//! messages fills all collectors.

use crate::summary::KEPT_TEXT_BYTES;
use crate::summary::extract::facts::earlier_summary::{EarlierSummary, SummarySink};
use crate::summary::extract::facts::error_log::ErrorLog;
use crate::summary::extract::facts::final_state::FinalState;
use crate::summary::extract::facts::inline_commands as acts;
use crate::summary::extract::facts::references::{ASSISTANT, CALL, Places, References, TOOL, USER};
use crate::summary::extract::facts::tool_effects::{CallEffect, FileTouch};
use crate::summary::extract::facts::touched_files::{TouchedFiles, is_command_key};
use crate::summary::extract::facts::user_messages::UserMessageKind;
use crate::summary::extract::facts::{earlier_summary, tool_effects, user_messages};
use crate::summary::extract::lex::argument_leaves::ArgumentLeaf;
use crate::summary::extract::lex::identifier_kinds::{Kinds, NUMBER, OTHER, PATH, WORDS};
use crate::summary::extract::lex::identifiers::{self, TextEncoding};
use crate::summary::extract::lex::line::windows;
use crate::summary::extract::lex::value_keys::{KeyNotation, ValueKey};
use crate::summary::extract::lex::{argument_leaves, identifier_kinds};
use crate::transcript::Role;
use crate::transcript::view::{ViewedCall, ViewedTurn};
use std::borrow::Cow;

/// Longer values are read for the identifiers in them.
const LONGEST_VALUE: usize = 40;
/// In a longer value (code, a document) the key says nothing about what is found.
const LONGEST_KEYED: usize = 200;
/// What no reference is worth being made of.
const NO_VALUE: &[&str] = &[
    "none",
    "null",
    "true",
    "false",
    "the",
    "and",
    "json",
    "not",
    "you",
    "string",
    "content",
    "undefined",
];

/// A tool of a conversation.
#[derive(Debug)]
pub(crate) struct ToolUse<'r> {
    pub(crate) name: &'r str,
    /// How often it was called, without the calls that failed.
    pub(crate) times: usize,
    /// What its name says that it does to files.
    doing: CallEffect,
}

/// The notes on one conversation.
#[derive(Debug)]
pub(crate) struct ConversationFacts<'r> {
    /// What the user asked first.
    pub(crate) goal: Option<Cow<'r, str>>,
    /// The first notice of a harness in the user's name: a goal where there is no other.
    notice: Option<&'r str>,
    /// The user's later words, oldest first.
    pub(crate) words: Vec<Cow<'r, str>>,
    /// What the assistant's last words tell a shell to do: the next message says what came of it.
    act: Option<&'r str>,
    /// Prose of an earlier summary.
    pub(crate) prose: Vec<Cow<'r, str>>,
    /// Tools in the order of their first call.
    pub(crate) tools: Vec<ToolUse<'r>>,
    /// What went wrong.
    pub(crate) errors: ErrorLog<'r>,
    /// What was touched.
    pub(crate) files: TouchedFiles<'r>,
    /// What may have to be named again.
    pub(crate) references: References<'r>,
    /// Where things stand.
    pub(crate) state: FinalState<'r>,
    /// How many messages there are.
    pub(crate) turns: usize,
}

impl<'r> ConversationFacts<'r> {
    /// Takes notes on a conversation; `kept` is what stays of it.
    pub(crate) fn take(turns: &'r [ViewedTurn<'r>], kept: &[ViewedTurn<'_>]) -> Self {
        let mut notes = Self {
            goal: None,
            notice: None,
            words: Vec::new(),
            act: None,
            prose: Vec::new(),
            tools: Vec::new(),
            errors: ErrorLog::default(),
            files: TouchedFiles::default(),
            references: References::new(turns.len()),
            state: FinalState::default(),
            turns: turns.len(),
        };
        for (number, turn) in turns.iter().enumerate() {
            notes.turn(turn, number);
        }
        if notes.goal.is_none() {
            notes.goal = notes.notice.map(Cow::Borrowed);
        }
        // What stays begins with the answer: nothing waits for one any more.
        if kept.first().is_some_and(|next| {
            next.role == Role::Assistant
                && !(next.calls.is_empty() && next.text.trim_start().is_empty())
        }) {
            notes.state.unanswered = None;
        }
        notes.files.close_all();
        notes.state.todos(turns);
        notes.stays(kept);
        notes
    }

    fn turn(&mut self, turn: &'r ViewedTurn<'r>, number: usize) {
        if turn.earlier_summary {
            let facts = SummarySink {
                references: &mut self.references,
                files: &mut self.files,
                errors: &mut self.errors,
                turn: number,
            };
            let earlier = earlier_summary::read(&turn.text, facts);
            return self.earlier(earlier);
        }
        let act = self.act.take();
        match turn.role {
            Role::User => self.user(&turn.text, number, act),
            Role::Assistant => {
                self.text(&turn.text, number, ASSISTANT);
                self.state.reply(&turn.text);
                if turn.calls.is_empty() {
                    self.act = acts::command(&turn.text);
                } else {
                    self.files.close_all();
                }
                turn.calls.iter().for_each(|call| self.call(call, number));
            }
            Role::Tool | Role::Function => {
                self.text(&turn.text, number, TOOL);
                self.result(turn, number);
                self.state.result(&turn.text);
            }
            // System prompts are never summarised away.
            Role::System | Role::Developer => {}
        }
    }

    fn user(&mut self, text: &'r str, number: usize, act: Option<&'r str>) {
        if text.trim_start().is_empty() {
            return;
        }
        let said = user_messages::said(text);
        let mut done = act
            .filter(|_| said == UserMessageKind::Result)
            .map(|command| acts::done(command, text));
        // Harnesses without tool messages hand results over in the user's name.
        self.errors.read(text, number, &mut |line| {
            if let Some(done) = &mut done {
                done.blame(line);
            }
        });
        if let Some(done) = done {
            let failed = done.is_refused(acts::output(text));
            self.files.close(done, failed);
        }
        match said {
            UserMessageKind::Words => self.text(text, number, USER),
            UserMessageKind::Notice => {
                self.text(text, number, TOOL);
                self.notice.get_or_insert(text);
                return;
            }
            // It answers no call of the assistant, so it says nothing of where its last action stands. What comes first
            // is the task, also where a prompt ends it.
            UserMessageKind::Result if self.goal.is_some() => return self.text(text, number, TOOL),
            UserMessageKind::Result => self.text(text, number, USER),
        }
        self.state.user(text);
        if self.goal.is_none() {
            self.goal = Some(Cow::Borrowed(text));
        } else {
            self.words.push(Cow::Borrowed(text));
        }
    }

    /// Notes the references of a text.
    fn text(&mut self, text: &'r str, number: usize, place: Places) {
        let references = &mut self.references;
        let notation = KeyNotation::of(text);
        let spelling = if notation == KeyNotation::Plain {
            TextEncoding::Plain
        } else {
            TextEncoding::Escaped
        };
        let (head, tail) = windows(text);
        for window in [head, tail] {
            identifiers::scan(window, spelling, &mut |identifier, kinds, at| {
                let end = at + identifier.len();
                // The number of a house says nothing without the street.
                if kinds == NUMBER && notation.is_in_phrase(window, at, end) {
                    return;
                }
                // Maps from ids to things carry values in their keys; other keys are no values.
                if !notation.is_key(window, end) {
                    references.add(identifier, kinds, number, place, || {
                        notation.key_before(window, at)
                    });
                } else if is_id(identifier) {
                    references.add(identifier, kinds, number, place, || {
                        notation.key_around(window, at)
                    });
                }
            });
            // What code or data quotes is worth a place only if it would be one without the quotes.
            if place != TOOL {
                identifiers::quotations(window, &mut |quoted, kinds| {
                    references.add(quoted, kinds, number, place, || ValueKey::NONE)
                });
            }
        }
    }

    fn call(&mut self, call: &'r ViewedCall<'r>, number: usize) {
        let doing = self.tool(&call.name, 1);
        self.state.call(call);
        self.files.call(&call.id, &call.name);
        match std::str::from_utf8(&call.arguments) {
            Ok(arguments) if call.valid => {
                let touch = tool_effects::touching(&call.name, doing, arguments);
                argument_leaves::leaves(arguments, &mut |key, leaf| {
                    self.files.argument(key, leaf, touch);
                    argument(key, leaf, &mut |value, kinds, key| {
                        self.references.add(value, kinds, number, CALL, || key)
                    });
                });
            }
            // No JSON object, or with a lone surrogate, which has no spelling that could be kept.
            _ => {
                for chunk in call.arguments.utf8_chunks() {
                    let references = &mut self.references;
                    let mut add = |identifier, kinds, _| {
                        references.add(identifier, kinds, number, CALL, || ValueKey::NONE)
                    };
                    identifiers::scan(windows(chunk.valid()).0, TextEncoding::Escaped, &mut add);
                }
            }
        }
    }

    /// Notes what came of a call: errors, and whether its files are what it wanted.
    fn result(&mut self, turn: &'r ViewedTurn<'r>, number: usize) {
        let mut call = self.files.answered(&turn.answers);
        self.errors.read(&turn.text, number, &mut |line| {
            if let Some(call) = &mut call {
                call.blame(line);
            }
        });
        let Some(mut call) = call else { return };
        if call.files.is_empty()
            && let Some(path) = acts::shown(&turn.text)
        {
            call.files.push(FileTouch {
                path: Cow::Borrowed(path),
                touch: tool_effects::doing(call.tool).by_key(""),
                by_command: false,
            });
        }
        let failed = turn.failed || call.is_refused(&turn.text);
        if let Some(tool) = self
            .tools
            .iter_mut()
            .find(|tool| failed && tool.name == call.tool)
        {
            tool.times = tool.times.saturating_sub(1);
        }
        self.files.close(call, failed);
    }

    /// Notes that a tool was called; what it does to files.
    fn tool(&mut self, name: &'r str, times: usize) -> CallEffect {
        // A conversation uses a handful of tools: looking through them beats hashing.
        if let Some(tool) = self.tools.iter_mut().find(|tool| tool.name == name) {
            tool.times = tool.times.saturating_add(times);
            return tool.doing;
        }
        let doing = tool_effects::doing(name);
        if !name.is_empty() {
            self.tools.push(ToolUse { name, times, doing });
        }
        doing
    }

    /// Takes over what an earlier summary held.
    fn earlier(&mut self, earlier: EarlierSummary<'r>) {
        match earlier.goal {
            Some(goal) if self.goal.is_none() => self.goal = Some(goal),
            // Two summaries: the first one knows what it began with.
            Some(goal) => self.prose.push(goal),
            None => {}
        }
        self.words.extend(earlier.words.into_iter().rev());
        for (name, times) in earlier.tools {
            self.tool(name, times);
        }
        self.prose.extend(earlier.prose);
        self.state.open = earlier.steps;
    }

    /// Notes what the messages that stay say themselves.
    fn stays(&mut self, kept: &[ViewedTurn<'_>]) {
        let mut left = KEPT_TEXT_BYTES;
        for turn in kept {
            let arguments = turn
                .calls
                .iter()
                .filter_map(|call| std::str::from_utf8(&call.arguments).ok());
            for (text, spelling) in std::iter::once((turn.text.as_ref(), TextEncoding::Plain))
                .chain(arguments.map(|text| (text, TextEncoding::Escaped)))
            {
                let (head, tail) = windows(text);
                for window in [head, tail] {
                    identifiers::scan(window, spelling, &mut |identifier, _, _| {
                        self.references.stays(identifier)
                    });
                }
                left = left.saturating_sub(head.len() + tail.len());
            }
            if left == 0 {
                return;
            }
        }
    }
}

/// The references in a value of a call.
fn argument<'v>(
    key: ValueKey<'v>,
    leaf: ArgumentLeaf<'v>,
    found: &mut impl FnMut(&'v str, Kinds, ValueKey<'v>),
) {
    let raw = match leaf {
        ArgumentLeaf::Number(number) => {
            // A fraction is written anew by whoever reads it.
            let digits = number.strip_prefix('-').unwrap_or(number);
            if digits.len() >= 3 && digits.bytes().all(|byte| byte.is_ascii_digit()) {
                found(number, NUMBER | OTHER, key);
            }
            return;
        }
        ArgumentLeaf::String(raw) => raw,
    };
    // A command's words are no values of the key `command`, and no phrase to keep.
    let key = if is_command_key(key) {
        ValueKey::NONE
    } else {
        key
    };
    let short = raw.trim_matches([
        '`', '"', '\'', '.', ',', ';', ':', '(', ')', '[', ']', '{', '}', ' ',
    ]);
    if is_whole(short) {
        let number = short
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
        let path = identifier_kinds::kinds_of(short).unwrap_or(0) & PATH;
        return found(
            short,
            if number { NUMBER | OTHER } else { OTHER | path },
            key,
        );
    }
    let (head, tail) = windows(raw);
    let near = if raw.len() > LONGEST_KEYED {
        ValueKey::NONE
    } else {
        key
    };
    identifiers::scan(head, TextEncoding::Escaped, &mut |identifier, kinds, _| {
        found(identifier, kinds, near)
    });
    identifiers::scan(tail, TextEncoding::Escaped, &mut |identifier, kinds, _| {
        found(identifier, kinds, ValueKey::NONE)
    });
    let phrase = raw.trim();
    if !key.name.is_empty()
        && (3..=LONGEST_VALUE).contains(&phrase.len())
        && !phrase.contains(['\\', '"'])
        && !is_no_value(phrase)
    {
        found(phrase, WORDS, key);
    }
}

/// Whether a key is an id and not a name like `address1`.
fn is_id(key: &str) -> bool {
    let digits = key.bytes().filter(u8::is_ascii_digit).count();
    digits > 2 || (digits > 0 && key.contains(['_', '-']))
}

/// Whether a value stands for itself: short, without blanks, more than a plain word or a small number.
fn is_whole(value: &str) -> bool {
    let plain = value.len() <= 12 && value.bytes().all(|byte| byte.is_ascii_alphabetic());
    let small = value.len() <= 2 && value.bytes().all(|byte| byte.is_ascii_digit());
    (3..=LONGEST_VALUE).contains(&value.len())
        && !plain
        && !small
        && !is_no_value(value)
        && value
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && byte != b'\\')
}

fn is_no_value(value: &str) -> bool {
    NO_VALUE.iter().any(|word| value.eq_ignore_ascii_case(word))
}
