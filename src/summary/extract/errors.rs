//! Errors: lines of results that tell of failure, each kind once, newest
//! first. What only mentions errors (source code) is left out.

use super::line::{Count, clip, floor_char, fold, reach, windows};
use memchr::memmem;
use std::collections::HashMap;

/// What tells of failure, in lower case. The first two need a colon after the word.
const MARKS: &[&str] =
    &["error", "exception", "traceback", "failed", "fatal", "panic", "exit code ", "not found", "no such file", "permission denied", "segfault"];
const NEED_COLON: usize = 2;
/// What stands before an error that is only spoken of.
const SPOKEN_OF: &[&str] = &[
    "raise ", "except ", "throw ", "throws ", "catch ", "catch(", "import ", "class ", "def ", "fn ", "return ", "new ", "const ", "let ", "console.",
    "print(", "//", "/*", "0 ", "no ",
];
/// A longer line is data: of it, what stands around the mark.
const LONGEST_LINE: usize = 240;
/// Error lines looked at in one text.
const MOST_LINES: usize = 200;
/// Of one error, no more than this is told.
const TOKENS_EACH: usize = 30;

#[derive(Debug)]
struct Failure {
    line: String,
    times: u32,
    last: usize,
}

/// The errors of a conversation.
#[derive(Debug)]
pub(super) struct Errors {
    finders: Vec<memmem::Finder<'static>>,
    all: Vec<Failure>,
    index: HashMap<String, usize>,
}

impl Errors {
    pub(super) fn new() -> Self {
        Self { finders: MARKS.iter().map(memmem::Finder::new).collect(), all: Vec::new(), index: HashMap::new() }
    }

    /// Notes the error lines of a text of message `turn`.
    pub(super) fn read(&mut self, text: &str, turn: usize) {
        let (head, tail) = windows(text);
        self.window(head, turn);
        self.window(tail, turn);
    }

    fn window(&mut self, text: &str, turn: usize) {
        let lower = text.to_ascii_lowercase();
        let mut hits: Vec<usize> = Vec::new();
        for (number, (mark, finder)) in MARKS.iter().zip(&self.finders).enumerate() {
            let found = finder.find_iter(lower.as_bytes()).filter(|at| tells(&lower, *at, mark, number < NEED_COLON));
            hits.extend(found.take(MOST_LINES));
        }
        hits.sort_unstable();
        let mut done = 0;
        for hit in hits {
            if hit < done {
                continue;
            }
            let (start, end) = around(text, hit);
            let spoken = text[start..hit].to_ascii_lowercase();
            // Code that could fail is no failure.
            let line = text[start..end].trim_end();
            let code = line.ends_with([';', '{']) || line.contains("${") || is_field(text, hit) || SPOKEN_OF.iter().any(|words| spoken.contains(words));
            if !code {
                self.add(&text[start..end], turn);
            }
            done = end;
        }
    }

    /// Notes one error line.
    pub(super) fn add(&mut self, line: &str, turn: usize) {
        let line = fold(line.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '{' | '[' | ',')), LONGEST_LINE);
        if line.chars().filter(|c| c.is_alphanumeric()).count() < 4 {
            return;
        }
        let next = self.all.len();
        let at = *self.index.entry(signature(&line)).or_insert(next);
        if at == next {
            self.all.push(Failure { line, times: 0, last: turn });
        } else if turn >= self.all[at].last {
            self.all[at].line = line;
            self.all[at].last = turn;
        }
        self.all[at].times += 1;
    }

    /// Lines `Error: …` that cost at most `tokens`, newest first.
    pub(super) fn write(&self, tokens: usize, count: Count<'_>) -> Vec<String> {
        let mut order: Vec<&Failure> = self.all.iter().collect();
        order.sort_by_key(|failure| std::cmp::Reverse(failure.last));
        let mut lines = Vec::new();
        let mut left = tokens;
        for failure in order.into_iter().take(tokens) {
            if left < 6 {
                break;
            }
            let times = if failure.times > 1 { format!("Error (x{}): ", failure.times) } else { "Error: ".to_owned() };
            // The label stands for the word that most errors begin with.
            let told =
                failure.line.get(..6).filter(|word| word.eq_ignore_ascii_case("error:")).map_or(failure.line.as_str(), |_| failure.line[6..].trim_start());
            let line = format!("{times}{}", fold(told, reach(left)));
            let Some(line) = clip(&line, left.min(TOKENS_EACH), count).filter(|line| line.len() > times.len() + 6) else {
                continue;
            };
            left -= count(&format!("{line}\n")).min(left);
            lines.push(line);
        }
        lines
    }
}

/// Whether the mark at `at` reports: it is no part of a bare mention.
fn tells(lower: &str, at: usize, mark: &str, needs_colon: bool) -> bool {
    let rest = &lower.as_bytes()[at + mark.len()..];
    if needs_colon {
        let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'"' | b'\'')).count();
        let value = rest.get(blanks + 1..).unwrap_or_default().trim_ascii_start();
        let nothing = [&b"null"[..], b"none", b"false", b"\"\"", b"''", b"0", b"[]", b"{}"].iter().any(|empty| value.starts_with(empty));
        // `error[E0308]: …` is how compilers number them.
        return (matches!(rest.get(blanks), Some(b':')) && !nothing) || rest.starts_with(b"[e");
    }
    if mark == "exit code " {
        return rest.first().is_some_and(|digit| (b'1'..=b'9').contains(digit));
    }
    true
}

/// Whether the mark ends a name like `isError`; `KeyError` begins as a class does.
fn is_field(text: &str, hit: usize) -> bool {
    let name = text[..hit].bytes().rev().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').last();
    text.as_bytes()[hit].is_ascii_uppercase() && name.is_some_and(|first| first.is_ascii_lowercase())
}

/// The line around a hit, or of a long line the part that tells.
fn around(text: &str, hit: usize) -> (usize, usize) {
    // No further than a line may be long, so that a text without line ends costs no more than others.
    let (first, last) = (floor_char(text, hit.saturating_sub(LONGEST_LINE)), floor_char(text, hit + LONGEST_LINE));
    let start = text[first..hit].rfind('\n').map_or(first, |at| first + at + 1);
    let end = text[hit..last].find('\n').map_or(last, |length| hit + length);
    if end - start <= LONGEST_LINE {
        return (start, end);
    }
    let near = floor_char(text, hit.saturating_sub(40).max(start));
    let start = text[near..hit].rfind(|c: char| c.is_whitespace() || matches!(c, '"' | ',' | '{')).map_or(hit, |at| near + at);
    let start = if text.is_char_boundary(start) { start } else { hit };
    let far = floor_char(text, (hit + LONGEST_LINE - 80).min(end));
    // Not in the middle of a word, as long as there is a word to end.
    let cut = if far == end { end } else { text[hit..far].rfind(|c: char| c.is_whitespace() || matches!(c, ',' | '"')).map_or(hit, |at| hit + at) };
    (start, cut.max(hit))
}

/// Two lines with one signature are one error: numbers and what is quoted may differ in place and time only.
fn signature(line: &str) -> String {
    let mut signature = String::with_capacity(line.len().min(100));
    for c in line.chars() {
        let c = if c.is_ascii_digit() { '0' } else { c.to_ascii_lowercase() };
        if !(c == '0' && signature.ends_with('0')) {
            signature.push(c);
        }
        if signature.len() >= 100 {
            break;
        }
    }
    signature
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quarter(text: &str) -> usize {
        text.chars().count().div_ceil(4)
    }

    fn lines(texts: &[&str]) -> Vec<String> {
        let mut errors = Errors::new();
        texts.iter().enumerate().for_each(|(turn, text)| errors.read(text, turn));
        errors.write(200, &quarter)
    }

    #[test]
    fn each_kind_once_newest_first() {
        let texts = ["ok\nKeyError: 'abc'\nrest", "line 3: command not found", "line 17: command not found", "all fine, 3 errors fixed"];
        assert_eq!(lines(&texts), ["Error (x2): line 17: command not found", "Error: KeyError: 'abc'"]);
    }

    #[test]
    fn code_is_no_error() {
        assert_eq!(
            lines(&["Error: user gone", "    raise ValueError('it failed')\nshow(`Login failed: ${x}`);\n  isError: true,\nerror: None"]),
            ["Error: user gone"]
        );
    }

    #[test]
    fn json_tells_errors_too() {
        let long = format!("{{\"items\": [{}], \"error\": \"quota_77 exceeded\"}}", "1, ".repeat(200));
        let found = lines(&[&long, "{\"error\": null, \"n\": 1}"]);
        assert!(found.len() == 1 && found[0].contains("quota_77 exceeded"), "{found:?}");
    }
}
