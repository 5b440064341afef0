//! The columns that text for people may take.

use terminal_size::{Width, terminal_size_of};

/// The columns of talk where stderr is no terminal.
const TALK_COLUMNS: usize = 110;

/// Returns the columns of the talk on stderr.
pub(super) fn talk_columns() -> usize {
    columns_of(std::io::stderr()).unwrap_or(TALK_COLUMNS)
}

/// Returns the columns of tables on stderr. Where it is no terminal, a table is as wide as it is.
pub(super) fn talk_table_columns() -> usize {
    columns_of(std::io::stderr()).unwrap_or(usize::MAX)
}

/// Returns the columns of tables on stdout. Where it is no terminal, a table is as wide as it is.
pub(super) fn table_columns() -> usize {
    columns_of(std::io::stdout()).unwrap_or(usize::MAX)
}

#[cfg(unix)]
fn columns_of(stream: impl std::os::fd::AsFd) -> Option<usize> {
    terminal_size_of(stream).map(|(Width(columns), _)| usize::from(columns))
}

#[cfg(windows)]
fn columns_of(stream: impl std::os::windows::io::AsHandle) -> Option<usize> {
    terminal_size_of(stream).map(|(Width(columns), _)| usize::from(columns))
}
