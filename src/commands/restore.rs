//! `epitome restore`: restores the inputs of an earlier `compact` from its outputs and originals.

use crate::commands::writing_terms::writing_terms;
use crate::commands::{Ending, restore_rows};
use crate::files::input::STDIN;
use crate::files::output::print_message;
use crate::files::restoration::{Restoration, RestorationError, RestorationPaths};
use crate::running::batch::RunError;
use crate::settings::cli::{MaxErrors, RestoreArgs};
use anyhow::{Result, bail};
use std::io::Write;
use std::path::Path;

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
            return restore_rows::run(arguments);
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
            std::io::stdout().lock().write_all(verdict.as_bytes())?;
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
        print_message(&failure.to_string());
    }
    for path in &restoration.foreign {
        print_message(&format!(
            "warning: {}: not an output of epitome; not restored",
            path.display()
        ));
    }
    if restoration.unchecked > 0 {
        print_message(&format!(
            "warning: {} files carry no checksums (an older version wrote them); only lengths were compared",
            restoration.unchecked
        ));
    }
}
