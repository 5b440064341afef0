//! Collects the facts of a conversation in a single pass over its messages.

use super::argument_values::visit_argument_references;
use super::conversation_facts::ConversationFacts;
use super::earlier_summary::{EarlierSummary, SummarySink, read_earlier_summary};
use super::file_actions::{CallEffect, effect_of_call, effect_of_name};
use super::inline_commands::{command_call, file_shown_by_editor, final_command, strip_heading};
use super::pending_calls::FileTouch;
use super::places::{IN_ASSISTANT_TEXT, IN_CALL, IN_RESULT, IN_USER_TEXT, Places};
use super::references::References;
use super::tool_uses::ToolUse;
use super::user_messages::{UserMessageKind, classify_user_message};
use crate::summary::KEPT_TEXT_BYTES;
use crate::summary::extract::lex::argument_leaves::visit_leaves;
use crate::summary::extract::lex::excerpt::both_ends;
use crate::summary::extract::lex::identifier_kinds::NUMBER;
use crate::summary::extract::lex::identifiers::{TextEncoding, scan_identifiers};
use crate::summary::extract::lex::quotations::scan_quotations;
use crate::summary::extract::lex::value_keys::{KeyNotation, ValueKey};
use crate::transcript::Role;
use crate::transcript::view::{ViewedCall, ViewedTurn};
use std::borrow::Cow;

/// Collects the facts of a conversation. `kept` holds the messages that stay beside the summary.
pub(crate) fn collect_facts<'r>(
    turns: &'r [ViewedTurn<'r>],
    kept: &[ViewedTurn<'_>],
) -> ConversationFacts<'r> {
    let mut collector = FactCollector {
        facts: ConversationFacts::new(turns.len()),
        notice: None,
        inline_command: None,
    };
    for (number, turn) in turns.iter().enumerate() {
        collector.observe_message(turn, number);
    }
    let FactCollector {
        mut facts, notice, ..
    } = collector;
    if facts.goal.is_none() {
        facts.goal = notice.map(Cow::Borrowed);
    }
    if kept.first().is_some_and(is_answer) {
        facts.state.unanswered = None;
    }
    facts.files.close_all_calls();
    facts.state.find_open_todos(turns);
    mark_kept_references(&mut facts.references, kept);
    facts
}

/// Returns true if the assistant says or does something in a message.
fn is_answer(turn: &ViewedTurn<'_>) -> bool {
    turn.role == Role::Assistant && !(turn.calls.is_empty() && turn.text.trim_start().is_empty())
}

/// The facts of the messages so far.
struct FactCollector<'r> {
    facts: ConversationFacts<'r>,
    /// The first notice of a harness in the user's name. It is the goal if there is no other.
    notice: Option<&'r str>,
    /// The command at the end of the last message, if the assistant wrote it without a call. The
    /// next message may hold its output.
    inline_command: Option<&'r str>,
}

impl<'r> FactCollector<'r> {
    /// Collects the facts of message number `number`.
    fn observe_message(&mut self, turn: &'r ViewedTurn<'r>, number: usize) {
        if turn.earlier_summary {
            return self.observe_earlier_summary(&turn.text, number);
        }
        let inline_command = self.inline_command.take();
        match turn.role {
            Role::User => self.observe_user_text(&turn.text, number, inline_command),
            Role::Assistant => self.observe_assistant(turn, number),
            Role::Tool | Role::Function => {
                self.observe_references(&turn.text, number, IN_RESULT);
                self.observe_result(turn, number);
                self.facts.state.observe_result(&turn.text);
            }
            // System prompts are never summarised.
            Role::System | Role::Developer => {}
        }
    }

    fn observe_assistant(&mut self, turn: &'r ViewedTurn<'r>, number: usize) {
        self.observe_references(&turn.text, number, IN_ASSISTANT_TEXT);
        self.facts.state.observe_reply(&turn.text);
        if turn.calls.is_empty() {
            self.inline_command = final_command(&turn.text);
        } else {
            self.facts.files.close_all_calls();
        }
        for call in &turn.calls {
            self.observe_call(call, number);
        }
    }

    /// Collects the facts of a message in the user's name. `inline_command` is the command in the
    /// message before.
    fn observe_user_text(&mut self, text: &'r str, number: usize, inline_command: Option<&'r str>) {
        if text.trim_start().is_empty() {
            return;
        }
        let kind = classify_user_message(text);
        let mut call = inline_command
            .filter(|_| kind == UserMessageKind::CommandOutput)
            .map(|command| command_call(command, text));
        // Harnesses without tool messages return results in the user's name.
        self.facts.errors.observe_text(text, number, &mut |line| {
            if let Some(call) = &mut call {
                call.observe_error_line(line);
            }
        });
        if let Some(call) = call {
            let failed = call.is_refused(strip_heading(text));
            self.facts.files.close_call(call, failed);
        }
        match kind {
            UserMessageKind::Request => self.observe_references(text, number, IN_USER_TEXT),
            UserMessageKind::Notice => {
                self.observe_references(text, number, IN_RESULT);
                self.notice.get_or_insert(text);
                return;
            }
            // An output answers no call, so it is no part of the final state.
            UserMessageKind::CommandOutput if self.facts.goal.is_some() => {
                return self.observe_references(text, number, IN_RESULT);
            }
            // The first message is the task, even if it ends with a prompt.
            UserMessageKind::CommandOutput => {
                self.observe_references(text, number, IN_USER_TEXT);
            }
        }
        self.facts.state.observe_request(text);
        if self.facts.goal.is_none() {
            self.facts.goal = Some(Cow::Borrowed(text));
        } else {
            self.facts.requests.push(Cow::Borrowed(text));
        }
    }

    /// Collects the references of a text.
    fn observe_references(&mut self, text: &'r str, number: usize, place: Places) {
        let references = &mut self.facts.references;
        let notation = KeyNotation::detect(text);
        let encoding = if notation == KeyNotation::Plain {
            TextEncoding::Plain
        } else {
            TextEncoding::Escaped
        };
        let (head, tail) = both_ends(text);
        for window in [head, tail] {
            scan_identifiers(window, encoding, &mut |identifier, kinds, at| {
                let end = at + identifier.len();
                // The number of a house means nothing without its street.
                if kinds == NUMBER && notation.is_in_phrase(window, at, end) {
                    return;
                }
                // A key is a reference only in a map from ids to objects.
                if !notation.is_key(window, end) {
                    references.observe(identifier, kinds, number, place, || {
                        notation.key_before(window, at)
                    });
                } else if is_id(identifier) {
                    references.observe(identifier, kinds, number, place, || {
                        notation.key_around(window, at)
                    });
                }
            });
            // In results, quotation marks belong to code and data.
            if place != IN_RESULT {
                scan_quotations(window, &mut |quoted, kinds| {
                    references.observe(quoted, kinds, number, place, || ValueKey::NONE)
                });
            }
        }
    }

    fn observe_call(&mut self, call: &'r ViewedCall<'r>, number: usize) {
        let effect = self.count_tool_use(&call.name, 1);
        let facts = &mut self.facts;
        facts.state.observe_call(call);
        facts.files.open_call(&call.id, &call.name);
        match std::str::from_utf8(&call.arguments) {
            Ok(arguments) if call.valid => {
                let effect = effect_of_call(&call.name, effect, arguments);
                visit_leaves(arguments, &mut |key, leaf| {
                    facts.files.observe_argument(key, leaf, effect);
                    visit_argument_references(key, leaf, &mut |value, kinds, key| {
                        facts
                            .references
                            .observe(value, kinds, number, IN_CALL, || key)
                    });
                });
            }
            // No JSON object, or a lone surrogate, which has no spelling in UTF-8.
            _ => {
                for chunk in call.arguments.utf8_chunks() {
                    let (head, _) = both_ends(chunk.valid());
                    scan_identifiers(head, TextEncoding::Escaped, &mut |identifier, kinds, _| {
                        facts
                            .references
                            .observe(identifier, kinds, number, IN_CALL, || ValueKey::NONE)
                    });
                }
            }
        }
    }

    /// Collects the errors of a result, and closes the call that it answers.
    fn observe_result(&mut self, turn: &'r ViewedTurn<'r>, number: usize) {
        let facts = &mut self.facts;
        let mut call = facts.files.take_answered_call(&turn.answers);
        facts.errors.observe_text(&turn.text, number, &mut |line| {
            if let Some(call) = &mut call {
                call.observe_error_line(line);
            }
        });
        let Some(mut call) = call else { return };
        if call.files.is_empty()
            && let Some(path) = file_shown_by_editor(&turn.text)
        {
            call.files.push(FileTouch {
                path: Cow::Borrowed(path),
                action: effect_of_name(call.tool).action_for_key(""),
                by_command: false,
            });
        }
        let failed = turn.failed || call.is_refused(&turn.text);
        if failed && let Some(tool) = facts.tools.find_mut(call.tool) {
            tool.calls = tool.calls.saturating_sub(1);
        }
        facts.files.close_call(call, failed);
    }

    /// Adds calls of a tool. Returns the effect of the tool by its name.
    fn count_tool_use(&mut self, name: &'r str, calls: usize) -> CallEffect {
        let tools = &mut self.facts.tools;
        if let Some(tool) = tools.find_mut(name) {
            tool.calls = tool.calls.saturating_add(calls);
            return tool.effect;
        }
        let effect = effect_of_name(name);
        if !name.is_empty() {
            tools.push(ToolUse {
                name,
                calls,
                effect,
            });
        }
        effect
    }

    /// Adds the facts of an earlier summary.
    fn observe_earlier_summary(&mut self, text: &'r str, number: usize) {
        let facts = &mut self.facts;
        let sink = SummarySink {
            references: &mut facts.references,
            files: &mut facts.files,
            errors: &mut facts.errors,
            message: number,
        };
        let EarlierSummary {
            goal,
            requests,
            tools,
            prose,
            steps,
        } = read_earlier_summary(text, sink);
        match goal {
            Some(goal) if facts.goal.is_none() => facts.goal = Some(goal),
            // Of two summaries the first has the goal of the conversation.
            Some(goal) => facts.earlier_prose.push(goal),
            None => {}
        }
        facts.requests.extend(requests.into_iter().rev());
        facts.earlier_prose.extend(prose);
        facts.state.open_todos = steps;
        for (name, calls) in tools {
            self.count_tool_use(name, calls);
        }
    }
}

/// Marks the references that the messages that stay name themselves.
fn mark_kept_references(references: &mut References<'_>, kept: &[ViewedTurn<'_>]) {
    let mut left = KEPT_TEXT_BYTES;
    for turn in kept {
        let arguments = turn
            .calls
            .iter()
            .filter_map(|call| std::str::from_utf8(&call.arguments).ok())
            .map(|arguments| (arguments, TextEncoding::Escaped));
        let texts = std::iter::once((turn.text.as_ref(), TextEncoding::Plain)).chain(arguments);
        for (text, encoding) in texts {
            let (head, tail) = both_ends(text);
            for window in [head, tail] {
                scan_identifiers(window, encoding, &mut |identifier, _, _| {
                    references.mark_kept(identifier)
                });
            }
            left = left.saturating_sub(head.len() + tail.len());
        }
        if left == 0 {
            return;
        }
    }
}

/// Returns true if a key is an id, and no name like `address1`.
fn is_id(key: &str) -> bool {
    let digits = key.bytes().filter(u8::is_ascii_digit).count();
    digits > 2 || (digits > 0 && key.contains(['_', '-']))
}
