//! `epitome schema`: the schema of the rows of `stream`.

use crate::commands::Ending;
use crate::files::output::print_result;
use crate::running::stream::{SchemaForm, render_schema};
use crate::settings::cli::{SchemaArgs, SchemaLanguage};
use anyhow::Result;

/// Prints the schema of a row. Fails if stdout can't be written.
pub(crate) fn run(arguments: &SchemaArgs) -> Result<Ending> {
    let form = match arguments.language {
        SchemaLanguage::Spark => SchemaForm::Spark,
        SchemaLanguage::Arrow => SchemaForm::Arrow,
        SchemaLanguage::Json => SchemaForm::Json,
    };
    print_result(&render_schema(form))?;
    Ok(Ending::success())
}
