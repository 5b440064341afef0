//! Collects the error lines of a conversation. Lines that differ only in their
//! numbers count as the same error.

use super::error_lines::{LONGEST_ERROR_LINE, plain_error, visit_error_lines};
use super::error_texts::{clip_error, shorten_quotation};
use super::exchanges::Exchanges;
use super::path_ends::{file_name, shorten_paths};
use super::test_runs::passed_by_line;
use super::tracebacks::TRACEBACK;
use crate::summary::extract::ablation::SummaryRule;
use crate::summary::extract::lex::argument_leaves::LeafValue;
use crate::summary::extract::lex::excerpt::both_ends;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::result_text::is_furniture;
use crate::summary::extract::lexicon::outcome_words::SLIPS;
use hashbrown::{DefaultHashBuilder, HashMap};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::hash::{BuildHasher, Hasher};

/// Maximum length in bytes of an error in the summary.
const LONGEST_SHOWN: usize = 130;
/// Minimum length in bytes of the beginning of a long error.
const LEAST_CLIPPED: usize = 80;
/// Minimum length in bytes of an error without its label.
const LEAST_SHOWN: usize = 6;
/// Maximum number of errors that are rendered.
const MOST_RENDERED: usize = 24;
/// Minimum room in bytes for another error.
const LEAST_ROOM: usize = 16;
/// Minimum number of letters and digits in an error line.
const LEAST_LETTERS: usize = 4;
/// Number of messages from which on the errors of the first two thirds are over: what still matters of
/// them came again.
const MANY_MESSAGES: usize = 60;
/// Number of times from which on an error of edits still matters once one of them worked.
const OFTEN: u32 = 3;
/// Number of bytes at the start of a line by which another section tells it.
const TOLD_LENGTH: usize = 48;
/// Number of bytes at the start of a line that identify an error.
const SIGNATURE_LENGTH: usize = 100;

#[derive(Debug)]
struct LoggedError<'r> {
    /// The latest line.
    line: &'r str,
    /// Number of lines.
    count: u32,
    /// Index of the last message with this error.
    last: usize,
    /// The exchange that it came from, if it is known.
    exchange: Option<usize>,
}

/// The errors of a conversation.
#[derive(Debug, Default)]
pub(crate) struct ErrorLog<'r> {
    all: Vec<LoggedError<'r>>,
    /// Indices into `all` by signature.
    index: HashMap<u64, usize>,
    hasher: DefaultHashBuilder,
}

impl<'r> ErrorLog<'r> {
    /// Adds the error lines of a text and calls `found` with each. `message` is the index of the
    /// message, and `exchange` that of the exchange whose result it is.
    pub(crate) fn observe_text(
        &mut self,
        text: &'r str,
        message: usize,
        exchange: Option<usize>,
        found: &mut impl FnMut(&'r str),
    ) {
        let (head, tail) = both_ends(text);
        for window in [head, tail] {
            visit_error_lines(window, &mut |line| {
                // Its last line says what went wrong.
                if !line.contains(TRACEBACK) {
                    self.push_line(line, message, exchange);
                }
                found(line);
            });
        }
    }

    /// Adds an error line.
    pub(crate) fn push_line(&mut self, line: &'r str, message: usize, exchange: Option<usize>) {
        let line =
            line.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '{' | '[' | ','));
        let letters = line.chars().filter(|c| c.is_alphanumeric());
        if letters.take(LEAST_LETTERS).count() < LEAST_LETTERS
            || states_only_status(line)
            || is_furniture(line)
            || SLIPS.iter().any(|slip| line.contains(slip))
        {
            return;
        }
        let next = self.all.len();
        let at = *self.index.entry(self.signature_of(line)).or_insert(next);
        if at == next {
            self.all.push(LoggedError {
                line,
                count: 0,
                last: message,
                exchange,
            });
        }
        let error = &mut self.all[at];
        // A loop in a call fails once.
        let is_same_result = exchange.is_some() && error.exchange == exchange && at != next;
        if message >= error.last {
            (error.line, error.last, error.exchange) = (line, message, exchange);
        }
        error.count += u32::from(!is_same_result);
    }

    /// Renders lines `Error: …` of at most `room` bytes together, newest first, without those that
    /// `told` holds and those before message number `oldest`. Those whose call worked later stand last.
    pub(crate) fn render(
        &self,
        room: usize,
        told: &str,
        exchanges: &Exchanges<'_>,
        oldest: usize,
    ) -> Vec<String> {
        let mut newest: Vec<&LoggedError<'_>> = self.all.iter().collect();
        if SummaryRule::Errors.is_off() {
            newest.clear();
        }
        // Records of long ago still count, and so do their errors.
        let is_over = |error: &LoggedError<'_>| {
            error.exchange.is_some_and(|at| {
                // What stopped many edits will stop the next.
                let is_edit = exchanges.all[at].changed_file().is_some() && error.count < OFTEN;
                let is_tool = exchanges.all[at].is_plain_tool();
                ((oldest > 0 || is_edit || is_tool) && exchanges.is_over(at))
                    || exchanges.is_found_elsewhen(at, error.line)
            })
        };
        // How many tests failed stands with their run, and says nothing of what failed.
        let is_count = |error: &LoggedError<'_>| {
            error.exchange.is_some() && passed_by_line(error.line).is_some()
        };
        newest.retain(|error| error.last >= oldest && !is_over(error) && !is_count(error));
        newest.sort_by_key(|error| Reverse(error.last));
        let mut order: Vec<(bool, &LoggedError<'_>)> = newest
            .into_iter()
            .take(MOST_RENDERED)
            .map(|error| {
                let worked = |at| exchanges.worked_later(at, error.line);
                let is_resolved =
                    !SummaryRule::WorkedLater.is_off() && error.exchange.is_some_and(worked);
                (is_resolved, error)
            })
            .collect();
        order.sort_by_key(|(is_resolved, _)| *is_resolved);
        let mut lines = Vec::new();
        let mut left = room;
        for (is_resolved, error) in order {
            if left < LEAST_ROOM {
                break;
            }
            let count = error.count.min(99);
            let label = match (error.count > 1, is_resolved) {
                (false, false) => "Error: ".to_owned(),
                (true, false) => format!("Error (x{count}): "),
                (false, true) => format!("Error ({RESOLVED}): "),
                (true, true) => format!("Error (x{count}, {RESOLVED}): "),
            };
            let text = readable_error(error.line);
            // Some programs draw a box around an error.
            let text = fold_line(without_label(&text), LONGEST_ERROR_LINE);
            let text = without_label(text.trim_start_matches(['│', '┃', '╷', '╵', ' ']));
            if told.contains(text.get(..TOLD_LENGTH).unwrap_or(text)) {
                continue;
            }
            let text = plain_error(text);
            let place = error
                .exchange
                .and_then(|at| exchanges.all[at].changed_file().map(file_name))
                .filter(|name| !text.contains(name))
                .map_or(String::new(), |name| format!("{name}: "));
            let line = format!("{label}{place}{}", shorten_quotation(&shorten_paths(text)));
            // Half of an error says nothing, but the beginning of a long one does.
            let most = if left >= LEAST_CLIPPED {
                LONGEST_SHOWN.min(left)
            } else {
                LONGEST_SHOWN
            };
            let Some(shown) = clip_error(&line, most)
                .filter(|shown| shown.len() <= left && shown.len() > label.len() + LEAST_SHOWN)
            else {
                continue;
            };
            left = left.saturating_sub(shown.len() + 1);
            lines.push(shown.into_owned());
        }
        lines
    }

    /// Returns the hash that lines of the same error share. Runs of digits count as equal.
    fn signature_of(&self, line: &str) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        let mut after_digit = false;
        for byte in line.bytes().take(SIGNATURE_LENGTH) {
            let is_digit = byte.is_ascii_digit();
            if !(is_digit && after_digit) {
                hasher.write_u8(if is_digit {
                    b'0'
                } else {
                    byte.to_ascii_lowercase()
                });
            }
            after_digit = is_digit;
        }
        hasher.finish()
    }
}

/// Returns the index of the first message whose errors still matter where results are prose and code.
pub(crate) fn oldest_error(message_count: usize) -> usize {
    if message_count < MANY_MESSAGES {
        0
    } else {
        message_count / 3 * 2
    }
}

/// Returns the text of an error that stands in JSON: the value of its field, without escapes.
fn readable_error(line: &str) -> Cow<'_, str> {
    let Some(at) = line.find(ERROR_FIELD) else {
        return Cow::Borrowed(line);
    };
    let value = line[at + ERROR_FIELD.len()..].trim_start();
    let Some(value) = value.strip_prefix('"') else {
        return Cow::Borrowed(line);
    };
    let mut end = value.len();
    let mut from = 0;
    while let Some(quote) = value[from..].find('"').map(|at| from + at) {
        let slashes = value[..quote]
            .bytes()
            .rev()
            .take_while(|byte| *byte == b'\\')
            .count();
        if slashes % 2 == 0 {
            end = quote;
            break;
        }
        from = quote + 1;
    }
    // An escape may be cut off at the end of the line.
    LeafValue::String(value[..end].trim_end_matches('\\'))
        .decode()
        .filter(|text| text.len() > LEAST_SHOWN)
        .unwrap_or(Cow::Borrowed(line))
}

/// Returns true if a line ends with an exit status: it says that something failed, but not what.
fn states_only_status(line: &str) -> bool {
    let end = line.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ')' | ']'));
    end.len() < line.len()
        && (end.len().checked_sub(EXIT_CODE.len()))
            .and_then(|start| end.get(start..))
            .is_some_and(|words| words.eq_ignore_ascii_case(EXIT_CODE))
}

/// The words before an exit status at the end of a line.
const EXIT_CODE: &str = "exit code ";

/// Says that a call that failed worked when it was made again.
const RESOLVED: &str = "worked later";

/// The end of the name of a field that holds an error.
const ERROR_FIELD: &str = "error\":";

/// Strips the word `Error:` that most errors begin with. The label of the line repeats it.
fn without_label(line: &str) -> &str {
    match line.get(..6) {
        Some(word) if word.eq_ignore_ascii_case("error:") => line[6..].trim_start(),
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered_errors(texts: &[&str]) -> Vec<String> {
        let mut errors = ErrorLog::default();
        for (message, text) in texts.iter().enumerate() {
            errors.observe_text(text, message, None, &mut |_| {});
        }
        let oldest = oldest_error(texts.len());
        errors.render(800, "", &Exchanges::default(), oldest)
    }

    #[test]
    fn each_error_is_listed_once_newest_first() {
        let texts = [
            "ok\nKeyError: 'abc'\nrest",
            "line 3: command not found",
            "line 17: command not found",
            "all fine, 3 errors fixed",
            "grep: write error: Broken pipe\nThe command ended with exit code 1.",
        ];
        assert_eq!(
            rendered_errors(&texts),
            [
                "Error (x2): line 17: command not found",
                "Error: KeyError: 'abc'"
            ]
        );
    }

    #[test]
    fn what_is_said_of_a_long_quotation_stays() {
        let quoted = "let pump = Pump::new(1, 2, 3); let wheel = Wheel::new(4, 5, 6);";
        assert_eq!(
            rendered_errors(&[&format!(
                "Error: old_str `{quoted}` did not appear in a.rs."
            )]),
            ["Error: old_str `let pump = Pump::new(1, 2, 3); let wheel …` did not appear in a.rs."]
        );
        let limit = "Error: the role's owner may drop all schemas of the shop except billing unless it's locked";
        assert_eq!(rendered_errors(&[limit]), [limit]);
        assert!(rendered_errors(&["Error: Invalid `view_range` parameter: [7, 2]."]).is_empty());
    }

    #[test]
    fn errors_of_long_ago_are_over() {
        let mut texts = vec!["KeyError: 'abc'"];
        texts.resize(MANY_MESSAGES - 1, "ok");
        assert_eq!(rendered_errors(&texts), ["Error: KeyError: 'abc'"]);
        texts.push("ok");
        assert!(rendered_errors(&texts).is_empty());
        texts.push("KeyError: 'abc'");
        assert_eq!(rendered_errors(&texts), ["Error (x2): KeyError: 'abc'"]);
    }

    #[test]
    fn code_is_no_error() {
        assert_eq!(
            rendered_errors(&[
                "Error: user gone",
                "25: Raises RuntimeError if not found.",
                "    raise ValueError('it failed')\nshow(`Login failed: ${x}`);\n  isError: true,\nerror: None",
                "src/a.rs:992:        .check(|it| it failed with it)\n54:    PumpError::Failed\n  error: reason,\nthrown(error instanceof Error ? error.message : it)"
            ]),
            ["Error: user gone"]
        );
    }

    #[test]
    fn errors_in_json_are_found() {
        let long = format!(
            "{{\"items\": [{}], \"error\": \"quota_77 exceeded\"}}",
            "1, ".repeat(200)
        );
        let found = rendered_errors(&[&long, "{\"error\": null, \"n\": 1}"]);
        assert!(
            found.len() == 1 && found[0].contains("quota_77 exceeded"),
            "{found:?}"
        );
    }
}
