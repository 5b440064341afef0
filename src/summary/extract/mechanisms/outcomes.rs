//! Where the outcome of a call is written: what its result says came of it, on a part of a line.

use crate::summary::extract::lexicon::{CODE_OPENINGS, OUTCOMES};
use crate::summary::extract::prelude::*;
use crate::summary::extract::session::calls::CallResult;
use crate::summary::extract::session::has_error_mark;

/// The longest outcome in bytes, and that of a call that only looks.
const LONGEST: usize = 170;
const LONGEST_LOOK: usize = 120;
/// In place of the outcome of a call whose result the log lacks.
const UNANSWERED: &str = "no result";
/// Outputs up to this length stand whole.
const SHORT_OUTPUT: usize = 150;

/// Returns the outcome of a call; empty if its result says nothing.
pub(crate) fn outcome_of(call: &Call<'_>) -> String {
    let Some(result) = &call.result else {
        return UNANSWERED.to_owned();
    };
    let room = if call.effect <= Effect::Look && !result.failed { LONGEST_LOOK } else { LONGEST };
    let text = match &result.json {
        Some(json) => json_outcome(json),
        None => text_outcome(result, call),
    };
    let mark = if result.failed && !text.is_empty() { "! " } else { "" };
    format!("{mark}{}", clip_text(&shorten_paths(&text), room))
}

/// Returns the values of a small JSON result.
fn json_outcome(json: &JsonValue<'_>) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut length = 0;
    json.visit_leaves("", &mut |key, value| {
        if length <= LONGEST && !value.is_empty() {
            let part = format!("{key} {}", fold_line(value));
            length += part.len() + 2;
            parts.push(part.trim_start().to_owned());
        }
    });
    parts.join(", ")
}

fn text_outcome(result: &CallResult<'_>, call: &Call<'_>) -> String {
    let lines = said_lines(result);
    let Some(last) = lines.last() else {
        return String::new();
    };
    if result.failed {
        return cause_line(&lines).unwrap_or(last).to_owned();
    }
    let length: usize = lines.iter().map(|line| line.len() + 3).sum();
    if length <= SHORT_OUTPUT {
        return lines.join(LINE_END);
    }
    if call.effect <= Effect::Look {
        return lines[..lines.len().min(2)].join(LINE_END);
    }
    if call.command.is_none() && !call.files.is_empty() {
        // An editor shows the file again, and maybe what is wrong with it.
        return cause_line(&lines).unwrap_or_default().to_owned();
    }
    // A run may report an error and go on.
    let telling = || telling_line(&lines);
    cause_line(&lines).or_else(telling).unwrap_or(last).to_owned()
}

/// Returns the lines of a result that say something.
fn said_lines<'r>(result: &'r CallResult<'_>) -> Vec<&'r str> {
    let end = result.end.unwrap_or_default().lines();
    let lines = result.text.lines().chain(end).map(str::trim);
    let says = |line: &&str| line.chars().any(char::is_alphanumeric) && !is_furniture(line);
    lines.filter(says).collect()
}

/// Returns the last line that counts failures, else the last one that names the cause of a failure.
fn cause_line<'r>(lines: &[&'r str]) -> Option<&'r str> {
    let errors = || lines.iter().rev().copied().filter(|line| is_error_line(line));
    errors().find(|line| counts_outcomes(line)).or_else(|| errors().next())
}

/// Returns true for a line of an output that reports an error. Lines of code only speak of errors.
fn is_error_line(line: &str) -> bool {
    let bare = line.strip_prefix("E ").map_or(line, str::trim_start);
    let lower = bare.to_ascii_lowercase();
    let mut openings = CODE_OPENINGS.iter();
    let is_code = openings.any(|opening| lower.starts_with(opening))
        || bare.ends_with(['{', ';', '(', ',', ':'])
        || is_numbered(bare);
    let mut none = ["0 failed", "0 errors", "no error"].iter();
    (8..=400).contains(&line.len())
        && !is_code
        && has_error_mark(bare)
        && !none.any(|none| lower.contains(none))
}

/// Returns true for a line of a listing: a number, a name of a file or a mark comes before it.
fn is_numbered(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && line[digits..].starts_with([':', '\t', '|', ' ', '→', '-'])
}

/// Returns the line that tells how a run went: the last one with a word and a number of outcomes.
fn telling_line<'r>(lines: &[&'r str]) -> Option<&'r str> {
    let newest = || lines.iter().rev().copied();
    newest().find(|line| counts_outcomes(line)).or_else(|| newest().find(|line| has_outcome(line)))
}

fn counts_outcomes(line: &str) -> bool {
    line.bytes().any(|byte| byte.is_ascii_digit()) && has_outcome(line)
}

/// Returns true for a line with a word of an outcome, in any case.
fn has_outcome(line: &str) -> bool {
    line.len() <= 300 && OUTCOME_SEARCH.find_lists(line, 0).anywhere != 0
}

static OUTCOME_SEARCH: LazySearch = LazyLock::new(|| PhraseSearch::new(&[OUTCOMES]));

/// The steps of a path that are shown, and the fewest of one that is shortened.
const SHOWN_STEPS: usize = 2;
const LEAST_STEPS: usize = 4;

/// Returns a text whose long absolute paths are shortened to their last steps.
pub(crate) fn shorten_paths(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(start) = text[at..].find('/').map(|start| at + start) {
        let is_start = text[..start]
            .chars()
            .next_back()
            .is_none_or(|c| c.is_whitespace() || matches!(c, '"' | '\'' | '(' | '=' | '|' | ':'));
        let length = text[start..]
            .find(|c: char| {
                !(c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '@' | '+'))
            })
            .unwrap_or(text.len() - start);
        let path = &text[start..start + length];
        at = start + length.max(1);
        let trimmed = path.trim_end_matches('/');
        if is_start
            && trimmed.matches('/').count() >= LEAST_STEPS
            && let Some((cut, _)) = trimmed.rmatch_indices('/').nth(SHOWN_STEPS - 1)
        {
            out.push_str(&text[copied..start]);
            out.push('…');
            copied = start + cut;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// Returns text as it is in a line, shortened.
pub(crate) fn brief(text: &str, room: usize) -> Cow<'_, str> {
    match fold_line(text) {
        Cow::Borrowed(text) => clip_text(text, room),
        Cow::Owned(text) => Cow::Owned(clip_text(&text, room).into_owned()),
    }
}
