//! Finds the line of a result that says why its call failed.

use super::error_lines::visit_error_lines;
use super::result_heads::RUN_MARK;
use super::tracebacks::{TRACEBACK, last_traceback_line};
use crate::summary::extract::lex::result_text::result_lines;
use crate::summary::extract::lexicon::outcome_words::TELLING_ERRORS;

/// Returns the line that says why a call failed: the last line of a traceback, else the last error
/// line that names its cause, else the last error line, else the first line.
pub(super) fn error_line<'t>(head: &'t str, tail: &'t str) -> Option<&'t str> {
    let end = if tail.is_empty() { head } else { tail };
    if let Some(line) = last_traceback_line(end) {
        return Some(line);
    }
    let (mut found, mut telling) = (None, None);
    visit_error_lines(end, &mut |line| {
        if line.contains(TRACEBACK) {
            return;
        }
        // How a program that ran another ends says nothing of why.
        if found.is_none() || !GENERIC_ENDS.iter().any(|end| line.contains(end)) {
            found = Some(line);
        }
        // That something failed says less than why.
        if TELLING_ERRORS.iter().any(|name| line.contains(name)) {
            telling = Some(line);
        }
    });
    telling
        .or(found)
        .map(str::trim)
        // npm prints what it runs behind such a mark.
        .or_else(|| result_lines(head).find(|line| !line.starts_with(RUN_MARK)))
}

/// What programs say at the end when one that they ran failed.
const GENERIC_ENDS: [&str; 3] = [
    "ELIFECYCLE",
    "Command failed with exit code",
    "Lifecycle script",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_a_program_that_ran_another_ended_says_nothing_of_why() {
        let npm = "> mill@1.0.0 build\n> make\n\nerror: no spring in the valve\nnpm error Lifecycle script `build` failed with error:\nerror: Command failed with exit code 2\n";
        assert_eq!(error_line(npm, ""), Some("error: no spring in the valve"));
    }
}
