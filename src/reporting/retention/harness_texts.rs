//! Tells apart what harnesses write in the user's name: notes, and results of text actions.
//!
//! The patterns are those of the published metric.

use crate::reading::transcript::envelopes::trim_blanks;
use crate::reporting::retention::identifiers::compile_pattern;
use regex::Regex;
use std::sync::LazyLock;

/// The beginnings of notes.
const NOTE_OPENINGS: &[&str] = &[
    "<environment_context",
    "<system-reminder",
    "<user_instructions",
    "<local-command",
    "<command-name",
    "<task-notification",
    "Caveat: The messages below",
    "[Request interrupted",
];
/// The length in code points from which a line is no prompt.
const MAX_PROMPT: usize = 80;
/// The beginnings of the prompts of a shell.
const PROMPT_OPENINGS: &[&str] = &["bash-", "root@"];

static RESULT: LazyLock<Regex> = LazyLock::new(|| {
    compile_pattern(concat!(
        r"^(OBSERVATION:|Observation:|Result of search_|EXECUTION RESULT|\[[a-z_]+ for ",
        r"|\[[a-z_]+\] Result|<returncode>|Ran `|\[execute_command)"
    ))
});

/// Returns true if the text is a note of a harness and no request.
pub(super) fn is_note(text: &str) -> bool {
    let text = trim_blanks(text);
    NOTE_OPENINGS.iter().any(|opening| text.starts_with(opening))
}

/// Returns true if the text is the result of a text action: it begins as one, or its last line is
/// the prompt of a shell.
pub(super) fn is_text_result(text: &str) -> bool {
    let text = trim_blanks(text);
    RESULT.is_match(text) || is_prompt(text.rsplit('\n').next().unwrap_or_default())
}

fn is_prompt(line: &str) -> bool {
    line.ends_with(['$', '#'])
        && PROMPT_OPENINGS.iter().any(|opening| line.starts_with(opening))
        && line.chars().count() < MAX_PROMPT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_and_results_are_told_apart_from_requests() {
        assert!(is_note(" <environment_context>\n<cwd>/a</cwd>"));
        assert!(is_note("[Request interrupted by user]"));
        assert!(!is_note("Explain <environment_context> to me"));
        for result in [
            "OBSERVATION:\nok",
            "[read_file for 'a.rs'] Result:",
            "[write_to_file] Result: saved",
            "Ran `ls`",
            "a.txt\nbash-$",
            "root@box:/repo#",
        ] {
            assert!(is_text_result(result), "{result}");
        }
        for request in ["[A] Result", "Please OBSERVATION: look", "cost: 5$"] {
            assert!(!is_text_result(request), "{request}");
        }
    }
}
