//! Text for a terminal: its columns, its colours, and the style of all tables.

use crate::base::foreign_text::is_unsafe_char;
use crate::deciding::plan::Fate;
use anstyle::{AnsiColor, Style};
use comfy_table::{Cell, CellAlignment, ContentArrangement, Row, Table, presets};
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

/// Creates a table without a frame. Columns from `numeric_from` on are aligned to the right.
pub(crate) fn plain_table(header: &[&str], numeric_from: usize) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header.iter().copied());
    for index in numeric_from..header.len() {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// Renders a table for a terminal of `width` columns, without blanks at the ends of lines. One that is
/// wider is broken into tables below each other. All of them begin with the columns of text, those
/// before `numeric_from`.
pub(crate) fn render_fitting(table: &Table, numeric_from: usize, width: usize) -> String {
    let widths: Vec<usize> = table
        .column_max_content_widths()
        .into_iter()
        .map(|columns| usize::from(columns) + PADDING)
        .collect();
    if widths.iter().sum::<usize>() <= width {
        return trim_line_ends(&table.to_string());
    }
    let names: usize = widths[..numeric_from].iter().sum();
    let first = widths.first().copied().unwrap_or(0);
    let first_room = (width / 2).saturating_sub(names - first).max(MIN_NAME_COLUMNS);
    let names = names - first + first.min(first_room);
    let mut parts = Vec::new();
    let mut rest = numeric_from..widths.len();
    while !rest.is_empty() {
        let mut used = names;
        let mut part: Vec<usize> = (0..numeric_from).collect();
        for column in rest.clone() {
            used += widths[column];
            if used > width && part.len() > numeric_from {
                break;
            }
            part.push(column);
            rest.start = column + 1;
        }
        let part = take_columns(table, &part, numeric_from, first_room - PADDING);
        parts.push(trim_line_ends(&part.to_string()));
    }
    parts.join("\n")
}

/// Renders a table that ends with a column of sentences, for a terminal of `width` columns: one that
/// is wider has its texts broken between words.
pub(crate) fn render_wrapping(table: &mut Table, width: usize) -> String {
    table
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(u16::try_from(width).unwrap_or(u16::MAX));
    trim_line_ends(&table.to_string())
}

/// The blanks beside the text of a cell.
const PADDING: usize = 2;
/// The least columns of the first cell of a row, however narrow the terminal is.
const MIN_NAME_COLUMNS: usize = 10;

/// Returns a table of some columns of another, in their order. Text in the first of them has at most
/// `first_room` columns.
fn take_columns(table: &Table, columns: &[usize], numeric_from: usize, first_room: usize) -> Table {
    let cells = |row: &Row| -> Vec<String> {
        let all: Vec<String> = row.cell_iter().map(Cell::content).collect();
        let taken = columns.iter().map(|&column| {
            let text = all.get(column).map_or("", String::as_str);
            if column == 0 { text_end(text, first_room) } else { text.to_owned() }
        });
        taken.collect()
    };
    let header = table.header().map(&cells).unwrap_or_default();
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut part = plain_table(&header, numeric_from);
    for row in table.row_iter() {
        part.add_row(cells(row));
    }
    part
}

/// Returns the end of a text that is longer than `width` columns, which tells more of a path than its
/// beginning.
fn text_end(text: &str, width: usize) -> String {
    let mut used = 0;
    for (start, c) in text.char_indices().rev() {
        used += c.width().unwrap_or(0);
        let rest_fits = text[..start].width() + used <= width;
        if used + 1 > width && !rest_fits {
            return format!("…{}", &text[start + c.len_utf8()..]);
        }
    }
    text.to_owned()
}

/// Returns the line below a table that names its token counters, or nothing if there are none.
pub(crate) fn counters_line<'c>(counters: impl IntoIterator<Item = &'c &'c str>) -> String {
    let names: Vec<&str> = counters.into_iter().copied().collect();
    if names.is_empty() { String::new() } else { format!("counted by {}\n", names.join(", ")) }
}

/// Removes trailing blanks from each line. The result ends with a line end.
pub(crate) fn trim_line_ends(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
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

    #[test]
    fn a_table_that_is_too_wide_is_broken_between_columns() {
        let mut table = plain_table(&["policy", "calls", "tokens sent"], 1);
        table.add_row(["deepagents", "18", "44,070"]);
        let whole = " policy      calls  tokens sent\n deepagents     18       44,070\n";
        assert_eq!(render_fitting(&table, 1, 80), whole);
        assert_eq!(render_fitting(&table, 1, usize::MAX), whole);
        let broken = " policy      calls\n deepagents     18\n\n\
                      \x20policy      tokens sent\n deepagents       44,070\n";
        assert_eq!(render_fitting(&table, 1, 26), broken);
        assert_eq!(render_fitting(&table, 1, 1).lines().count(), 5, "a column at least");
    }

    #[test]
    fn of_a_long_name_its_end_is_shown() {
        assert_eq!(text_end("logs/day/a.jsonl", 20), "logs/day/a.jsonl");
        assert_eq!(text_end("logs/day/a.jsonl", 16), "logs/day/a.jsonl");
        assert_eq!(text_end("logs/day/a.jsonl", 8), "…a.jsonl");
        assert_eq!(text_end("日本語", 4), "…語");
    }
}
