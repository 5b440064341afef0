//! Calls with their outcomes. A call that was made several times has one line, with its newest outcome.

use super::outcomes::{brief, outcome_of, shorten_paths};
use crate::summary::extract::lexicon::{BULK_ARGUMENTS, OLD_ARGUMENTS, QUIET_ARGUMENTS};
use crate::summary::extract::prelude::*;
use std::fmt::Write;

/// The longest command and the longest argument in bytes.
const LONGEST_COMMAND: usize = 180;
const LONGEST_ARGUMENT: usize = 90;
/// The most calls that only look and are offered, the newest.
const MOST_LOOKS: usize = 30;
/// The most calls that are offered.
const MOST: usize = 160;

struct Offered {
    number: usize,
    text: String,
    outcome: String,
    /// How many calls before it were the same.
    repeats: usize,
}

/// Offers a line for each call that tells something.
pub(crate) fn offer<'s>(reading: &'s Reading<'s>, _: &[i64], lines: &mut Vec<Candidate<'s>>) {
    let calls = &reading.session.calls;
    let offered = offered_calls(calls);
    let newest = offered.last().map(|call| call.number);
    for Offered { number, mut text, outcome, repeats } in offered {
        let call = &calls[number];
        if !outcome.is_empty() {
            text.push_str(" -> ");
            text.push_str(&outcome);
        }
        if repeats > 0 {
            let _ = write!(text, " (x{})", repeats + 1);
        }
        let signs = Signs {
            number,
            of: calls.len(),
            failed: call.failed(),
            changes: call.effect == Effect::Change,
            runs: call.effect == Effect::Run,
            repeats,
            is_newest: newest == Some(number),
            ..Signs::default()
        };
        let at = (call.message, number);
        lines.push(Candidate::new(Kind::Call, at, Cow::Owned(text), signs));
    }
}

/// Returns the calls that tell something, oldest first.
fn offered_calls(calls: &[Call<'_>]) -> Vec<Offered> {
    let mut offered: Vec<Offered> = Vec::new();
    let mut seen: SymbolMap<usize> = SymbolMap::default();
    let mut looks = MOST_LOOKS;
    for (number, call) in calls.iter().enumerate().rev() {
        let is_look = call.effect <= Effect::Look && !call.failed();
        if offered.len() == MOST || is_look && (looks == 0 || is_told_elsewhere(call)) {
            continue;
        }
        let text = shorten_paths(&call_text(call)).into_owned();
        if text.is_empty() || text == call.tool {
            continue;
        }
        let same = symbol_of(&text);
        if let Some(place) = seen.get(&same) {
            offered[*place].repeats += 1;
            continue;
        }
        seen.insert(same, offered.len());
        looks -= usize::from(is_look);
        let result = call.result.as_ref();
        let outcome = result.map(|result| outcome_of(result, call.effect));
        let outcome = outcome.unwrap_or_default();
        offered.push(Offered { number, text, outcome, repeats: 0 });
    }
    offered.reverse();
    offered
}

/// Returns true for a look whose result is records or a file: these have lines of their own.
fn is_told_elsewhere(call: &Call<'_>) -> bool {
    call.result.as_ref().is_some_and(|result| result.json.is_some())
        || call.command.is_none() && !call.files.is_empty()
}

fn call_text(call: &Call<'_>) -> String {
    if let Some(command) = &call.command {
        return command_text(command);
    }
    let mut text = call.tool.to_string();
    for (key, value) in call.members() {
        let is_old = OLD_ARGUMENTS.contains(&key.as_ref()) && call.members().len() > 2;
        let shown = value_text(value);
        if is_old || shown.is_empty() || QUIET_ARGUMENTS.contains(&key.as_ref()) {
            continue;
        }
        let is_bulk = BULK_ARGUMENTS.contains(&key.as_ref());
        text.push_str(if is_bulk { " + " } else { " " });
        let part = if is_bulk { first_line(&shown) } else { &shown };
        text.push_str(&brief(part, LONGEST_ARGUMENT));
    }
    text
}

fn value_text<'v>(value: &'v JsonValue<'_>) -> Cow<'v, str> {
    match value {
        JsonValue::Text(text) => Cow::Borrowed(text),
        JsonValue::Plain(text) => Cow::Borrowed(text),
        JsonValue::Null => Cow::Borrowed(""),
        JsonValue::List(_) | JsonValue::Object(_) => {
            let mut parts = Vec::new();
            value.visit_leaves("", &mut |_, leaf| parts.push(leaf.to_owned()));
            Cow::Owned(parts.join(" "))
        }
    }
}

/// Returns the first line that says something.
fn first_line(text: &str) -> &str {
    let says = |line: &&str| line.chars().filter(|c| c.is_alphanumeric()).count() > 2;
    text.lines().map(str::trim).find(says).unwrap_or_default()
}

/// Returns a command without the change of folder before it and comments.
fn command_text(command: &str) -> String {
    let mut lines =
        command.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let Some(first) = lines.next() else {
        return String::new();
    };
    let mut first = first;
    while let Some((step, rest)) = first.split_once("&&")
        && step.trim_start().starts_with("cd ")
    {
        first = rest.trim_start();
    }
    if first.starts_with("cd ")
        && let Some(next) = lines.next()
    {
        first = next;
    }
    let more = lines.clone().count();
    let mut text = brief(first, LONGEST_COMMAND).into_owned();
    if more > 0
        && !first.contains("<<")
        && !first.starts_with("edit ")
        && text.len() < LONGEST_COMMAND / 2
    {
        text.push_str(&format!(
            " ⏎ {}",
            brief(lines.next().unwrap_or_default(), LONGEST_COMMAND / 2)
        ));
    } else if more > 0
        && let Some(line) = lines.find(|line| !is_preamble(line))
    {
        text.push_str(&format!(" ⏎ {}", brief(line, LONGEST_COMMAND / 2)));
    }
    text
}

/// Returns true for the first lines of a script, which say nothing of it.
fn is_preamble(line: &str) -> bool {
    ["import ", "from ", "use ", "#", "\"\"\"", "{", "}", "set -", "*** "]
        .iter()
        .any(|opening| line.starts_with(opening))
}
