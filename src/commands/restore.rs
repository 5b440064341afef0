//! `epitome restore`: restores the inputs of an earlier `compact` from its outputs and originals, or
//! the records that rows were made of.

use crate::commands::prelude::*;
use crate::commands::unpack::RowFile;
use crate::files::input::STDIN;
use crate::files::restoration::{Restoration, RestorationError, RestorationPaths};
use crate::settings::cli::RestoreArgs;

/// Restores inputs, or checks that they can be restored. Fails if an option is wrong, or the
/// results can't be written.
pub(crate) fn run(arguments: &RestoreArgs) -> Result<Ending> {
    let directory = match &*arguments.inputs {
        [directory] if !names_rows(directory) => directory,
        inputs => {
            if let Some(directory) = inputs.iter().find(|input| !names_rows(input)) {
                bail!(
                    "{}: restore takes one directory of an earlier compact, or files of rows",
                    directory.display()
                );
            }
            if arguments.archive.is_some() {
                bail!("--archive: rows hold everything that restores them");
            }
            return restore_records(arguments);
        }
    };
    let archive = arguments.archive.as_deref();
    let paths = RestorationPaths {
        directory,
        archive: archive.unwrap_or(directory),
        output: arguments.output.as_deref(),
    };
    let terms = writing_terms("restore", arguments.force, arguments.lock);
    let restoration = paths.restore(&terms).map_err(|error| match error {
        RestorationError::BrokeOff(error) => RunError::BrokeOff(error).into(),
        error => anyhow::Error::from(error),
    })?;
    print_findings(&restoration);
    let Restoration { restored, copied, .. } = restoration;
    let failed = restoration.failures.len() as u64;
    if arguments.check {
        let verdict = format!(
            "{restored} can be restored, {copied} unchanged, {failed} failed, {} unknown\n",
            restoration.foreign.len()
        );
        if !arguments.quiet {
            print_result(&verdict)?;
        }
    } else if !arguments.quiet {
        print_message(&format!(
            "{restored} restored, {copied} unchanged and copied, {failed} failed"
        ));
    }
    Ok(Ending::new(failed, MaxErrors::Some(0), false))
}

/// Returns true if a path is a file or stdin, which can only hold rows.
fn names_rows(path: &Path) -> bool {
    path.as_os_str() == STDIN || path.is_file()
}

fn print_findings(restoration: &Restoration) {
    for failure in &restoration.failures {
        print_message(failure);
    }
    for path in &restoration.foreign {
        print_message(&format!(
            "warning: {}: not an output of epitome; not restored",
            path.display()
        ));
    }
    if restoration.unchecked > 0 {
        print_message(&format!(
            "warning: {} without checksums (an older version wrote them); only lengths were compared",
            count_nouns(restoration.unchecked, "file")
        ));
    }
}

/// The reason why a file of rows is not restored.
#[derive(Debug, thiserror::Error)]
enum RowRestorationError {
    #[error(transparent)]
    Rows(#[from] anyhow::Error),
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
fn restore_records(arguments: &RestoreArgs) -> Result<Ending> {
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
        print_message(&format!(
            "{} {verdict}, {} failed",
            count_nouns(rows, "row"),
            count_nouns(failed, "file")
        ));
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
            "{} is neither the directory of an earlier `epitome compact` nor a file of rows: {error:#}",
            input.name
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
