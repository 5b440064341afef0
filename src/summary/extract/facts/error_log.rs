//! Errors: lines of results that tell of failure, each kind once, newest
//! first. What only mentions errors (source code) is left out.

use crate::summary::extract::lex::line::{clip, floor_char, fold, windows};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use hashbrown::{DefaultHashBuilder, HashMap};
use std::hash::{BuildHasher, Hasher};
use std::sync::LazyLock;

/// What tells of failure. The first two need a colon after the word.
const MARKS: [&str; 11] = [
    "error",
    "exception",
    "traceback",
    "failed",
    "fatal",
    "panic",
    "exit code ",
    "not found",
    "no such file",
    "permission denied",
    "segfault",
];
const NEED_COLON: usize = 2;
/// One search for all marks, each in lower case, capitalised and in capitals: so it is done many bytes at a time.
static SEARCH: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let capitalised = |mark: &str| mark[..1].to_ascii_uppercase() + &mark[1..];
    let spellings = MARKS
        .iter()
        .map(|mark| (*mark).to_owned())
        .chain(MARKS.iter().map(|mark| capitalised(mark)));
    let spellings = spellings.chain(MARKS.iter().map(|mark| mark.to_ascii_uppercase()));
    // A few marks that are seldom found: what is built fastest is fast enough.
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostFirst)
        .kind(Some(AhoCorasickKind::NoncontiguousNFA))
        .build(spellings)
        .ok()
});
/// What stands before an error that is only spoken of.
const SPOKEN_OF: &[&str] = &[
    "raise ", "raises ", "except ", "throw ", "throws ", "catch ", "catch(", "import ", "class ",
    "def ", "fn ", "return ", "new ", "const ", "let ", "console.", "print(", "//", "/*", "0 ",
    "no ",
];
/// A longer line is data: of it, what stands around the mark.
const LONGEST_LINE: usize = 240;
/// Error lines looked at in one text.
const MOST_LINES: usize = 200;
/// Of one error, no more bytes than this are told.
const LONGEST_TOLD: usize = 130;
/// Less is not worth telling.
const LEAST: usize = 16;

#[derive(Debug)]
struct LoggedError<'r> {
    line: &'r str,
    times: u32,
    last: usize,
}

/// The errors of a conversation.
#[derive(Debug, Default)]
pub(crate) struct ErrorLog<'r> {
    all: Vec<LoggedError<'r>>,
    index: HashMap<u64, usize>,
    hasher: DefaultHashBuilder,
}

impl<'r> ErrorLog<'r> {
    /// Notes the error lines of a text of message `turn`, and calls `found` with each.
    pub(crate) fn read(&mut self, text: &'r str, turn: usize, found: &mut impl FnMut(&'r str)) {
        let (head, tail) = windows(text);
        for window in [head, tail] {
            lines(window, &mut |line| {
                self.add(line, turn);
                found(line);
            });
        }
    }

    /// Notes one error line.
    pub(crate) fn add(&mut self, line: &'r str, turn: usize) {
        let line =
            line.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '{' | '[' | ','));
        if line.chars().filter(|c| c.is_alphanumeric()).take(4).count() < 4 {
            return;
        }
        let next = self.all.len();
        let at = *self.index.entry(self.signature(line)).or_insert(next);
        if at == next {
            self.all.push(LoggedError {
                line,
                times: 0,
                last: turn,
            });
        } else if turn >= self.all[at].last {
            self.all[at].line = line;
            self.all[at].last = turn;
        }
        self.all[at].times += 1;
    }

    /// Lines `Error: …` of at most `room` bytes, newest first, and whether they are all told whole.
    pub(crate) fn write(&self, room: usize) -> (Vec<String>, bool) {
        let mut order: Vec<&LoggedError<'_>> = self.all.iter().collect();
        order.sort_by_key(|failure| std::cmp::Reverse(failure.last));
        let mut lines = Vec::new();
        let (mut left, mut whole) = (room, true);
        for failure in order {
            if left < LEAST {
                whole = false;
                break;
            }
            let times = if failure.times > 1 {
                format!("Error (x{}): ", failure.times.min(99))
            } else {
                "Error: ".to_owned()
            };
            // The label stands for the word that most errors begin with.
            let told = match failure.line.get(..6) {
                Some(word) if word.eq_ignore_ascii_case("error:") => failure.line[6..].trim_start(),
                _ => failure.line,
            };
            let line = format!("{times}{}", fold(told, LONGEST_LINE));
            let Some(told) =
                clip(&line, left.min(LONGEST_TOLD)).filter(|told| told.len() > times.len() + 6)
            else {
                whole = false;
                continue;
            };
            whole &= told.len() == line.len();
            left = left.saturating_sub(told.len() + 1);
            lines.push(told.into_owned());
        }
        (lines, whole)
    }

    /// Two lines with one signature are one error: numbers may differ in place and time only.
    fn signature(&self, line: &str) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        let mut digits = false;
        for byte in line.bytes().take(100) {
            let digit = byte.is_ascii_digit();
            if !(digit && digits) {
                hasher.write_u8(if digit {
                    b'0'
                } else {
                    byte.to_ascii_lowercase()
                });
            }
            digits = digit;
        }
        hasher.finish()
    }
}

/// Whether a text has an error line.
pub(crate) fn tells_error(text: &str) -> bool {
    let mut tells = false;
    lines(text, &mut |_| tells = true);
    tells
}

/// Calls `found` with the error lines of a text.
fn lines<'t>(text: &'t str, found: &mut impl FnMut(&'t str)) {
    let Some(search) = SEARCH.as_ref() else {
        return;
    };
    let mut done = 0;
    let hits = search.find_iter(text).filter(|hit| {
        tells(
            text,
            hit.start(),
            hit.end(),
            hit.pattern().as_usize() % MARKS.len(),
        )
    });
    for hit in hits.take(MOST_LINES) {
        if hit.start() < done {
            continue;
        }
        let (start, end) = around(text, hit.start());
        done = end;
        if !is_code(text, start, hit.start(), end) {
            found(&text[start..end]);
        }
    }
}

/// Whether the line speaks of errors as code does: what could fail is no failure.
fn is_code(text: &str, start: usize, hit: usize, end: usize) -> bool {
    let line = text[start..end].trim_end();
    if line.ends_with([';', '{']) || line.contains("${") || is_field(text, hit) {
        return true;
    }
    let before = text[start..hit].to_ascii_lowercase();
    SPOKEN_OF.iter().any(|words| before.contains(words))
}

/// Whether the mark at `start..end` reports: it is no part of a bare mention.
fn tells(text: &str, start: usize, end: usize, mark: usize) -> bool {
    let rest = &text.as_bytes()[end..];
    if mark < NEED_COLON {
        let blanks = rest
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'"' | b'\''))
            .count();
        if rest.get(blanks) != Some(&b':') {
            // `error[E0308]: …` is how compilers number them.
            return rest.starts_with(b"[E") || rest.starts_with(b"[e");
        }
        let value = rest[blanks + 1..].trim_ascii_start();
        let empty = [
            &b"null"[..],
            b"none",
            b"false",
            b"\"\"",
            b"''",
            b"0",
            b"[]",
            b"{}",
        ];
        return !empty.iter().any(|empty| {
            value
                .get(..empty.len())
                .is_some_and(|value| value.eq_ignore_ascii_case(empty))
        });
    }
    if text[start..end].ends_with(' ') {
        return rest
            .first()
            .is_some_and(|digit| (b'1'..=b'9').contains(digit));
    }
    true
}

/// Whether the mark ends a name like `isError`; `KeyError` begins as a class does.
fn is_field(text: &str, hit: usize) -> bool {
    let name = text[..hit]
        .bytes()
        .rev()
        .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        .last();
    text.as_bytes()[hit].is_ascii_uppercase()
        && name.is_some_and(|first| first.is_ascii_lowercase())
}

/// The line around a hit, or of a long line the part that tells.
fn around(text: &str, hit: usize) -> (usize, usize) {
    // No further than a line may be long, so that a text without line ends costs no more than others.
    let (first, last) = (
        floor_char(text, hit.saturating_sub(LONGEST_LINE)),
        floor_char(text, hit + LONGEST_LINE),
    );
    let start = text[first..hit]
        .rfind('\n')
        .map_or(first, |at| first + at + 1);
    let end = text[hit..last]
        .find('\n')
        .map_or(last, |length| hit + length);
    if end - start <= LONGEST_LINE {
        return (start, end);
    }
    let near = floor_char(text, hit.saturating_sub(40).max(start));
    let start = text[near..hit]
        .rfind(|c: char| c.is_whitespace() || matches!(c, '"' | ',' | '{'))
        .map_or(hit, |at| near + at);
    let start = if text.is_char_boundary(start) {
        start
    } else {
        hit
    };
    let far = floor_char(text, (hit + LONGEST_LINE - 80).min(end));
    // Not in the middle of a word, as long as there is a word to end.
    let cut = if far == end {
        end
    } else {
        text[hit..far]
            .rfind(|c: char| c.is_whitespace() || matches!(c, ',' | '"'))
            .map_or(hit, |at| hit + at)
    };
    (start, cut.max(hit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(texts: &[&str]) -> Vec<String> {
        let mut errors = ErrorLog::default();
        texts
            .iter()
            .enumerate()
            .for_each(|(turn, text)| errors.read(text, turn, &mut |_| {}));
        errors.write(800).0
    }

    #[test]
    fn each_kind_once_newest_first() {
        let texts = [
            "ok\nKeyError: 'abc'\nrest",
            "line 3: command not found",
            "line 17: command not found",
            "all fine, 3 errors fixed",
        ];
        assert_eq!(
            told(&texts),
            [
                "Error (x2): line 17: command not found",
                "Error: KeyError: 'abc'"
            ]
        );
    }

    #[test]
    fn code_is_no_error() {
        assert_eq!(
            told(&[
                "Error: user gone",
                "25: Raises RuntimeError if not found.",
                "    raise ValueError('it failed')\nshow(`Login failed: ${x}`);\n  isError: true,\nerror: None"
            ]),
            ["Error: user gone"]
        );
    }

    #[test]
    fn json_tells_errors_too() {
        let long = format!(
            "{{\"items\": [{}], \"error\": \"quota_77 exceeded\"}}",
            "1, ".repeat(200)
        );
        let found = told(&[&long, "{\"error\": null, \"n\": 1}"]);
        assert!(
            found.len() == 1 && found[0].contains("quota_77 exceeded"),
            "{found:?}"
        );
    }
}
