//! `epitome schema`: the schema of the rows of `stream`.

use crate::commands::Ending;
use crate::files::output::print_result;
use crate::running::stream::{SchemaForm, render_schema};
use crate::settings::cli::SchemaArgs;
use anyhow::Result;

/// Prints the schema of a row.
///
/// # Errors
/// Fails if stdout can't be written.
pub(crate) fn run(arguments: &SchemaArgs) -> Result<Ending> {
    let form = if arguments.spark {
        SchemaForm::Spark
    } else if arguments.arrow {
        SchemaForm::Arrow
    } else {
        SchemaForm::Json
    };
    print_result(&render_schema(form))?;
    Ok(Ending::success())
}
