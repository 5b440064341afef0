//! `epitome man`: manual pages.

use crate::cli::{Cli, ManArgs};
use crate::commands::Ending;
use crate::output::print_result;
use anyhow::Result;

/// Prints a page.
///
/// # Errors
/// Fails if stdout can't be written.
pub(crate) fn run(arguments: &ManArgs) -> Result<Ending> {
    print_result(&arguments.page(Cli::definition())?)?;
    Ok(Ending::success())
}
