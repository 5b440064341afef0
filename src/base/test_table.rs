//! The tables of tests, written as text.

/// Returns the cells of each line, parted by bars.
pub(crate) fn rows<const CELLS: usize>(table: &str) -> impl Iterator<Item = [&str; CELLS]> {
    table.trim().lines().map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        cells.try_into().expect("a row has as many cells as its table")
    })
}
