//! `epitome man`: manual pages.

use crate::commands::Ending;
use crate::files::output::print_result;
use crate::settings::cli::{Cli, ManArgs};
use anyhow::Result;

/// Prints a page. Fails if stdout can't be written.
pub(crate) fn run(arguments: &ManArgs) -> Result<Ending> {
    print_result(&arguments.page(Cli::definition())?)?;
    Ok(Ending::success())
}
