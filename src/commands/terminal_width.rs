//! The columns that text for people may take.

use terminal_size::{Height, Width, terminal_size_of};

/// The columns of talk where stderr is no terminal.
const TALK_COLUMNS: usize = 110;

/// Returns the columns of the talk on stderr.
pub(super) fn talk_columns() -> usize {
    columns(terminal_size_of(std::io::stderr())).unwrap_or(TALK_COLUMNS)
}

/// Returns the columns of tables on stderr. Where it is no terminal, a table is as wide as it is.
pub(super) fn talk_table_columns() -> usize {
    columns(terminal_size_of(std::io::stderr())).unwrap_or(usize::MAX)
}

/// Returns the columns of tables on stdout. Where it is no terminal, a table is as wide as it is.
pub(super) fn table_columns() -> usize {
    columns(terminal_size_of(std::io::stdout())).unwrap_or(usize::MAX)
}

fn columns(size: Option<(Width, Height)>) -> Option<usize> {
    size.map(|(Width(columns), _)| usize::from(columns))
}
