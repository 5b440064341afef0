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
    let lines: Vec<&str> = result_lines(text).collect();
    let mut end = OutputEnd::new(&lines);
    for (at, line) in lines.iter().enumerate().rev() {
        if end.is_headed_by(line) {
            break;
        }
        if is_scripted(line) {
            continue;
        }
        if is_data(line) {
            return String::new();
        }
        if !end.push_above(at) {
            break;
        }
    }
    end.finish()
}

/// The last lines of an output, as they are shown.
struct OutputEnd<'l, 't> {
    lines: &'l [&'t str],
    shown: String,
    /// Index of the first line that is shown.
    first: usize,
}

impl<'l, 't> OutputEnd<'l, 't> {
    fn new(lines: &'l [&'t str]) -> Self {
        Self {
            lines,
            shown: String::new(),
            first: lines.len(),
        }
    }

    /// Returns true for a line above those that are shown that heads them.
    fn is_headed_by(&self, line: &str) -> bool {
        !self.shown.is_empty() && heads_others(line)
    }

    /// Adds a line above the others. Returns false if it has no room.
    fn push_above(&mut self, at: usize) -> bool {
        let line = fold_line(self.lines[at], LONGEST_OUTPUT);
        if !self.shown.is_empty() && self.shown.len() + LINE_END.len() + line.len() > LONGEST_OUTPUT
        {
            return false;
        }
        let separator = if self.shown.is_empty() { "" } else { LINE_END };
        self.shown.insert_str(0, separator);
        self.shown.insert_str(0, &line);
        self.first = at;
        true
    }

    /// Returns the lines, behind the line that heads them: values say nothing without the case that they are of.
    fn finish(self) -> String {
        let above = self.first.checked_sub(1).and_then(|at| self.lines.get(at));
        match above.filter(|line| heads_others(line)) {
            Some(heading) if !self.shown.is_empty() => {
                format!("{} {}", fold_line(heading, LONGEST_HEADING), self.shown)
            }
            _ => self.shown,
        }
    }
}

/// Returns true for a line that heads those below it: `Case 2:`, `=== Case 2 ===`.
fn heads_others(line: &str) -> bool {
    let is_banner = line.starts_with(BANNER) && line.ends_with(BANNER);
    (line.ends_with(':') || is_banner) && line.chars().any(char::is_alphanumeric)
}

/// Maximum length in bytes of such a line that is shown, and the marks around it.
const LONGEST_HEADING: usize = 48;
const BANNER: &str = "==";

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
    let lines: Vec<&str> = result_lines(text).collect();
    lines.last().filter(|line| is_scripted(line))?;
    let mut end = OutputEnd::new(&lines);
    let mut left = LAST_LINES;
    for (at, line) in lines.iter().enumerate().rev().skip(1) {
        if left == 0 || end.is_headed_by(line) {
            break;
        }
        if is_scripted(line) {
            continue;
        }
        left -= 1;
        if !end.push_above(at) {
            break;
        }
    }
    let shown = end.finish();
    (!shown.is_empty()).then_some(shown)
}

/// Returns true for a line of a file behind its number, as an editor shows it: `12\tlet a = 1;`.
pub(super) fn is_listed_code(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && line[digits..].starts_with(['\t', '→', '|'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_behind_the_line_that_heads_them() {
        let output = "Case 1:\nlevel: 'high'\nDefaults restored:\nlevel: ''\nDone.";
        let is_scripted = |line: &str| line.ends_with(':') || line == "Done.";
        let told = "Defaults restored: level: ''";
        assert_eq!(
            last_lines_of("Case 1:\nok\nDefaults restored:\nlevel: ''", &|line| {
                line.ends_with(':') || line == "ok"
            }),
            told
        );
        let before = lines_before_scripted(output, &is_scripted).unwrap();
        assert_eq!(before, told);
    }
}
