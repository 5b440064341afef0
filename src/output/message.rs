//! Text for people, on stderr and stdout. No text from a log or a file name reaches a terminal raw.

use crate::foreign_text::{harmless_line, harmless_text};
use std::io::{self, Write};

/// Prints a message on stderr, as a single line: a line end in a file name can't feign another
/// message. Unsafe characters are replaced, and a closed stderr is ignored.
pub(crate) fn print_message(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", harmless_line(text));
}

/// Prints a text of several lines on stderr. Unsafe characters are replaced, and a closed stderr is
/// ignored.
pub(crate) fn print_lines(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", harmless_text(text));
}

/// Prints text on stdout. Unsafe characters but line ends and tabs are replaced.
///
/// # Errors
/// Fails if stdout can't be written.
pub(crate) fn print_result(text: &str) -> io::Result<()> {
    io::stdout()
        .lock()
        .write_all(harmless_text(text).as_bytes())
}
