//! Takes the text that a call printed out of its result: out of JSON around it, and without the
//! heading and the lines that a harness prints around every result.

use super::argument_leaves::{LeafValue, visit_leaves};
use super::clip::floor_char;
use crate::summary::extract::lexicon::argument_names::{EXIT_KEYS, EXIT_LINES, OUTPUT_KEYS};
use crate::summary::extract::lexicon::message_marks::HARNESS_DETAILS;
use crate::summary::extract::lexicon::outcome_words::FURNITURE;
use memchr::memmem::Finder;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Maximum length in bytes of a line that counts as a heading of a result.
const LONGEST_HEADING: usize = 200;
/// A result that a converter puts where the log has none.
const NO_RESULT: &str = "[no result in the log]";

/// What a call printed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ResultText<'t> {
    pub(crate) text: Cow<'t, str>,
    /// The exit status that the result states, if it is not 0.
    pub(crate) exit_status: Option<&'t str>,
    /// The text is the value of an error field.
    pub(crate) names_error: bool,
}

/// The key of an error in a result that is wrapped in JSON.
const ERROR_KEY: &str = "error";

/// Returns true if a result is a placeholder for a result that the log lacks.
pub(crate) fn is_missing_result(result: &str) -> bool {
    result.trim() == NO_RESULT
}

/// Returns what a call printed.
pub(crate) fn read_result(result: &str) -> ResultText<'_> {
    read_result_start(result, usize::MAX)
}

/// Returns what a call printed: at least `length` bytes of its beginning, or all.
pub(crate) fn read_result_start(result: &str, length: usize) -> ResultText<'_> {
    let text = strip_result_heading(result.trim());
    let RunOutput { heading, text } = split_run_heading(text);
    let plain = ResultText {
        text: Cow::Borrowed(text),
        exit_status: (plain_exit_status(heading).or_else(|| plain_exit_status(text)))
            .filter(|status| is_failure_status(status)),
        names_error: heading.starts_with(FAILED_SCRIPT),
    };
    if !text.starts_with("{\"") || !has_early_key(text, OUTPUT_KEYS) {
        return plain;
    }
    let mut exit_status = None;
    let mut outputs: Vec<Option<LeafValue<'_>>> = vec![None; OUTPUT_KEYS.len()];
    let mut others = 0;
    visit_leaves(text, &mut |key, leaf| {
        if EXIT_KEYS.contains(&key.name) {
            if let LeafValue::Number(status) = leaf {
                exit_status = exit_status.or(Some(status));
            }
        } else if let Some(at) = OUTPUT_KEYS.iter().position(|known| *known == key.name) {
            outputs[at].get_or_insert(leaf);
        } else {
            others += 1;
        }
    });
    // With more than the output and a few figures about it, the object is a record.
    if others > 4 {
        return plain;
    }
    let output = OUTPUT_KEYS
        .iter()
        .zip(outputs)
        .filter_map(|(key, leaf)| Some((*key, leaf?.decode_start(length)?)))
        .find(|(_, output)| !output.trim().is_empty());
    ResultText {
        names_error: output.as_ref().is_some_and(|(key, _)| *key == ERROR_KEY),
        text: output.map(|(_, output)| output).unwrap_or_default(),
        exit_status: exit_status.filter(|status| is_failure_status(status)),
    }
}

/// What a run printed, and the lines about it before that. Empty if there are none.
struct RunOutput<'t> {
    heading: &'t str,
    text: &'t str,
}

/// Splits the lines about a run, which Codex writes before what was printed, from the rest.
fn split_run_heading(text: &str) -> RunOutput<'_> {
    let whole = RunOutput { heading: "", text };
    // Gemini CLI repeats the command, however long it is.
    let output = if text.starts_with(COMMAND_HEADING) {
        text.find(FOLDER_LINE)
            .and_then(|at| Some(at + text[at..].find(OUTPUT_LINE)?))
    } else {
        None
    };
    if let Some(at) = output {
        return RunOutput {
            heading: "",
            text: text[at + OUTPUT_LINE.len()..].trim_start(),
        };
    }
    if let Some(text) = text.strip_prefix(OUTPUT_LINE.trim_start()) {
        return RunOutput {
            heading: "",
            text: text.trim_start_matches(' '),
        };
    }
    if !RUN_HEADINGS.iter().any(|opening| text.starts_with(opening)) {
        return whole;
    }
    let near = &text[..floor_char(text, LONGEST_RUN_HEADING)];
    near.find(OUTPUT_LINE).map_or(whole, |at| RunOutput {
        heading: &text[..at],
        text: text[at + OUTPUT_LINE.len()..].trim_start_matches('\n'),
    })
}

/// The openings of such lines, the line that ends them, and their maximum length in bytes.
const RUN_HEADINGS: [&str; 5] = [
    "Chunk ID: ",
    "Wall time",
    "Script completed",
    FAILED_SCRIPT,
    EXIT_HEADING,
];
const FAILED_SCRIPT: &str = "Script failed";
const EXIT_HEADING: &str = "Exit code: ";
const OUTPUT_LINE: &str = "\nOutput:";
const COMMAND_HEADING: &str = "Command: ";
const FOLDER_LINE: &str = "\nDirectory: ";
const LONGEST_RUN_HEADING: usize = 240;

/// Searches for the end of a word that all of `EXIT_LINES` have.
static EXIT_WORD_SEARCH: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("ode"));

/// Returns the exit status that a plain text states in its first or its last lines.
fn plain_exit_status(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix("<returncode>") {
        return rest.split_once('<').map(|(status, _)| status);
    }
    if let Some(rest) = text.strip_prefix(EXIT_HEADING) {
        return number_in(rest);
    }
    let tail = &text[ceil_char(text, text.len().saturating_sub(LONGEST_HEADING))..];
    // Most results state none.
    EXIT_WORD_SEARCH.find(tail.as_bytes())?;
    EXIT_LINES.iter().find_map(|opening| {
        let (_, rest) = tail.rsplit_once(opening)?;
        number_in(rest)
    })
}

/// Returns the number that a text begins with.
fn number_in(text: &str) -> Option<&str> {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '-')
        .unwrap_or(text.len());
    (end > 0).then(|| &text[..end])
}

fn ceil_char(text: &str, at: usize) -> usize {
    (at..=text.len())
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(text.len())
}

fn is_failure_status(status: &str) -> bool {
    let status = status.trim();
    !status.is_empty()
        && status != "0"
        && status
            .trim_start_matches('-')
            .bytes()
            .all(|b| b.is_ascii_digit())
}

/// Returns true if an object has any of some keys among its first members, where the name of the key
/// stands first.
fn has_early_key(text: &str, keys: &[&str]) -> bool {
    let head = text.as_bytes();
    let head = &head[..head.len().min(LONGEST_HEADING)];
    memchr::memchr_iter(b'"', head).any(|quote| {
        let rest = &head[quote + 1..];
        keys.iter().any(|key| {
            rest.strip_prefix(key.as_bytes())
                .and_then(|rest| rest.first())
                == Some(&b'"')
                && memchr::memmem::find(head, key.as_bytes()) == Some(quote + 1)
        })
    })
}

/// Returns the call that the heading of a result names: `search_class("A")`. Returns `None` if there
/// is no such heading.
pub(crate) fn result_heading(text: &str) -> Option<&str> {
    let heading = text.trim_start().lines().next()?.trim_end();
    if heading.len() > LONGEST_HEADING {
        return None;
    }
    let heading = heading.strip_suffix(':')?;
    heading
        .strip_prefix("Result of ")
        .or_else(|| heading.strip_prefix('[')?.strip_suffix("] Result"))
}

/// Returns true for a name with arguments in brackets: any text may hold other lines like a heading.
fn is_call(heading: &str) -> bool {
    let name = heading.split('(').next().unwrap_or_default();
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    heading.ends_with(')') && !name.is_empty() && name.bytes().all(is_name)
}

/// The first characters of a heading of a result.
const HEADING_STARTS: [char; 2] = ['R', '['];

/// Returns the calls that headings name in a text, each with its result from the heading on. Empty if the
/// text does not begin with such a heading.
pub(crate) fn headed_results(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let heading = result_heading(rest)?;
        let starts = rest.match_indices('\n').map(|(at, _)| at + 1);
        let next = starts
            .filter(|&at| rest[at..].starts_with(HEADING_STARTS))
            .find(|&at| result_heading(&rest[at..]).is_some_and(is_call));
        let (result, after) = rest.split_at(next.unwrap_or(rest.len()));
        rest = after;
        Some((heading, result.trim_end()))
    })
}

/// Returns what stands in the heading of a result of Cline, which may have several lines: `[read_file for
/// 'a.rs'] Result:`.
pub(crate) fn tool_heading(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('[')?;
    let near = &inner[..floor_char(inner, LONGEST_TOOL_HEADING)];
    let end = near.find(TOOL_HEADING_END)?;
    Some(&inner[..end])
}

/// The end of such a heading, and its maximum length in bytes.
const TOOL_HEADING_END: &str = "] Result:";
const LONGEST_TOOL_HEADING: usize = 4096;

/// Strips the line that names the call: `OBSERVATION:`, `[read_file for 'a.rs'] Result:`.
pub(crate) fn strip_result_heading(text: &str) -> &str {
    if let Some(heading) = tool_heading(text) {
        let rest = &text[1 + heading.len() + TOOL_HEADING_END.len()..];
        return without_details(rest).trim();
    }
    let Some((heading, rest)) = text.split_once('\n') else {
        return text;
    };
    let heading = heading.trim_end();
    let is_heading = heading.len() <= LONGEST_HEADING
        && heading.ends_with(':')
        && (heading.eq_ignore_ascii_case("observation:")
            || heading.starts_with('[')
            || heading.starts_with("EXECUTION RESULT")
            || heading.starts_with("Result of "));
    if is_heading {
        rest.trim_start_matches(['\r', '\n'])
    } else {
        text
    }
}

/// Strips the block at the end of a result that begins on a line of its own.
fn without_details(result: &str) -> &str {
    match result.rsplit_once(HARNESS_DETAILS) {
        Some((output, block)) if output.ends_with('\n') && block.starts_with('\n') => output,
        _ => result,
    }
}

/// Returns the lines of a result that have a letter or a digit, trimmed, without what harnesses
/// print around every result.
pub(crate) fn result_lines(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.lines()
        .map(str::trim)
        .filter(|line| line.chars().any(char::is_alphanumeric))
        .filter(|line| !is_furniture(line))
}

/// Returns true if a harness prints a line like this around every result.
pub(crate) fn is_furniture(line: &str) -> bool {
    let begins_like_one = line
        .bytes()
        .next()
        .is_some_and(|byte| BEGINS_FURNITURE[usize::from(byte)]);
    begins_like_one
        && FURNITURE
            .iter()
            .any(|furniture| line.starts_with(furniture))
}

/// The first bytes of the lines in `FURNITURE`.
static BEGINS_FURNITURE: [bool; 256] = {
    let mut begins = [false; 256];
    let mut at = 0;
    while at < FURNITURE.len() {
        begins[FURNITURE[at].as_bytes()[0] as usize] = true;
        at += 1;
    }
    begins
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_taken_out_of_json_and_headings() {
        for (result, text, status) in [
            ("plain", "plain", None),
            (
                "Wall time: 0.1 seconds\nProcess exited with code 1\nOutput:",
                "",
                Some("1"),
            ),
            (
                "Chunk ID: 1a2b\nWall time: 0.1 seconds\nProcess exited with code 2\nOriginal token count: 9\nOutput:\nrg: gone",
                "rg: gone",
                Some("2"),
            ),
            (
                "Script completed\nWall time 1.9 seconds\nOutput:\nok",
                "ok",
                None,
            ),
            (
                "Exit code: 2\nWall time: 0 seconds\nOutput:\n12 passed in 3s",
                "12 passed in 3s",
                Some("2"),
            ),
            (
                "Exit code: 0\nWall time: 0 seconds\nOutput:\nit exited with code 3",
                "it exited with code 3",
                None,
            ),
            (
                "Command: cat <<EOF\nOutput: no\nEOF\nDirectory: (root)\nOutput: /usr/bin/a\nError: (none)",
                "/usr/bin/a\nError: (none)",
                None,
            ),
            (
                "Command: false\nDirectory: (root)\nOutput: (empty)\nExit Code: 1",
                "(empty)\nExit Code: 1",
                Some("1"),
            ),
            ("Output: On branch main", "On branch main", None),
            ("OBSERVATION:\na\nb", "a\nb", None),
            ("[bash] Result:\na", "a", None),
            ("note:\na", "note:\na", None),
            (
                r#"{"output":"a\nb","metadata":{"exit_code":0}}"#,
                "a\nb",
                None,
            ),
            (
                r#"{"output":"","metadata":{"exit_code":101}}"#,
                "",
                Some("101"),
            ),
            (r#"{"error": "gone"}"#, "gone", None),
            (r#"{"order": "A1", "output": "none"}"#, "none", None),
            (r#"{"id": 7}"#, r#"{"id": 7}"#, None),
            (
                r#"{"no_error": 1, "error": 7}"#,
                r#"{"no_error": 1, "error": 7}"#,
                None,
            ),
        ] {
            let read = read_result(result);
            assert_eq!(
                (read.text.as_ref(), read.exit_status),
                (text, status),
                "{result}"
            );
        }
        let read = read_result("<returncode>1</returncode>\n<output>\na\n</output>");
        assert_eq!(read.exit_status, Some("1"));
    }

    #[test]
    fn the_lines_of_an_exit_status_share_a_word() {
        for line in EXIT_LINES {
            assert!(EXIT_WORD_SEARCH.find(line.as_bytes()).is_some(), "{line}");
        }
    }

    #[test]
    fn furniture_is_no_line() {
        let text = "a\n\n(Open file: n/a)\n(Current directory: /srv)\nbash-$";
        assert_eq!(result_lines(text).collect::<Vec<_>>(), ["a"]);
    }
}
