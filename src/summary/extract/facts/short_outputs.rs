//! Shows a short output as a whole, or by its last lines, if no line of it tells how the call went.

use super::folded_outcomes::LINE_END;
use super::path_ends::shorten_paths;
use super::result_heads::RUN_MARK;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::result_text::result_lines;

/// Maximum length in bytes of an output that is shown as a whole.
const LONGEST_OUTPUT: usize = 100;
/// Maximum number of lines of a result that is shown by its last line.
pub(super) const FEW_LINES: usize = 4;
/// Number of lines that are shown before one that is printed in any case.
const LAST_LINES: usize = 3;

/// Returns the last lines of a short output, if they are no data or code. Empty if there are none.
pub(super) fn last_lines_of(text: &str, is_scripted: &dyn Fn(&str) -> bool) -> String {
    let is_data = |line: &str| {
        line.starts_with(['{', '[', '<', '}', ']', '/', '#'])
            || line.ends_with([';', '{', '}', ','])
            || line.ends_with("...")
            || is_listed_code(line)
    };
    let mut shown = String::new();
    for line in result_lines(text).rev().filter(|line| !is_scripted(line)) {
        if is_data(line) {
            return String::new();
        }
        let line = fold_line(line, LONGEST_OUTPUT);
        if !shown.is_empty() && shown.len() + LINE_END.len() + line.len() > LONGEST_OUTPUT {
            break;
        }
        let separator = if shown.is_empty() { "" } else { LINE_END };
        shown.insert_str(0, separator);
        shown.insert_str(0, &line);
    }
    shown
}

/// Returns all lines of a short output. Returns `None` if it has more, or is data or code.
pub(super) fn all_lines(text: &str) -> Option<String> {
    let mut shown = String::new();
    let lines = result_lines(text).filter(|line| !line.starts_with(RUN_MARK));
    for (number, line) in lines.enumerate() {
        let separator = if number == 0 { "" } else { LINE_END };
        let is_data = line.starts_with(['{', '[', '<']) || is_listed_code(line);
        if is_data || number >= FEW_LINES || shown.len() + line.len() > LONGEST_OUTPUT {
            return None;
        }
        shown.push_str(separator);
        shown.push_str(&fold_line(&shorten_paths(line), LONGEST_OUTPUT));
    }
    shown.contains(LINE_END).then_some(shown)
}

/// Returns the last lines of an output that ends with a line that is printed in any case.
pub(super) fn lines_before_scripted(
    text: &str,
    is_scripted: &dyn Fn(&str) -> bool,
) -> Option<String> {
    let mut lines = result_lines(text).rev();
    lines.next().filter(|line| is_scripted(line))?;
    let mut shown = String::new();
    for line in lines.filter(|line| !is_scripted(line)).take(LAST_LINES) {
        if shown.len() + LINE_END.len() + line.len() > LONGEST_OUTPUT {
            break;
        }
        let separator = if shown.is_empty() { "" } else { LINE_END };
        shown.insert_str(0, separator);
        shown.insert_str(0, &fold_line(line, LONGEST_OUTPUT));
    }
    (!shown.is_empty()).then_some(shown)
}

/// Returns true for a line of a file behind its number, as an editor shows it: `12\tlet a = 1;`.
pub(super) fn is_listed_code(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && line[digits..].starts_with(['\t', '→', '|'])
}
