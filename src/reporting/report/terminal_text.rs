//! Text for the columns of a terminal.

use crate::base::foreign_text::is_unsafe_char;
use unicode_width::UnicodeWidthChar;

/// Returns text from a log as a line of at most `width` columns, without control characters.
///
/// Runs of blanks and line ends become one blank. Text that is too long ends with `…`.
pub(crate) fn single_line(text: &str, width: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    let mut after_blank = true;
    for c in text.chars() {
        let c = if is_unsafe_char(c) || c.is_whitespace() {
            ' '
        } else {
            c
        };
        if c == ' ' && after_blank {
            continue;
        }
        after_blank = c == ' ';
        let columns = c.width().unwrap_or(0);
        if used + columns + 1 > width {
            out.push('…');
            return out;
        }
        used += columns;
        out.push(c);
    }
    out
}

/// Wraps text between words into lines of at most `width` columns. Each ends with a line end, and
/// all but the first begin with `indent` blanks.
pub(crate) fn wrap_words(text: &str, width: usize, indent: usize) -> String {
    let blanks = " ".repeat(indent);
    let options = textwrap::Options::new(width.max(indent + 1)).subsequent_indent(&blanks);
    textwrap::fill(text, options) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_fits_its_columns_and_has_no_control_characters() {
        assert_eq!(single_line("a\u{1b}[31m  b\n\nc", 40), "a [31m b c");
        assert_eq!(single_line("日本語", 5), "日本…");
        assert_eq!(single_line("abcdef", 4), "abc…");
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(
            wrap_words("summarize: not triggered at all", 20, 4),
            "summarize: not\n    triggered at all\n"
        );
        assert_eq!(wrap_words("short", 20, 4), "short\n");
    }
}
