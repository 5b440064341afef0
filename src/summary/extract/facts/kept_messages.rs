//! Takes note of what the messages that stay beside the summary tell: it need not be told again, or is over.

use super::agent_summaries::is_agent_summary;
use super::call_effects::shell_command_of;
use super::call_failures::is_failure;
use super::call_form::{CalledTool, form_of_call};
use super::conversation_facts::ConversationFacts;
use super::deliverables::missing_files;
use super::exchanges::{Exchanges, holds_error};
use super::fact::FactKind;
use super::focus_words::FocusWords;
use super::inline_commands::{final_command, split_tagged_call};
use super::overtaken_state::WorkSince;
use super::records::records_of;
use super::references::References;
use super::request_log::LEAST_REQUEST;
use super::todos::open_todos;
use super::user_messages::{UserMessageKind, classify_user_message};
use crate::summary::KEPT_TEXT_BYTES;
use crate::summary::extract::lex::argument_leaves::visit_leaves;
use crate::summary::extract::lex::excerpt::both_ends;
use crate::summary::extract::lex::identifiers::{TextEncoding, scan_identifiers};
use crate::summary::extract::lex::json_tree::parse_json_tree;
use crate::transcript::Role;
use crate::transcript::view::ViewedTurn;

/// Maximum number of the user's messages that stay in which older requests are looked for.
const KEPT_REQUESTS: usize = 8;

/// Takes note of the messages that stay, `kept`, and finds what was open before them in `turns`.
pub(super) fn observe_kept<'r>(
    facts: &mut ConversationFacts<'r>,
    turns: &'r [ViewedTurn<'r>],
    kept: &[ViewedTurn<'_>],
) {
    let is_asked = facts.state.unanswered.is_some();
    facts.state.is_answered = is_asked || kept.first().is_some_and(is_request);
    if kept.first().is_some_and(is_answer) {
        facts.state.unanswered = None;
    }
    facts.state.goes_on = kept.iter().any(is_answer);
    facts.state.is_said_later = kept.iter().any(says_something);
    let first_request = kept.iter().find(|turn| is_request(turn));
    facts.state.is_asked_later = first_request.is_some();
    // What the assistant does first in them belongs to the request before it.
    let opens = kept.first().filter(|turn| is_request(turn));
    facts.state.kept_request = opens.map(|turn| turn.text.trim().to_owned());
    facts.state.earlier_answer = answer_to_last(turns, kept);
    let kept_requests = kept.iter().filter(|turn| turn.role == Role::User);
    for turn in kept_requests.take(KEPT_REQUESTS) {
        facts.requests.shorten_repeated(&turn.text);
    }
    // `go on` asks for nothing else.
    let mut newest = facts.requests.current_task().iter().rev();
    let newest = newest.find(|request| request.text.len() >= LEAST_REQUEST);
    let newest = newest.map_or(0, |request| request.message);
    facts.state.find_open_todos(turns, newest);
    facts.state.todos.drop_written(&facts.exchanges, kept);
    drop_overtaken(facts, turns, kept);
    facts.state.todos.drop_forgotten(&facts.exchanges);
    facts.state.missing_files = missing_files(facts.requests.current_task(), &facts.files, kept);
    if holds_todos(kept) {
        // The messages that stay hold a newer list.
        facts.state.todos.open.clear();
    }
    facts.work_in_hand.focus = FocusWords::collect(facts, kept);
    mark_kept_references(&mut facts.references, kept);
    for turn in kept.iter().filter(|turn| turn.role == Role::System) {
        facts.frame.drop_told(&turn.text);
    }
    for turn in kept {
        facts.work_in_hand.kept_lines.observe(&turn.text);
        for call in &turn.calls {
            visit_leaves(form_of_call(call).text(), &mut |_, value| {
                if let Some(text) = value.decode() {
                    facts.work_in_hand.kept_lines.observe(&text);
                }
            });
        }
        if turn.role.is_result()
            && let Some(tree) = parse_json_tree(&turn.text)
        {
            let records = records_of(&tree, &[]).into_iter();
            let by_key = records.map(|record| (record.key_text().to_owned(), record));
            facts.kept_records.extend(by_key);
        }
    }
    note_working_commands(&mut facts.exchanges, kept);
}

/// Returns true if the assistant says something in a message, besides what it calls.
fn says_something(turn: &ViewedTurn<'_>) -> bool {
    turn.role == Role::Assistant && turn.text.trim().len() >= LEAST_WORDS
}

/// Minimum length in bytes of what the assistant says.
const LEAST_WORDS: usize = 60;

/// Drops the lines of the summary of an agent that the work since has overtaken.
fn drop_overtaken(
    facts: &mut ConversationFacts<'_>,
    turns: &[ViewedTurn<'_>],
    kept: &[ViewedTurn<'_>],
) {
    // Our own hands on the list of todos as it was kept last.
    let of_agent =
        |number: &usize| (turns.get(*number)).is_some_and(|turn| is_agent_summary(&turn.text));
    let Some(summary) = facts.earlier.message.filter(of_agent) else {
        return;
    };
    let since = WorkSince::collect(&facts.exchanges, turns, summary, kept);
    let tells_state = |kind| matches!(kind, FactKind::Earlier | FactKind::Finding);
    (facts.earlier.lines).retain(|line| !(tells_state(line.kind) && since.ends_state(line.text)));
    facts
        .state
        .todos
        .drop_ended(summary, &|step| since.ends_step(step));
}

/// Returns what the assistant answered in `turns` when the user asked in the same words as at the end of
/// the messages that stay. An answer that is asked for again and again was none.
fn answer_to_last<'r>(turns: &'r [ViewedTurn<'r>], kept: &[ViewedTurn<'_>]) -> Option<&'r str> {
    // The system prompt stands behind them here.
    let mut newest_first = kept.iter().rev().filter(|turn| turn.role != Role::System);
    // A harness asks, too.
    let last = newest_first.next().filter(|turn| turn.role == Role::User)?;
    if classify_user_message(&last.text) == UserMessageKind::CommandOutput {
        return None;
    }
    let question = last.text.trim();
    let asks_it = |turn: &ViewedTurn<'_>| turn.role == Role::User && turn.text.trim() == question;
    if question.len() < LEAST_QUESTION || newest_first.any(asks_it) {
        return None;
    }
    let pairs = turns.iter().zip(turns.iter().skip(1)).rev();
    let mut answers = pairs
        .filter(|(turn, answer)| asks_it(turn) && is_answer(answer) && answer.calls.is_empty());
    let (_, answer) = answers.next()?;
    let text = answer.text.trim();
    // It ends with a call in tags.
    if final_command(text).is_some_and(|command| split_tagged_call(command).is_some()) {
        return None;
    }
    let is_excuse = EXCUSES.iter().any(|excuse| text.starts_with(excuse));
    (!text.is_empty() && !is_excuse).then_some(text)
}

/// The beginnings of answers that were not what the question asked for.
const EXCUSES: [&str; 5] = [
    "I apologi",
    "I understand now",
    "My apologies",
    "Sorry",
    "I'm sorry",
];

/// Minimum length in bytes of a question that is known again: `yes` is none.
const LEAST_QUESTION: usize = 60;

/// Notes the commands that worked in the messages that stay: what was in their way is over.
fn note_working_commands(exchanges: &mut Exchanges<'_>, kept: &[ViewedTurn<'_>]) {
    for (turn, result) in kept.iter().zip(kept.iter().skip(1)) {
        let [call] = &turn.calls[..] else { continue };
        let arguments = std::str::from_utf8(&call.arguments).ok();
        let is_result = result.role == Role::Tool
            && !result.failed
            && !is_failure(&result.text)
            && !holds_error(&result.text);
        let command = shell_command_of(CalledTool::new(call, arguments));
        if let Some(command) = command.filter(|_| is_result) {
            exchanges.note_working(&command, &result.text);
        }
    }
}

/// Returns true if a list of todos was written in messages.
fn holds_todos(turns: &[ViewedTurn<'_>]) -> bool {
    let mut calls = turns.iter().flat_map(|turn| &turn.calls);
    calls.any(|call| open_todos(&call.arguments).is_some())
}

/// Returns true if the user asks something in a message.
fn is_request(turn: &ViewedTurn<'_>) -> bool {
    turn.role == Role::User
        && !turn.text.trim_start().is_empty()
        && classify_user_message(&turn.text) == UserMessageKind::Request
}

/// Returns true if the assistant says or does something in a message.
fn is_answer(turn: &ViewedTurn<'_>) -> bool {
    turn.role == Role::Assistant && !(turn.calls.is_empty() && turn.text.trim_start().is_empty())
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
