//! `epitome requests`: summaries through batch files. `export` writes what is to
//! be asked, anyone answers it anywhere, `apply` finishes the compaction.

mod apply;
mod batches;
mod export;
mod submit;

use crate::cli::{RequestsArgs, RequestsCommand};
use crate::commands::Ending;
use anyhow::Result;

/// Exports, hands over, fetches or applies.
///
/// # Errors
/// Fails if an option or a file is wrong, or something can't be read, sent or written.
pub(crate) fn run(arguments: &RequestsArgs) -> Result<Ending> {
    match &arguments.command {
        RequestsCommand::Export(arguments) => export::run(arguments),
        RequestsCommand::Apply(arguments) => apply::run(arguments),
        RequestsCommand::Submit(arguments) => submit::run(arguments),
        RequestsCommand::Status(arguments) => batches::status(arguments),
        RequestsCommand::Fetch(arguments) => batches::fetch(arguments),
    }
}
