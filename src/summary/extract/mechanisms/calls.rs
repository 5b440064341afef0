//! Calls with their outcomes. A call that was made several times has one line, with its newest outcome.

use super::outcomes::{brief, outcome_of, shorten_paths};
use crate::summary::extract::lexicon::{BULK_ARGUMENTS, OLD_ARGUMENTS, QUIET_ARGUMENTS};
use crate::summary::extract::prelude::*;
use std::fmt::Write;

/// The longest command and the longest argument in bytes.
const LONGEST_COMMAND: usize = 180;
const LONGEST_ARGUMENT: usize = 90;
/// The most bytes and lines of what an edit adds or takes away.
const LONGEST_EDIT: usize = 240;
const MOST_EDIT_LINES: usize = 40;
/// The most edits of a list that are shown.
const MOST_EDITS: usize = 4;
/// The most calls that only look and are offered, the newest.
const MOST_LOOKS: usize = 30;
/// The most calls that are offered.
const MOST: usize = 160;

/// What comes between a call and its outcome.
pub(crate) const OUTCOME_MARK: &str = " -> ";

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
            text.extend([OUTCOME_MARK, &outcome]);
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
        lines.push(Candidate::new(Kind::Call, (call.message, number), Cow::Owned(text), signs));
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
        let same = identity_of(call);
        if let Some(place) = seen.get(&same) {
            offered[*place].repeats += 1;
            continue;
        }
        seen.insert(same, offered.len());
        looks -= usize::from(is_look);
        offered.push(Offered { number, text, outcome: outcome_of(call), repeats: 0 });
    }
    offered.reverse();
    offered
}

/// Returns what is the same for calls that do the same: the tool and all that its arguments say.
fn identity_of(call: &Call<'_>) -> Symbol {
    let mut said = call.command.as_deref().unwrap_or(&call.tool).to_owned();
    let told = call.members().iter().filter(|(key, _)| !QUIET_ARGUMENTS.contains(&key.as_ref()));
    for (_, value) in told.filter(|_| call.command.is_none()) {
        value.visit_leaves("", &mut |_, leaf| said.extend(["\n", leaf]));
    }
    symbol_of(&said)
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
    push_members(call.members(), &mut text);
    text
}

/// Pushes what arguments say. Edits may be a list.
fn push_members(members: &[(Cow<'_, str>, JsonValue<'_>)], text: &mut String) {
    let is_old = |key: &str| OLD_ARGUMENTS.contains(&key);
    let is_bulk = |key: &str| BULK_ARGUMENTS.contains(&key);
    let old = members.iter().find(|(key, _)| is_old(key));
    let old = old.and_then(|(_, value)| value.as_text()).unwrap_or_default();
    let is_edit = members.iter().any(|(key, _)| is_bulk(key));
    for (key, value) in members {
        if let JsonValue::List(items) = value
            && let Some(JsonValue::Object(_)) = items.first()
        {
            let items = items.iter().take(MOST_EDITS);
            items.for_each(|item| push_members(item.members(), text));
            continue;
        }
        let shown = value_text(value);
        if is_old(key) && is_edit || shown.is_empty() || QUIET_ARGUMENTS.contains(&key.as_ref()) {
            continue;
        }
        let part = match is_bulk(key) {
            true => Cow::Owned(written_text(&shown, old)),
            false => brief(&shown, LONGEST_ARGUMENT),
        };
        if !part.is_empty() {
            text.extend([" ", &part]);
        }
    }
}

fn value_text<'v>(value: &'v JsonValue<'_>) -> Cow<'v, str> {
    if let Some(text) = value.as_text() {
        return Cow::Borrowed(text);
    }
    let mut parts = Vec::new();
    value.visit_leaves("", &mut |_, leaf| parts.push(leaf));
    Cow::Owned(parts.join(" "))
}

/// Returns what a call writes: the first line of a new text, what an edit adds, or else what it takes away.
/// Empty if it only moves or indents lines.
fn written_text(new: &str, old: &str) -> String {
    if old.is_empty() {
        let telling = said_lines(new).find(|line| !is_preamble(line));
        let first = telling.or_else(|| said_lines(new).next()).unwrap_or_default();
        return format!("+ {}", brief(first, LONGEST_ARGUMENT));
    }
    let (added, removed) = (lines_beyond(new, old), lines_beyond(old, new));
    let (mark, lines) = if added.is_empty() { ("- ", removed) } else { ("+ ", added) };
    if lines.is_empty() { lines } else { [mark, &brief(&lines, LONGEST_EDIT)].concat() }
}

/// Returns the lines that say something.
fn said_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| line.chars().any(char::is_alphanumeric))
}

/// Returns the first lines of a text that another does not have.
fn lines_beyond(text: &str, other: &str) -> String {
    let others: HashSet<&str> = other.lines().map(str::trim).collect();
    let lines = said_lines(text).filter(|line| !others.contains(line));
    lines.take(MOST_EDIT_LINES).collect::<Vec<_>>().join(LINE_END)
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
    let mut text = brief(first, LONGEST_COMMAND).into_owned();
    if let Some(line) = lines.find(|line| !is_preamble(line)) {
        text.push_str(LINE_END);
        text.push_str(&brief(line, LONGEST_COMMAND / 2));
    }
    text
}

/// Returns true for the first lines of a script, which say nothing of it.
fn is_preamble(line: &str) -> bool {
    ["import ", "from ", "use ", "#", "\"\"\"", "{", "}", "set -", "*** ", "@@", "--- ", "+++ "]
        .iter()
        .any(|opening| line.starts_with(opening))
}

#[cfg(test)]
mod tests {
    use super::written_text;

    #[test]
    fn what_an_edit_changes_is_told() {
        let old = "fn a() {\n    one();\n}";
        for (new, old, told) in [
            ("{\n  use x;\nfn b() {}", "", "+ fn b() {}"),
            ("fn a() {\n    one();\n    two();\n}", old, "+ two();"),
            ("fn a() {\n}", old, "- one();"),
            ("fn a() {\n  one();\n}", old, ""),
            ("n = 2", "n = 1", "+ n = 2"),
        ] {
            assert_eq!(written_text(new, old), told);
        }
    }
}
