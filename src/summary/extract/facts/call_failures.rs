//! Tells whether a call failed, by its result.

use crate::summary::extract::lex::clip::floor_char;
use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lex::result_text::{
    read_result_start, result_lines, strip_result_heading,
};
use crate::summary::extract::lexicon::outcome_words::{
    BLOCKED_SUBJECTS, BLOCKED_WORDS, FAILURE_MARKS, FAILURE_OPENINGS, POWERSHELL_ERROR,
    REFUSED_LINES, REFUSED_OPENINGS,
};
use std::sync::LazyLock;

/// The part of a result in bytes that is searched for a failure.
const FAILURE_WINDOW: usize = 300;
/// The part in bytes at the end that is searched for an error of PowerShell.
const FAILURE_END: usize = 400;
/// The part in bytes that is decoded at least: a result may begin with blanks.
const FAILURE_READ: usize = 1000;

static FAILURES: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[FAILURE_MARKS]));

/// Returns true if a result says that its call failed: by its exit status, in its first lines, or at its
/// end.
pub(crate) fn is_failure(result: &str) -> bool {
    let read = read_result_start(result, FAILURE_READ);
    if read.exit_status.is_some() || read.names_error {
        return true;
    }
    let window = &read.text[..floor_char(&read.text, FAILURE_WINDOW)];
    let Some(first) = result_lines(window).next() else {
        return false;
    };
    let lower = first.to_ascii_lowercase();
    let opening = lower.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '[' && c != '<');
    FAILURE_OPENINGS
        .iter()
        // `error_count` is a name.
        .any(|words| (opening.strip_prefix(words)).is_some_and(|rest| !rest.starts_with('_')))
        || says_refusal(opening)
        || has_error_name(opening)
        || says_blocked(&lower)
        || ends_with_powershell_error(&read.text)
        || result_lines(window)
            .take(2)
            .any(|line| FAILURES.is_match(line))
}

/// Returns true if a result says that nothing of its call was done: the user or the harness refused it, or
/// its folder is not there.
pub(crate) fn is_refusal(result: &str) -> bool {
    let begins_refused = |text: &str| {
        let first = text.trim_start().lines().next().unwrap_or_default();
        let first = &first[..floor_char(first, FAILURE_WINDOW)];
        let first = first.to_ascii_lowercase();
        says_refusal(&first) || says_blocked(&first)
    };
    begins_refused(result) || begins_refused(strip_result_heading(result.trim_start()))
}

/// Returns true if a line in small letters says that nothing was done. A shell stands before its `cd`:
/// `bash: line 1: cd: /srv: No such file or directory`.
fn says_refusal(line: &str) -> bool {
    let of_shell = line.find(": cd: ").map_or(line, |at| &line[at + 2..]);
    REFUSED_OPENINGS.iter().any(|words| line.starts_with(words))
        || REFUSED_LINES.iter().any(|[opening, word]| {
            let rest = of_shell.strip_prefix(opening);
            rest.is_some_and(|rest| rest.contains(word))
        })
}

/// Returns true if a line in small letters says that calls of this kind are not made: `Mutation tools are blocked while
/// …`.
fn says_blocked(line: &str) -> bool {
    let mut places = BLOCKED_WORDS.iter().filter_map(|words| line.find(words));
    places.any(|at| {
        let near = &line[line.ceil_char_boundary(at.saturating_sub(BLOCKED_DISTANCE))..at];
        BLOCKED_SUBJECTS.iter().any(|words| near.contains(words))
    })
}

/// Number of bytes before such words in which it stands what is blocked.
const BLOCKED_DISTANCE: usize = 48;

/// Returns true if a result is what its command prints in place of an output: `cat a.txt 2>/dev/null || echo NONE`.
/// `command` is asked for only if the result is short enough.
pub(super) fn is_alternative_output<'c>(
    result: &str,
    command: impl FnOnce() -> Option<&'c str>,
) -> bool {
    let result = result.trim();
    if result.is_empty() || result.len() > LONGEST_ALTERNATIVE {
        return false;
    }
    let Some((before, printed)) = command().and_then(|command| command.split_once(ALTERNATIVE))
    else {
        return false;
    };
    // Of several commands, others may have printed nothing.
    let is_single = !before
        .replace(NO_ERRORS, "")
        .contains([';', '&', '|', '\n', '<', '>']);
    let printed = printed.trim();
    let printed = printed.strip_prefix(['"', '\'']).unwrap_or(printed);
    is_single && printed.strip_suffix(['"', '\'']).unwrap_or(printed) == result
}

/// What sends the errors of a command nowhere.
const NO_ERRORS: &str = "2>/dev/null";

/// Maximum length in bytes of such a result.
const LONGEST_ALTERNATIVE: usize = 64;
/// What stands before the output of a command that prints nothing else if another fails.
const ALTERNATIVE: &str = "|| echo ";

/// Returns true if a text ends with an error of PowerShell.
fn ends_with_powershell_error(text: &str) -> bool {
    let end = &text[floor_char(text, text.len().saturating_sub(FAILURE_END))..];
    end.contains(POWERSHELL_ERROR)
}

/// Returns true if a line begins with the name of an error: `keyerror: 'a'`.
fn has_error_name(line: &str) -> bool {
    line.split_once(':').is_some_and(|(name, _)| {
        (name.ends_with("error") || name.ends_with("exception"))
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_behind_a_failed_command_is_its_alternative() {
        let command = "cat a.txt 2>/dev/null || echo \"NO_FILE\"";
        assert!(is_alternative_output("NO_FILE\n", || Some(command)));
        assert!(!is_alternative_output("NO_FILE\na.rs", || Some(command)));
        for others in [
            "cat > a.rs <<E\nE\npytest || echo bad",
            "rm a; grep b || echo bad",
        ] {
            assert!(!is_alternative_output("bad", || Some(others)), "{others}");
        }
        assert!(!is_alternative_output("", || Some("cat a.txt")));
    }

    #[test]
    fn failures_are_known_by_status_and_first_lines() {
        for result in [
            r#"{"output":"x","metadata":{"exit_code":1}}"#,
            "Error: user not found",
            "cat: a.txt: No such file or directory",
            "Traceback (most recent call last):\n  File \"a.py\"\nKeyError: 'a'",
            "KeyError: 'a'",
            "OBSERVATION:\nERROR:\nInvalid path",
            "No matches found for \"x\" in /srv",
            "Operation cancelled by the user",
            "Interview phase: ask first. Mutation tools are blocked while the interview is active.",
            "a.txt\nGet-Item : It is gone.\n    + FullyQualifiedErrorId : PathNotFound\n",
        ] {
            assert!(is_failure(result), "{result}");
        }
        for result in [
            "ok",
            "",
            "12 passed, 0 failed",
            "[main 1a2b3c4] The user is blocked in chat after 5 tries",
            "fn main() {\n    println!(\"a\");\n    return Err(not_found);",
            r#"{"output":"x","metadata":{"exit_code":0}}"#,
            "{\n  \"isError\":true\n}",
            "Permission to use, copy and modify this software is granted",
        ] {
            assert!(!is_failure(result), "{result}");
        }
    }

    #[test]
    fn a_refused_call_did_nothing() {
        for result in [
            "<tool_use_error>Edit was not read",
            "Permission to use Bash has been denied.",
            "cd: no such file or directory: /srv",
            "bash: line 1: cd: /srv: No such file or directory\nok",
        ] {
            assert!(is_refusal(result) && is_failure(result), "{result}");
        }
        for result in [
            "Permission to use, copy and modify this software is granted",
            "abcd: no such file",
            "cat: a.c: No such file or directory",
            "",
        ] {
            assert!(!is_refusal(result), "{result}");
        }
    }
}
