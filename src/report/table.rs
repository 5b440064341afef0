//! The style of all tables for a terminal.

use comfy_table::{CellAlignment, Table, presets};

/// Creates a table without a frame. Columns from `numeric_from` on are aligned to the right.
#[must_use]
pub(crate) fn plain_table(header: &[&str], numeric_from: usize) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_header(header.iter().copied());
    for index in numeric_from..header.len() {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// Returns the line below a table that names its token counters, or nothing if there are none.
#[must_use]
pub(crate) fn counters_line<'c>(counters: impl IntoIterator<Item = &'c &'c str>) -> String {
    let names: Vec<&str> = counters.into_iter().copied().collect();
    if names.is_empty() {
        String::new()
    } else {
        format!("counted by {}\n", names.join(", "))
    }
}

/// Removes trailing blanks from each line. The result ends with a line end.
#[must_use]
pub(crate) fn trim_line_ends(text: &str) -> String {
    text.lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}
