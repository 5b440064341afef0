//! `epitome schema`: the schema of the rows of `stream`.

use crate::cli::SchemaArgs;
use crate::commands::Ending;
use crate::output::print_result;
use crate::stream::{SchemaForm, render_schema};
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
