//! Finds the tracebacks of Python in what a program printed.

/// The first line of a traceback of Python.
pub(crate) const TRACEBACK: &str = "Traceback (most recent call last)";

/// Returns the line that ends the last traceback: `KeyError: 'a'`.
pub(super) fn last_traceback_line(text: &str) -> Option<&str> {
    let at = text.rfind(TRACEBACK)?;
    text[at..]
        .lines()
        .skip(1)
        .find(|line| line.starts_with(|c: char| c.is_ascii_alphabetic()))
        .map(str::trim)
}
