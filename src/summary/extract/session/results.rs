//! Takes what a call printed out of its result, and tells whether the call failed.

use super::calls::CallResult;
use crate::summary::extract::lexicon::{
    ERROR_MARKS, EXIT_KEYS, EXIT_LINES, FIRST_REFUSALS, FURNITURE, NO_RESULT, OUTPUT_KEYS, REFUSALS,
};
use crate::summary::extract::prelude::*;

/// The most bytes that are read at each end of a result.
const END_BYTES: usize = 800;
/// The first and the last bytes of a result in which it says that the call failed.
const HEAD_BYTES: usize = 300;
/// The most members of an object that only wraps what was printed.
const MOST_WRAPPED: usize = 6;

/// Reads a result. `failed` is what the log says of it. Returns `None` for a result that the log lacks.
pub(crate) fn read_result<'t>(
    message: usize,
    text: &'t str,
    failed: bool,
) -> Option<CallResult<'t>> {
    let text = strip_heading(text.trim());
    if text == NO_RESULT {
        return None;
    }
    let json = parse_json(text);
    let mut result = CallResult { message, text: Cow::Borrowed(""), end: None, json: None, failed };
    match json {
        Some(json) => match unwrap_output(&json) {
            Some((output, is_failure)) => {
                result.failed |= is_failure;
                result.json = parse_owned(&output);
                result.text = Cow::Owned(output);
            }
            None => {
                result.text = Cow::Borrowed(text);
                result.json = Some(json);
            }
        },
        None => {
            let (head, end) = both_ends(text);
            result.text = Cow::Borrowed(head);
            result.end = end;
        }
    }
    result.failed |= says_failure(&result);
    Some(result)
}

/// Returns the beginning and the end of a text as far as they are read.
fn both_ends(text: &str) -> (&str, Option<&str>) {
    if text.len() <= 2 * END_BYTES {
        return (text, None);
    }
    let head = &text[..floor_char(text, END_BYTES)];
    let tail = &text[ceil_char(text, text.len() - END_BYTES)..];
    let head = head.rsplit_once('\n').map_or(head, |(lines, _)| lines);
    (head, Some(tail.split_once('\n').map_or(tail, |(_, lines)| lines)))
}

/// Returns JSON that was printed as text, with all of its text owned.
fn parse_owned<'t>(text: &str) -> Option<JsonValue<'t>> {
    parse_json(text).map(own)
}

fn own<'t>(value: JsonValue<'_>) -> JsonValue<'t> {
    match value {
        JsonValue::Object(members) => {
            let members = members.into_iter();
            let owned = members.map(|(key, value)| (Cow::Owned(key.into_owned()), own(value)));
            JsonValue::Object(owned.collect())
        }
        JsonValue::List(items) => JsonValue::List(items.into_iter().map(own).collect()),
        JsonValue::Text(text) => JsonValue::Text(Cow::Owned(text.into_owned())),
        JsonValue::Plain(text) => JsonValue::Text(Cow::Owned(text.to_owned())),
        JsonValue::Null => JsonValue::Null,
    }
}

/// Returns what was printed if an object only wraps that, and whether it says that the call failed.
fn unwrap_output(json: &JsonValue<'_>) -> Option<(String, bool)> {
    if let JsonValue::List(items) = json {
        // Blocks of text: `[{"type": "text", "text": "…"}]`.
        let text = |item: &JsonValue<'_>| {
            let is_text = item.member("type")?.as_text()? == "text";
            Some(item.member("text").filter(|_| is_text)?.as_text()?.to_owned())
        };
        let texts: Option<Vec<String>> = items.iter().map(text).collect();
        let texts = texts.filter(|texts| !texts.is_empty());
        return texts.map(|texts| (texts.join("\n"), false));
    }
    let JsonValue::Object(members) = json else {
        return None;
    };
    let mut failed = false;
    for (key, value) in members {
        let inner = [Some(value), value.member("exit_code")];
        let is_status = EXIT_KEYS.contains(&key.as_ref());
        let status = if is_status { inner[0] } else { inner[1] };
        failed |= status.and_then(JsonValue::as_text).is_some_and(is_failure_status);
    }
    if members.len() > MOST_WRAPPED {
        return None;
    }
    OUTPUT_KEYS.iter().find_map(|wanted| {
        let text = match json.member(wanted)? {
            JsonValue::Text(text) if !text.trim().is_empty() => text,
            _ => return None,
        };
        let others = members.iter().filter(|(key, value)| {
            key != wanted && matches!(value, JsonValue::Text(text) if text.len() > 40)
        });
        let is_wrapped = others.count() == 0 && (text.len() > 24 || members.len() <= 2);
        is_wrapped.then(|| (text.clone().into_owned(), failed || *wanted == "error"))
    })
}

fn is_failure_status(status: &str) -> bool {
    let status = status.trim();
    status != "0"
        && !status.is_empty()
        && status.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit())
}

/// Strips the line that names the call: `OBSERVATION:`, `[read_file for 'a.rs'] Result:`.
fn strip_heading(text: &str) -> &str {
    if text.starts_with('[')
        && let Some(at) = text[..floor_char(text, HEAD_BYTES)].find("] Result:")
    {
        return text[at + "] Result:".len()..].trim();
    }
    let Some((heading, rest)) = text.split_once('\n') else {
        return text;
    };
    let heading = heading.trim_end();
    let names_call = heading.ends_with(':')
        && (heading.eq_ignore_ascii_case("observation:")
            || heading.starts_with("EXECUTION RESULT")
            || heading.starts_with("Result of "));
    if names_call { rest.trim_start() } else { text }
}

/// Returns true if the first lines of a result or its exit status say that the call failed.
fn says_failure(result: &CallResult<'_>) -> bool {
    let text = &*without_listing(&result.text);
    let last = &*result.end.map_or(Cow::Borrowed(text), without_listing);
    let last = &last[ceil_char(last, last.len().saturating_sub(HEAD_BYTES))..];
    let head = &text[..floor_char(text, HEAD_BYTES)];
    if let Some(failed) = states_failure(head).or_else(|| states_failure(last)) {
        return failed;
    }
    if result.json.is_some() {
        return head.starts_with("{\"error\"");
    }
    let mut lines =
        head.lines().map(str::trim).filter(|line| !line.is_empty() && !is_furniture(line));
    let first = lines.next().unwrap_or_default();
    let is_short = result.end.is_none() && text.len() <= 2 * HEAD_BYTES;
    begins_like_error(first)
        || (is_short && REFUSAL_SEARCH.has_any_of(text, IN_ANY))
        || last_is_error(last)
}

/// Returns a text without the lines of a listing: what a file says is no outcome.
fn without_listing(text: &str) -> Cow<'_, str> {
    if !text.lines().any(|line| is_listed(line.trim_start())) {
        return Cow::Borrowed(text);
    }
    let lines = text.split_inclusive('\n').filter(|line| !is_listed(line.trim_start()));
    Cow::Owned(lines.collect())
}

/// Returns true for a line of a listing: a number and a mark come before it.
fn is_listed(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && line[digits..].trim_start_matches(' ').starts_with(['\t', '|', '→'])
}

static EXITS: LazySearch = LazyLock::new(|| PhraseSearch::new(&[EXIT_LINES]));

/// Returns whether the last exit status that a text states is one of a failure.
fn states_failure(text: &str) -> Option<bool> {
    let ends = EXITS.ends_in(text).filter_map(|end| {
        let digits = text[end..].bytes().take_while(u8::is_ascii_digit).count();
        (digits > 0).then(|| text[end..end + digits] != *"0")
    });
    ends.last()
}

/// Returns true for a line that says right away that something is wrong.
fn begins_like_error(line: &str) -> bool {
    let lower = line[..floor_char(line, 160)].to_ascii_lowercase();
    let word = lower.split([' ', ':']).next().unwrap_or_default();
    word.ends_with("error") && lower.len() > word.len()
        || word == "fatal"
        || word.ends_with("exception")
        || lower.starts_with("<error>")
        || lower.starts_with("<tool_use_error>")
        || (lower.starts_with("traceback ("))
        || lower.len() < 160 && REFUSAL_SEARCH.has_any_of(&lower, IN_FIRST)
}

static REFUSAL_SEARCH: LazySearch =
    LazyLock::new(|| PhraseSearch::new(&[FIRST_REFUSALS, REFUSALS]));
const IN_FIRST: u8 = 1;
const IN_ANY: u8 = 2;

/// Returns true if the last line of an output is an exception.
fn last_is_error(end: &str) -> bool {
    let mut lines = end.lines().rev().map(str::trim);
    let Some(last) = lines.find(|line| !line.is_empty() && !is_furniture(line)) else {
        return false;
    };
    let word = last.split([':', ' ']).next().unwrap_or_default();
    (word.ends_with("Error") || word.ends_with("Exception")) && !word.contains(['(', '"'])
}

/// Returns true if a harness prints a line like this around every result.
pub(crate) fn is_furniture(line: &str) -> bool {
    let first = line.as_bytes().first().copied().unwrap_or_default();
    OPENS_FURNITURE[usize::from(first)]
        && FURNITURE.iter().any(|furniture| line.starts_with(furniture))
}

/// The first bytes of such lines: most lines are recognized by them.
static OPENS_FURNITURE: [bool; 256] = {
    let mut opens = [false; 256];
    let mut at = 0;
    while at < FURNITURE.len() {
        opens[FURNITURE[at].as_bytes()[0] as usize] = true;
        at += 1;
    }
    opens
};

static ERRORS: LazySearch = LazyLock::new(|| PhraseSearch::new(&[&ERROR_MARKS]));

/// Returns true if a line speaks of an error.
pub(crate) fn has_error_mark(line: &str) -> bool {
    ERRORS.has_any_of(line, IN_FIRST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> CallResult<'_> {
        read_result(0, text, false).unwrap()
    }

    #[test]
    fn what_was_printed_is_taken_out_of_its_wrapping() {
        for (result, text, failed) in [
            ("plain", "plain", false),
            ("OBSERVATION:\na\nb", "a\nb", false),
            ("[bash] Result:\na", "a", false),
            (r#"{"output":"a\nb","metadata":{"exit_code":0}}"#, "a\nb", false),
            (r#"{"output":"a","metadata":{"exit_code":101}}"#, "a", true),
            (r#"{"error": "gone"}"#, "gone", true),
            (r#"[{"type":"text","text":"a"}]"#, "a", false),
        ] {
            let read = read(result);
            let found = (read.text.as_ref(), read.failed);
            assert_eq!(found, (text, failed), "{result}");
        }
        for failed in [
            "<returncode>1</returncode>\n<output>\na\n</output>",
            "Traceback (most recent call last):\n  x\nKeyError: 'a'",
        ] {
            let read = read(failed);
            assert!(read.failed && read.text == failed, "{failed}");
        }
        let listed =
            "Edited. A snippet:\n     6\tsys.exit(1)  # exit code 1, missing required\nReview it.";
        assert!(!read(listed).failed);
        assert!(read(r#"{"id": 7, "state": "open"}"#).json.is_some());
        assert!(read_result(0, NO_RESULT, false).is_none());
    }
}
