//! Messages for people, on stderr.

use std::io::{self, Write};

/// Prints a line on stderr. Control characters are replaced, and a closed stderr is ignored.
pub(crate) fn print_message(text: &str) {
    // Names and keys come from the log. A terminal must not interpret them.
    let harmless: String = text
        .chars()
        .map(|c| {
            if c.is_control() && c != '\n' {
                char::REPLACEMENT_CHARACTER
            } else {
                c
            }
        })
        .collect();
    let _ = writeln!(io::stderr().lock(), "{harmless}");
}
