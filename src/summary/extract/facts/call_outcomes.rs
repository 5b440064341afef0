//! Tells what came of a call: the line of its result that says how it went.

use super::error_lines::{has_error_line, plain_error};
use super::failure_causes::error_line;
use super::folded_outcomes::{LINE_END, fold_outcome};
use super::look_outcomes::{NARROW_LOOK, WIDE_LOOK, shown_by_look};
use super::result_heads::{below_table_head, shown_size, without_titles};
use super::short_outputs::{
    FEW_LINES, all_lines, is_listed_code, last_lines_of, lines_before_scripted,
};
use super::test_runs::passed_by_line;
use crate::summary::extract::labels::NO_OUTPUT;
use crate::summary::extract::lex::excerpt::both_ends;
use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lex::result_text::{read_result, result_lines};
use crate::summary::extract::lexicon::outcome_words::{
    NOT_FOUND_OPENINGS, TELLING_WORDS, TEST_COUNTS,
};
use std::sync::LazyLock;

/// Maximum length in bytes of an error, and of another outcome.
const LONGEST_ERROR: usize = 150;
const LONGEST_TELLING: usize = 90;
/// Maximum length in bytes of an output of which the end is shown if no line tells more.
const SHORT_OUTPUT: usize = 900;
/// Maximum length in bytes of the cause of a test that failed.
const LONGEST_CAUSE: usize = 100;
/// What Rust counts where there are no tests.
const NO_TESTS: &str = " 0 passed; 0 failed";
/// What Rust prints behind the name of a thread.
const PANIC: &str = "panicked at";
/// Number of lines at the end of a result that are searched for the one that tells how it went.
const MOST_TELLING_LINES: usize = 40;
/// The outcome of a search without hits.
pub(super) const NOTHING_FOUND: &str = "! not found";
/// Before the outcome of a call that failed.
pub(super) const FAILURE_SIGN: &str = "! ";

/// Searches for the line that counts tests, and for one that tells how a call went.
static COUNTS: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[TEST_COUNTS]));
static TELLING: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[TELLING_WORDS]));

/// Returns the line of a result that says how the call went. Empty if nothing does. `is_scripted` tells
/// lines that are printed in any case.
pub(super) fn telling_line(
    result: &str,
    failed: bool,
    looks: bool,
    is_scripted: &dyn Fn(&str) -> bool,
) -> String {
    let read = read_result(result);
    let (head, tail) = both_ends(without_titles(below_table_head(&read.text), is_scripted));
    if failed {
        let line = error_line(head, tail).map_or(String::new(), |line| {
            fold_outcome(plain_error(line), LONGEST_ERROR)
        });
        // What was looked for, the call says.
        let says_more =
            result_lines(head).nth(1).is_some() || line.contains([',', ';']) || line.contains(": ");
        if looks
            && !says_more
            && NOT_FOUND_OPENINGS
                .iter()
                .any(|words| line.starts_with(words))
        {
            return NOTHING_FOUND.to_owned();
        }
        return match read.exit_status {
            Some(status) if line.is_empty() => format!("{FAILURE_SIGN}exit {status}"),
            _ if line.is_empty() => String::new(),
            _ => format!("{FAILURE_SIGN}{line}"),
        };
    }
    if let Some(size) = shown_size(head) {
        // What an editor shows stands with the files that were read.
        return if looks {
            String::new()
        } else {
            size.to_owned()
        };
    }
    if looks {
        let is_empty = result_lines(head).next().is_none();
        return if is_empty {
            NO_OUTPUT.to_owned()
        } else {
            shown_by_look(head, &NARROW_LOOK)
        };
    }
    let window = if tail.is_empty() { head } else { tail };
    let last_lines = || {
        (result_lines(window).rev().take(MOST_TELLING_LINES)).filter(|line| !is_listed_code(line))
    };
    // How many tests passed says more than that the run is over.
    let counts = || {
        last_lines().filter(|line| {
            // The last of several runs may have had nothing to do.
            let is_idle = line.contains(NO_TESTS);
            is_telling(line) && COUNTS.is_match(line) && !is_idle && !is_scripted(line)
        })
    };
    // Of several runs the one that failed counts, and so it does for the parts of a run.
    let counted =
        (counts().find(|line| passed_by_line(line) == Some(false))).or_else(|| counts().next());
    if counted.is_none()
        && tail.is_empty()
        && let Some(lines) = all_lines(head)
    {
        return lines;
    }
    if counted.is_none()
        && let Some(lines) = lines_before_scripted(window, is_scripted)
    {
        return lines;
    }
    let telling =
        counted.or_else(|| last_lines().find(|line| is_telling(line) && !is_scripted(line)));
    if let Some(line) = telling
        && has_error_line(line)
        && let Some(cause) = error_line(head, tail).filter(|cause| *cause != line)
    {
        // A test that failed is told with its cause.
        let line = fold_outcome(line, LONGEST_TELLING);
        let cause = cause.find(PANIC).map_or(cause, |at| &cause[at..]);
        let cause = fold_outcome(cause, LONGEST_CAUSE);
        return format!("{FAILURE_SIGN}{line}{LINE_END}{cause}");
    }
    let telling = telling.or_else(|| {
        let mut lines = last_lines();
        let last = lines.next();
        (tail.is_empty() && lines.take(FEW_LINES).count() < FEW_LINES)
            .then_some(last)
            .flatten()
            .filter(|line| !line.starts_with(['{', '[', '<']) && !is_scripted(line))
            .filter(|line| !line.ends_with([';', '{', '}']) && !line.ends_with("..."))
    });
    match telling {
        Some(line) => fold_outcome(line, LONGEST_TELLING),
        None if tail.is_empty() && head.len() <= SHORT_OUTPUT => last_lines_of(head, is_scripted),
        None => String::new(),
    }
}

/// Returns more of what a look showed than `telling_line` does. Empty if it shows a file. `is_scripted` tells lines that
/// are printed in any case.
pub(super) fn more_of_look(result: &str, is_scripted: &dyn Fn(&str) -> bool) -> String {
    let read = read_result(result);
    let (head, _) = both_ends(without_titles(below_table_head(&read.text), is_scripted));
    if shown_size(head).is_some() {
        return String::new();
    }
    shown_by_look(head, &WIDE_LOOK)
}

/// Returns true for a line that counts what passed.
pub(super) fn counts_something(line: &str) -> bool {
    COUNTS.is_match(line)
}

/// Returns true if a line says how a call went, and is no source code.
fn is_telling(line: &str) -> bool {
    let is_code = line.ends_with(['{', ';', '(', ',']) || line.starts_with(['#', '/', '*']);
    // What a program is about to do is no outcome.
    if line.len() > 240 || is_code || line.ends_with("...") {
        return false;
    }
    TELLING.is_match(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_search_that_says_nothing_else_found_nothing() {
        let none = "No matches found for \"pump\" in /srv";
        assert_eq!(telling_line(none, true, true, &|_| false), NOTHING_FOUND);
        for (result, looks) in [
            ("Could not find or load main class Mill", false),
            ("Could not find a healthy replica: mill-3 is down", true),
            (
                "Could not find pump.conf in /etc, using /srv/pump.conf instead",
                true,
            ),
        ] {
            assert_eq!(
                telling_line(result, true, looks, &|_| false),
                format!("! {result}")
            );
        }
    }

    #[test]
    fn the_head_of_a_table_is_no_outcome() {
        let table = "Name    Version\n---------------\nvalve   2.1\npump    7.0\n";
        assert_eq!(
            telling_line(table, false, true, &|_| false),
            "valve 2.1 ⏎ pump 7.0"
        );
        let empty = "Name    Version\n---------------\n";
        assert_eq!(telling_line(empty, false, true, &|_| false), "Name Version");
    }

    #[test]
    fn the_outcome_is_the_telling_line() {
        let tests = "running 3 tests\ntest a ... ok\ntest result: ok. 3 passed; 0 failed\n";
        assert_eq!(
            telling_line(tests, false, false, &|_| false),
            "test result: ok. 3 passed; 0 failed"
        );
        assert_eq!(
            telling_line("before: 4\nafter: 3\nDone.", false, false, &|_| false),
            "before: 4 ⏎ after: 3 ⏎ Done."
        );
        assert_eq!(
            telling_line(
                "   12\tprint('success')\n   13\tpass",
                false,
                false,
                &|_| false
            ),
            ""
        );
        let own = "x = 4\ny = 5\nz = 6\na = 7\nb = 8\nAll went well.";
        assert_eq!(
            telling_line(own, false, false, &|line| line.starts_with("All")),
            "z = 6 ⏎ a = 7 ⏎ b = 8"
        );
        let traceback = "x\nTraceback (most recent call last):\n  File \"a.py\", line 1\n    raise KeyError('a')\nKeyError: 'a'\n";
        assert_eq!(
            telling_line(traceback, true, false, &|_| false),
            "! KeyError: 'a'"
        );
        assert_eq!(
            telling_line(
                r#"{"output":"","metadata":{"exit_code":2}}"#,
                true,
                false,
                &|_| false
            ),
            "! exit 2"
        );
        assert_eq!(
            telling_line(
                "[File: /srv/a.py (513 lines total)]\n1:x",
                false,
                false,
                &|_| false
            ),
            "513 lines"
        );
        for (shown, line) in [
            ("fn a() {}\nfn b() {}\n", "fn a() {} ⏎ fn b() {}"),
            (
                "total 8\ndrwxr-xr-x 2 a a 4096 May 1 src\n-rw-r--r--@ 1 a a 9 May 1 a.rs",
                "src ⏎ a.rs",
            ),
            ("", NO_OUTPUT),
            (
                "Command `find . -name a` executed with exit code 0.",
                NO_OUTPUT,
            ),
            ("{\"id\": 7,\n\"a\": 1}", ""),
            ("[File: /srv/a.py (513 lines total)]\n1:x", ""),
        ] {
            assert_eq!(telling_line(shown, false, true, &|_| false), line);
        }
    }

    #[test]
    fn a_short_output_is_told_by_its_end_and_without_drawn_rules() {
        let outcome = |result: &str| telling_line(result, false, false, &|_| false);
        let printed =
            "Before:\na float16\nb category\nc object\nd object\n\nAfter:\na float64\nb float64";
        assert!(outcome(printed).ends_with("After: a float64 ⏎ b float64"));
        assert_eq!(
            outcome("collected 3 items\n\n==== 3 passed in 0.12s ===="),
            "3 passed in 0.12s"
        );
        let code = "a\nb\nc\nd\ne\nlet a = 1;";
        assert_eq!(outcome(code), "");
    }
}
