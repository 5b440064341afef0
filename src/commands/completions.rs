//! `epitome completions`: the completions of a shell.

use crate::commands::Ending;
use crate::files::output::print_result;
use crate::settings::cli::{Cli, CompletionsArgs};
use anyhow::Result;

/// Prints the completions. Fails if stdout can't be written.
pub(crate) fn run(arguments: &CompletionsArgs) -> Result<Ending> {
    print_result(&arguments.script(Cli::definition()))?;
    Ok(Ending::success())
}
