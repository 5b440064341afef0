//! Places in input files, as every message spells them.

/// Returns `file:line`, or `file:line:column` where a single byte is to blame.
pub(crate) fn source_location(file: &str, line: u64, column: Option<u64>) -> String {
    match column {
        Some(column) => format!("{file}:{line}:{column}"),
        None => format!("{file}:{line}"),
    }
}
