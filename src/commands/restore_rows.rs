//! `epitome restore ROWS`: the records that rows were made of.

use crate::base::error::describe_with_causes;
use crate::commands::row_files::{RowFile, RowFileError};
use crate::commands::writing_terms::writing_terms;
use crate::commands::{Ending, collect_named_inputs};
use crate::files::input::{InputEntry, NamedInputs, PathRules};
use crate::files::output::{AccessLimit, OutputTree, WriteError, print_message};
use crate::running::batch::RunError;
use crate::settings::cli::{MaxErrors, RestoreArgs};
use anyhow::{Result, bail};
use std::io::{self, Write};

/// The reason why a file of rows is not restored.
#[derive(Debug, thiserror::Error)]
enum RowRestorationError {
    #[error(transparent)]
    Rows(#[from] RowFileError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error("can't be written")]
    Io(#[from] io::Error),
}

impl RowRestorationError {
    /// Fails with a fault of the disk, which is not that of a file of rows.
    fn refuse_fault(self) -> Result<Self, RunError> {
        match self {
            Self::Write(error) if !error.is_refusal() => Err(RunError::BrokeOff(error)),
            Self::Io(error) => Err(RunError::BrokeOff(error.into())),
            error => Ok(error),
        }
    }
}

/// Restores the records of files of rows, or checks that they can be restored. Fails if an option
/// is wrong, or the results can't be written.
pub(super) fn run(arguments: &RestoreArgs) -> Result<Ending> {
    let named = NamedInputs { paths: &arguments.inputs, rules: PathRules::default() };
    let inputs = collect_named_inputs(&named, &[])?;
    inputs.iter().try_for_each(refuse_other_file)?;
    let terms = writing_terms("restore", arguments.force, arguments.lock);
    let names = inputs.iter().map(|input| input.output.clone());
    let tree = arguments.output.as_ref();
    let tree = tree.map(|output| OutputTree::for_results(output, names, &inputs, &terms));
    let tree = tree.transpose()?;
    let (mut rows, mut failed) = (0, 0);
    for input in &inputs {
        match restore_file(input, tree.as_ref()) {
            Ok(restored) => rows += restored,
            Err(error) => {
                let error = error.refuse_fault()?;
                failed += 1;
                print_message(&describe_with_causes(&error));
            }
        }
    }
    if let Some(tree) = tree {
        tree.commit().map_err(RunError::BrokeOff)?;
    }
    let verdict = if arguments.check { "can be restored" } else { "restored" };
    if !arguments.quiet {
        print_message(&format!("{rows} rows {verdict}, {failed} files failed"));
    }
    Ok(Ending::new(failed, MaxErrors::Some(0), false))
}

/// Refuses a file that does not begin with a row: the user meant another path.
fn refuse_other_file(input: &InputEntry) -> Result<()> {
    if !input.is_regular {
        return Ok(());
    }
    match RowFile::open(input)?.next_row() {
        Ok(_) => Ok(()),
        Err(error) => bail!(
            "{} is neither the directory of an earlier `epitome compact` nor a file of rows: {}",
            input.name,
            describe_with_causes(&error)
        ),
    }
}

/// Restores a file of rows. Returns the number of its rows.
fn restore_file(input: &InputEntry, tree: Option<&OutputTree>) -> Result<u64, RowRestorationError> {
    let mut rows = RowFile::open(input)?;
    let Some(tree) = tree else {
        return restore_rows(&mut rows, &mut io::sink());
    };
    let access = AccessLimit::of_input(input);
    let mut sink = tree.create_output(&input.output, rows.compression, access)?;
    let restored = restore_rows(&mut rows, &mut sink)?;
    if let Some(file) = sink.finish()? {
        tree.join_output(file)?;
    }
    Ok(restored)
}

fn restore_rows(rows: &mut RowFile, into: &mut impl Write) -> Result<u64, RowRestorationError> {
    let mut restored = 0;
    while let Some(mut row) = rows.next_row()? {
        let bytes = row.take_bytes().map_err(|error| rows.error(error))?;
        into.write_all(&bytes.restore())?;
        restored += 1;
    }
    Ok(restored)
}
