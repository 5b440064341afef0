//! Calls with their outcomes, and the todos that they keep. A call that was made several times has one line, with its newest outcome.

use super::outcomes::{brief, outcome_of, shorten_paths};
use crate::summary::extract::choose::{Candidate, Kind, Signs};
use crate::summary::extract::lexicon::{BULK_ARGUMENTS, OLD_ARGUMENTS, QUIET_ARGUMENTS};
use crate::summary::extract::session::{Call, Effect, Reading, SymbolMap};
use crate::summary::extract::text::{JsonValue, symbol_of};
use std::borrow::Cow;

/// The longest command and the longest argument in bytes.
const LONGEST_COMMAND: usize = 180;
const LONGEST_ARGUMENT: usize = 90;
/// The most calls that only look and are offered, the newest.
const MOST_LOOKS: usize = 30;
/// The most calls that are offered.
const MOST: usize = 160;

/// Offers a line for each call that tells something.
pub(crate) fn offer<'s>(reading: &'s Reading<'s>, _: &[i64], lines: &mut Vec<Candidate<'s>>) {
    let calls = &reading.session.calls;
    let mut seen: SymbolMap<usize> = SymbolMap::default();
    let (mut looks, mut left) = (MOST_LOOKS, MOST);
    let start = lines.len();
    for (number, call) in calls.iter().enumerate().rev() {
        let is_look = call.effect <= Effect::Look && !call.failed();
        if left == 0 || is_look && (looks == 0 || is_told_elsewhere(call)) || !call.steps.is_empty()
        {
            continue;
        }
        let text = shorten_paths(&call_text(call)).into_owned();
        if text.is_empty() || text == call.tool {
            continue;
        }
        let same = symbol_of(&text);
        if let Some(place) = seen.get(&same) {
            lines[*place].signs.repeats += 1;
            continue;
        }
        seen.insert(same, lines.len());
        left -= 1;
        looks -= usize::from(is_look);
        let outcome = call
            .result
            .as_ref()
            .map(|result| outcome_of(result, call.effect))
            .unwrap_or_default();
        let arrow = if outcome.is_empty() { "" } else { " -> " };
        let signs = Signs {
            number,
            of: calls.len(),
            failed: call.failed(),
            changes: call.effect == Effect::Change,
            runs: call.effect == Effect::Run,
            is_newest: lines.len() == start,
            ..Signs::default()
        };
        let text = Cow::Owned([text.as_str(), arrow, outcome.as_str()].concat());
        lines.push(Candidate::new(
            Kind::Call,
            (call.message, number),
            text,
            signs,
        ));
    }
    lines[start..].reverse();
    for line in &mut lines[start..] {
        if line.signs.repeats > 0 {
            line.text
                .to_mut()
                .push_str(&format!(" (x{})", line.signs.repeats + 1));
        }
    }
}

/// Returns true for a look whose result is records or a file: these have lines of their own.
fn is_told_elsewhere(call: &Call<'_>) -> bool {
    call.result
        .as_ref()
        .is_some_and(|result| result.json.is_some())
        || call.command.is_none() && !call.files.is_empty()
}

/// Returns a call on one line.
fn call_text(call: &Call<'_>) -> String {
    if let Some(command) = &call.command {
        return command_text(command);
    }
    let mut text = call.tool.to_string();
    for (key, value) in call.members() {
        if QUIET_ARGUMENTS.contains(&key.as_ref())
            || OLD_ARGUMENTS.contains(&key.as_ref()) && call.members().len() > 2
        {
            continue;
        }
        let shown = value_text(value);
        if shown.is_empty() {
            continue;
        }
        let is_bulk = BULK_ARGUMENTS.contains(&key.as_ref());
        text.push_str(if is_bulk { " + " } else { " " });
        text.push_str(&brief(
            if is_bulk { first_line(&shown) } else { &shown },
            LONGEST_ARGUMENT,
        ));
    }
    text
}

fn value_text(value: &JsonValue<'_>) -> String {
    match value {
        JsonValue::Text(text) => text.clone().into_owned(),
        JsonValue::Plain(text) => (*text).to_owned(),
        JsonValue::Null => String::new(),
        JsonValue::List(_) | JsonValue::Object(_) => {
            let mut parts = Vec::new();
            value.visit_leaves("", &mut |_, leaf| parts.push(leaf.to_owned()));
            parts.join(" ")
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
    let mut lines = command
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
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
    [
        "import ", "from ", "use ", "#", "\"\"\"", "{", "}", "set -", "*** ",
    ]
    .iter()
    .any(|opening| line.starts_with(opening))
}

/// The longest step in bytes.
const LONGEST_STEP: usize = 140;

/// Offers the steps of the newest list.
pub(crate) fn offer_steps<'s>(reading: &'s Reading<'s>, _: &[i64], lines: &mut Vec<Candidate<'s>>) {
    let calls = &reading.session.calls;
    let Some(call) = calls.iter().rev().find(|call| !call.steps.is_empty()) else {
        return;
    };
    for (number, step) in call.steps.iter().enumerate() {
        let kind = if step.is_done { Kind::Done } else { Kind::Open };
        let signs = Signs {
            number,
            of: call.steps.len(),
            ..Signs::default()
        };
        lines.push(Candidate::new(
            kind,
            (call.message, number),
            Cow::Owned(brief(&step.text, LONGEST_STEP).into_owned()),
            signs,
        ));
    }
}
