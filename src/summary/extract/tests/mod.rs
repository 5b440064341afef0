//! Tests of complete summaries: the budget, the frame, and that nothing is made up.

mod agents;
mod budget;
mod calls;
mod closures;
mod earlier;
mod errors;
mod files;
mod findings;
mod phases;
mod properties;
mod records;
mod repetitions;
mod requests;
mod sections;
mod todos;
mod wishes;
mod work;

use super::Extract;
use crate::policy::SummaryTemplate;
use crate::summary::prompt::SummaryPrompt;
use crate::summary::{Summarizer, SummaryRequest};
use crate::transcript::Role;
use crate::transcript::view::{ViewedCall, ViewedTurn};
use std::borrow::Cow;

fn quarter_of_chars(text: &str) -> usize {
    text.chars().count().div_ceil(4)
}

pub(super) fn turn_of(role: Role, text: &str) -> ViewedTurn<'_> {
    ViewedTurn {
        role,
        text: Cow::Borrowed(text),
        calls: Vec::new(),
        tool: None,
        answers: Cow::Borrowed(""),
        failed: false,
        earlier_summary: false,
    }
}

/// A call of a tool.
pub(super) fn viewed_call<'v>(name: &'v str, arguments: &'v str) -> ViewedCall<'v> {
    ViewedCall {
        id: Cow::Borrowed("c"),
        name: Cow::Borrowed(name),
        arguments: Cow::Borrowed(arguments.as_bytes()),
        valid: true,
        legacy: false,
    }
}

pub(super) fn call_turn<'v>(name: &'v str, arguments: &'v str) -> ViewedTurn<'v> {
    ViewedTurn {
        calls: vec![viewed_call(name, arguments)],
        ..turn_of(Role::Assistant, "")
    }
}

/// A call of a shell and its result.
fn shell<'t>(arguments: &'t str, result: &'t str) -> [ViewedTurn<'t>; 2] {
    [call_turn("bash", arguments), turn_of(Role::Tool, result)]
}

/// Returns the message that an earlier summary stands in, with the tags around it.
fn earlier_turn(summary: &str) -> ViewedTurn<'static> {
    ViewedTurn {
        text: Cow::Owned(format!("<summary>\n{summary}\n</summary>")),
        earlier_summary: true,
        ..turn_of(Role::User, "")
    }
}

fn summary_by(turns: &[ViewedTurn<'_>], budget: usize, count: &dyn Fn(&str) -> usize) -> String {
    summary_beside(turns, &[], budget, count)
}

/// Summarises messages before others that stay.
fn summary_beside(
    turns: &[ViewedTurn<'_>],
    kept: &[ViewedTurn<'_>],
    budget: usize,
    count: &dyn Fn(&str) -> usize,
) -> String {
    Extract
        .summarize(&SummaryRequest {
            thread_id: "t",
            turns,
            kept,
            template: SummaryTemplate::DeepAgents,
            budget,
            count,
            prompt: &SummaryPrompt::default,
        })
        .unwrap()
}

fn summary_of(turns: &[ViewedTurn<'_>], budget: usize) -> String {
    summary_by(turns, budget, &quarter_of_chars)
}

/// Summarises a long request and its work before messages in which the user says it again.
fn summary_before_repetition() -> String {
    let request = format!("Build the pump_7. {}", "It has a valve_9. ".repeat(20));
    let turns = [
        turn_of(Role::User, &request),
        call_turn("bash", r#"{"command": "cargo build"}"#),
        turn_of(Role::Tool, "Finished in 3s"),
    ];
    let kept = [
        turn_of(Role::User, &request),
        turn_of(Role::Assistant, "I build it again."),
    ];
    summary_beside(&turns, &kept, 400, &quarter_of_chars)
}

const RESULT: &str =
    r#"{"flights": [{"flight_number": "HAT175", "price": 150}, {"flight_number": "HAT084"}]}"#;

fn booking_turns() -> Vec<ViewedTurn<'static>> {
    vec![
        turn_of(Role::User, "Book a flight for mia_li_3668"),
        call_turn(
            "search_flights",
            r#"{"user_id": "mia_li_3668", "date": "2024-05-20"}"#,
        ),
        turn_of(Role::Tool, RESULT),
        turn_of(Role::Assistant, "HAT175 or HAT084?"),
        turn_of(Role::User, "The cheaper way, and no insurance"),
        call_turn(
            "write_file",
            r#"{"path": "/notes/choice.md", "content": "no insurance"}"#,
        ),
        turn_of(Role::Tool, "Error: disk_7 is full"),
    ]
}
