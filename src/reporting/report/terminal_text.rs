//! Text for a terminal: its columns, and its colours.

use crate::base::foreign_text::is_unsafe_char;
use crate::deciding::plan::Fate;
use anstyle::{AnsiColor, Style};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Returns text from a log as a line of at most `width` columns, without control characters.
///
/// Runs of blanks and line ends become one blank. Text that is too long ends with `…`.
pub(crate) fn single_line(text: &str, width: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    let mut after_blank = true;
    for c in text.chars() {
        let c = if is_unsafe_char(c) || c.is_whitespace() { ' ' } else { c };
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
    // An id or an option is one word, whatever its hyphens.
    let options = textwrap::Options::new(width.max(indent + 1))
        .subsequent_indent(&blanks)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    textwrap::fill(text, options) + "\n"
}

/// Paints text, or leaves it as it is where nobody asked for colour.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Palette {
    is_colored: bool,
}

impl Palette {
    /// A palette that paints if `is_colored`.
    pub(crate) fn new(is_colored: bool) -> Self {
        Self { is_colored }
    }

    /// Returns text that stands out: headings and results.
    pub(crate) fn strong(self, text: &str) -> String {
        self.paint(Style::new().bold(), text)
    }

    /// Returns text that steps back.
    pub(crate) fn faint(self, text: &str) -> String {
        self.paint(Style::new().dimmed(), text)
    }

    /// Returns text in the colour of a fate. What is kept has none.
    pub(crate) fn fate(self, fate: Fate, text: &str) -> String {
        let color = match fate {
            Fate::Kept => return text.to_owned(),
            Fate::Evicted => AnsiColor::Cyan,
            Fate::Truncated => AnsiColor::Yellow,
            Fate::Pruned => AnsiColor::Magenta,
            Fate::Summarized => AnsiColor::Blue,
        };
        self.paint(color.on_default(), text)
    }

    fn paint(self, style: Style, text: &str) -> String {
        if self.is_colored { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }
}

/// Wraps the lines of a text that have more than `width` columns. What is left of a line is indented a
/// little more than its beginning.
#[must_use]
pub(crate) fn wrap_lines(text: &str, width: usize) -> String {
    let wrap = |line: &str| {
        if line.width() <= width {
            return format!("{line}\n");
        }
        let indent = line.len() - line.trim_start().len();
        wrap_words(line, width, indent + 2)
    };
    text.lines().map(wrap).collect()
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
        assert_eq!(
            wrap_lines("short\n  from  a table of many words\n", 20),
            "short\n  from  a table of\n    many words\n"
        );
    }

    #[test]
    fn text_is_painted_only_where_asked_for() {
        assert_eq!(Palette::new(false).strong("a"), "a");
        assert_eq!(Palette::new(true).strong("a"), "\u{1b}[1ma\u{1b}[0m");
        assert_eq!(Palette::new(true).fate(Fate::Kept, "kept"), "kept");
        assert_eq!(
            Palette::new(true).fate(Fate::Summarized, "summarized"),
            "\u{1b}[34msummarized\u{1b}[0m"
        );
    }
}
