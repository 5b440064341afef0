//! Text for people, on stderr and stdout. No text from a log or a file name reaches a terminal raw.

use crate::base::foreign_text::{harmless_line, harmless_text};
use crate::reporting::report::{wrap_lines, wrap_words};
use std::io::{self, Write};
use terminal_size::{Width, terminal_size_of};

/// The blanks before the second line of a message that a terminal has no room for.
const INDENT: usize = 4;

/// Prints a message on stderr, as a single line, which is broken between words where a terminal is
/// narrower: a line end in a file name can't feign another message. Unsafe characters are replaced, and a closed stderr is ignored.
pub(crate) fn print_message(text: &str) {
    let line = harmless_line(text);
    let mut stderr = io::stderr().lock();
    let _ = match terminal_size_of(&stderr) {
        Some((Width(columns), _)) => {
            write!(stderr, "{}", wrap_words(&line, columns.into(), INDENT))
        }
        None => writeln!(stderr, "{line}"),
    };
}

/// Prints a text of several lines on stderr, which are broken between words where a terminal is
/// narrower. Unsafe characters are replaced, and a closed stderr is ignored.
pub(crate) fn print_lines(text: &str) {
    let text = harmless_text(text);
    let mut stderr = io::stderr().lock();
    let _ = match terminal_size_of(&stderr) {
        Some((Width(columns), _)) => write!(stderr, "{}", wrap_lines(&text, columns.into())),
        None => writeln!(stderr, "{text}"),
    };
}

/// Prints text on stdout. Unsafe characters but line ends and tabs are replaced. Fails if stdout
/// can't be written.
pub(crate) fn print_result(text: &str) -> io::Result<()> {
    io::stdout().lock().write_all(harmless_text(text).as_bytes()).map_err(fault_of_stdout)
}

/// Names stdout in a fault of it.
pub(crate) fn fault_of_stdout(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("can't write to stdout: {error}"))
}
