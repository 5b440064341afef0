//! `epitome restore`: restores the inputs of an earlier `compact` from its outputs and originals.

use crate::cli::RestoreArgs;
use crate::commands::Ending;
use crate::output::print_message;
use crate::restoration::{Restoration, RestorationPaths};
use anyhow::Result;

/// Restores inputs.
///
/// # Errors
/// Fails if an option is wrong, or the results can't be written.
pub(crate) fn run(arguments: &RestoreArgs) -> Result<Ending> {
    let archive = arguments.archive.as_deref();
    let paths = RestorationPaths {
        directory: &arguments.directory,
        archive: archive.unwrap_or(&arguments.directory),
        output: &arguments.output,
    };
    let Restoration {
        restored,
        copied,
        failures,
    } = paths.restore(arguments.force)?;
    for failure in &failures {
        print_message(&failure.to_string());
    }
    let failed = failures.len() as u64;
    if restored == 0 && failed == 0 {
        print_message(&format!(
            "warning: no originals in {}: all files are copied as they are (--archive names another directory)",
            paths.archive.display()
        ));
    } else if !arguments.quiet {
        print_message(&format!(
            "{restored} restored, {copied} unchanged and copied, {failed} failed"
        ));
    }
    Ok(Ending {
        failed,
        tolerated: failed == 0,
        ..Ending::default()
    })
}
