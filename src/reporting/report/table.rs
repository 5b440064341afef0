//! The style of all tables for a terminal.

use comfy_table::{Cell, CellAlignment, ContentArrangement, Row, Table, presets};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

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
