//! Finds error lines in text. Lines that only mention errors, as source code
//! does, are left out.

use super::tracebacks::TRACEBACK;
use crate::summary::extract::lex::clip::floor_char;
use crate::summary::extract::lex::identifier_kinds::has_file_extension;
use crate::summary::extract::lexicon::message_marks::HARNESS_DETAILS;
use crate::summary::extract::lexicon::outcome_words::{
    CODE_BEFORE_ERRORS, CODE_IN_ERRORS, CONDITIONAL_ENDS, EMPTY_ERROR_VALUES, ERROR_MARKS,
    HARMLESS_ENDS,
};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use std::ops::Range;
use std::sync::LazyLock;

/// The number of marks at the start of `ERROR_MARKS` that count only before a colon.
const MARKS_WITH_COLON: usize = 2;
/// Maximum length of a line in bytes. Of a longer line, the text around the mark is taken.
pub(crate) const LONGEST_ERROR_LINE: usize = 240;
/// Maximum number of error lines in a text.
const MOST_LINES: usize = 200;
/// Bytes before the mark that are taken from a longer line.
const BEFORE_MARK: usize = 40;
/// Bytes from the mark on that are taken from a longer line.
const FROM_MARK: usize = LONGEST_ERROR_LINE - 80;

/// Searches for all marks at once, each in lower case, capitalised and in capitals.
pub(crate) static SEARCH: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let spellings = ERROR_MARKS
        .iter()
        .map(|mark| (*mark).to_owned())
        .chain(ERROR_MARKS.iter().map(|mark| capitalise(mark)))
        .chain(ERROR_MARKS.iter().map(|mark| mark.to_ascii_uppercase()));
    // Matches are rare, so the automaton that is built fastest is fast enough.
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostFirst)
        .kind(Some(AhoCorasickKind::NoncontiguousNFA))
        .build(spellings)
        .ok()
});

fn capitalise(mark: &str) -> String {
    mark[..1].to_ascii_uppercase() + &mark[1..]
}

/// Returns true if a text has an error line.
pub(crate) fn has_error_line(text: &str) -> bool {
    let mut has_error = false;
    visit_error_lines(text, &mut |_| has_error = true);
    has_error
}

/// Calls `found` with the error lines of a text, in order.
pub(crate) fn visit_error_lines<'t>(text: &'t str, found: &mut impl FnMut(&'t str)) {
    let Some(search) = SEARCH.as_ref() else {
        return;
    };
    let mut visited_end = 0;
    let hits = search.find_iter(text).filter(|hit| {
        let mark = hit.pattern().as_usize() % ERROR_MARKS.len();
        is_report(text, hit.range(), mark)
    });
    for hit in hits.take(MOST_LINES) {
        if hit.start() < visited_end {
            continue;
        }
        let line = line_around(text, hit.start());
        visited_end = line.end;
        if is_code(text, &line, hit.start()) || is_harmless(&text[line.clone()]) {
            continue;
        }
        let line = with_message(text, line);
        visited_end = line.end;
        // What a harness adds behind a result may stand on the same line.
        let shown = &text[line];
        found(shown.split(HARNESS_DETAILS).next().unwrap_or(shown));
    }
}

/// Returns true if the mark in the byte range `hit` reports an error.
fn is_report(text: &str, hit: Range<usize>, mark: usize) -> bool {
    let rest = &text.as_bytes()[hit.end..];
    if mark < MARKS_WITH_COLON {
        return has_error_value(rest);
    }
    if text[hit.clone()].ends_with(' ') {
        // An exit code other than 0.
        return rest
            .first()
            .is_some_and(|digit| matches!(digit, b'1'..=b'9'));
    }
    // `only when it has failed, gone off-track, or` speaks of what may be.
    let before = text[..hit.start].trim_end();
    rest.first() != Some(&b',') || !CONDITIONAL_ENDS.iter().any(|end| before.ends_with(end))
}

/// Returns true if the text behind a mark is a colon and a value other than an empty value.
fn has_error_value(rest: &[u8]) -> bool {
    let blanks = rest
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'"' | b'\''))
        .count();
    if rest.get(blanks) != Some(&b':') {
        // Compilers number their errors: `error[E0308]: …`.
        return rest.starts_with(b"[E") || rest.starts_with(b"[e");
    }
    let value = rest[blanks + 1..].trim_ascii_start();
    !EMPTY_ERROR_VALUES.iter().any(|empty| {
        value
            .get(..empty.len())
            .is_some_and(|value| value.eq_ignore_ascii_case(empty))
    })
}

/// Returns true for an error that changes nothing: the reader of a pipe had enough.
fn is_harmless(line: &str) -> bool {
    HARMLESS_ENDS
        .iter()
        .any(|end| line.trim_end().ends_with(end))
}

/// Extends a line that ends with a colon by the line behind it, which says what went wrong:
/// `thread 'a' panicked at src/a.rs:7:9:`.
fn with_message(text: &str, line: Range<usize>) -> Range<usize> {
    let shown = &text[line.clone()];
    if !shown.trim_end().ends_with(':') || shown.contains(TRACEBACK) {
        return line;
    }
    let near = &text[line.end..floor_char(text, line.start + LONGEST_ERROR_LINE).max(line.end)];
    let message = near.trim_start();
    let start = line.end + near.len() - message.len();
    match message.find('\n') {
        Some(length) if length > 0 => line.start..start + length,
        None if !message.is_empty() && start + message.len() == text.len() => {
            line.start..text.len()
        }
        _ => line,
    }
}

/// Returns true for a comment or a text in a listing with line numbers: `12: # it failed`.
fn is_listed_comment(before_mark: &str) -> bool {
    let line = before_mark.trim_start();
    let code = line.trim_start_matches(|c: char| c.is_ascii_digit());
    code.len() < line.len()
        && code
            .trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '|' | '→' | '-'))
            .starts_with(['#', '"', '\'', '*'])
}

/// Returns true for a line of a listing with line numbers: `2431    status = FAILED`.
fn is_listed(line: &str) -> bool {
    let line = line.trim_start();
    let code = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let code = code.strip_prefix([':', '-']).unwrap_or(code);
    code.len() < line.len() && (code.starts_with('\t') || code.starts_with("  "))
}

/// Returns true for a member with a value of one word, as data and code have it: `error: reason,`,
/// `"error": "red",`.
fn is_pair(line: &str) -> bool {
    let value = line
        .trim()
        .strip_suffix(',')
        .and_then(|pair| pair.split_once(": "));
    value.is_some_and(|(name, value)| {
        !name.contains(' ')
            && !value
                .trim()
                .contains(|c: char| !c.is_ascii_alphabetic() && c != '"')
    })
}

/// Returns true for an indented line of code that a search found: `src/a.rs:992:        .map_err(…)`.
fn is_found_code(line: &str) -> bool {
    let mut parts = line.splitn(3, [':', '-']);
    let (Some(path), Some(number), Some(code)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    has_file_extension(path)
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && code.starts_with(['\t', ' '])
        && code.len() - code.trim_start().len() >= LEAST_INDENT
}

/// Number of blanks before a line from which on it is indented code.
const LEAST_INDENT: usize = 2;

/// Returns true if the line mentions an error as source code does. `hit` is the place of the mark.
fn is_code(text: &str, line: &Range<usize>, hit: usize) -> bool {
    let trimmed = text[line.clone()].trim_end();
    if trimmed.ends_with([';', '{']) || trimmed.contains("${") || is_field(text, hit) {
        return true;
    }
    // What a program met begins with the name of the error: `TypeError: …`.
    let is_named = trimmed
        .trim_start()
        .starts_with(|c: char| c.is_ascii_uppercase());
    let has_code = || CODE_IN_ERRORS.iter().any(|words| trimmed.contains(words));
    if is_pair(trimmed) || (!is_named && has_code()) {
        return true;
    }
    // What a condition yields: `found === 0 ? "it failed" : "it works"`.
    if trimmed.contains("=== ") && trimmed.contains(" ? ") {
        return true;
    }
    if is_listed(trimmed) || is_found_code(trimmed) || is_listed_comment(&text[line.start..hit]) {
        return true;
    }
    let before = text[line.start..hit].to_ascii_lowercase();
    CODE_BEFORE_ERRORS
        .iter()
        .any(|words| before.contains(words))
}

/// Returns true if the mark ends a name like `isError`. The name of a class, `KeyError`, begins
/// with a capital and does not count.
fn is_field(text: &str, hit: usize) -> bool {
    let name = text[..hit]
        .bytes()
        .rev()
        .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        .last();
    text.as_bytes()[hit].is_ascii_uppercase()
        && name.is_some_and(|first| first.is_ascii_lowercase())
}

/// Returns the byte range of the line around a hit, or of the part around it if the line is long.
fn line_around(text: &str, hit: usize) -> Range<usize> {
    // The search is bounded, so that a text without line ends costs no more than others.
    let first = floor_char(text, hit.saturating_sub(LONGEST_ERROR_LINE));
    let last = floor_char(text, hit + LONGEST_ERROR_LINE);
    let start = text[first..hit]
        .rfind('\n')
        .map_or(first, |at| first + at + 1);
    let end = text[hit..last]
        .find('\n')
        .map_or(last, |length| hit + length);
    if end - start <= LONGEST_ERROR_LINE {
        return start..end;
    }
    let near = floor_char(text, hit.saturating_sub(BEFORE_MARK).max(start));
    let start = text[near..hit]
        .rfind(|c: char| c.is_whitespace() || matches!(c, '"' | ',' | '{'))
        .map_or(hit, |at| near + at);
    let far = floor_char(text, (hit + FROM_MARK).min(end));
    // Ends at a word, if there is a word to end at.
    let cut = if far == end {
        end
    } else {
        text[hit..far]
            .rfind(|c: char| c.is_whitespace() || matches!(c, ',' | '"'))
            .map_or(hit, |at| hit + at)
    };
    start..cut.max(hit)
}

/// Returns an error without the tag that Claude Code writes before it, and without the words at its end that announce
/// what the line does not show: `Available tools:`.
pub(super) fn plain_error(error: &str) -> &str {
    let error = error.trim_start_matches(ERROR_TAG);
    let announced = error.ends_with(':').then(|| error.rfind(". ")).flatten();
    announced.map_or(error, |end| &error[..=end])
}

/// The tag before an error.
const ERROR_TAG: &str = "<tool_use_error>";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_no_tag_before_it_and_announces_nothing() {
        for (error, plain) in [
            ("<tool_use_error>It is gone.", "It is gone."),
            (
                "Skill \"mill\" not found. Available skills are:",
                "Skill \"mill\" not found.",
            ),
            ("Available skills are:", "Available skills are:"),
        ] {
            assert_eq!(plain_error(error), plain);
        }
    }

    #[test]
    fn what_may_fail_did_not() {
        let line = "Cancel it only when it has failed, gone off-track, or stopped";
        assert!(!has_error_line(line));
        for line in ["2 failed, 3 passed in 0.1s", "Build failed, see the log"] {
            assert!(has_error_line(line), "{line}");
        }
    }
}
