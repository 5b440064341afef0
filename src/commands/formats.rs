//! `epitome formats`: what can be read.

use crate::commands::Ending;
use crate::format::FORMATS;
use crate::report::table::plain;
use anyhow::Result;
use std::io::Write;

/// Prints the table of formats.
///
/// # Errors
/// If stdout can't be written.
pub fn run() -> Result<Ending> {
    let mut table = plain(&["name", "what it is"], 2);
    for format in FORMATS {
        table.add_row([format.name(), format.about()]);
    }
    let mut stdout = std::io::stdout().lock();
    for line in table.lines() {
        writeln!(stdout, "{}", line.trim())?;
    }
    Ok(Ending { tolerated: true, ..Ending::default() })
}
