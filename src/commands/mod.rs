//! The subcommands, a file each: what to run, and what to print.

mod archive_time;
pub(crate) mod audit;
pub(crate) mod compact;
mod complaints;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod count;
mod early_end;
mod ending;
pub(crate) mod evaluate;
pub(crate) mod formats;
pub(crate) mod interrupt;
mod lines_error;
pub(crate) mod man;
pub(crate) mod models;
pub(crate) mod plan;
pub(crate) mod presets;
pub(crate) mod replay;
pub(crate) mod requests;
pub(crate) mod restore;
mod summarizers;
pub(crate) mod writing_run;
mod writing_terms;

pub(crate) use ending::Ending;
pub(crate) use interrupt::end_on_abort;
pub(crate) use lines_error::LinesError;

use crate::input::{CollectedInputs, InputEntry, NamedInputs, collect_inputs};
use crate::output::{print_message, print_result};
use crate::policy::Policy;
use crate::progress::Progress;
use crate::settings::{RunSettings, to_toml};
use anyhow::Result;
use std::path::Path;

/// Collects the inputs that the user named, but nothing below `written`. Warns of what is skipped.
fn collect_named_inputs(named: &NamedInputs<'_>, written: &[&Path]) -> Result<Vec<InputEntry>> {
    let CollectedInputs {
        inputs,
        skipped,
        links,
        hidden,
        left_out: _,
    } = collect_inputs(named, written)?;
    for directory in skipped {
        print_message(&format!(
            "warning: {} is skipped: an earlier run wrote it; name it itself to read it",
            directory.display()
        ));
    }
    if let Some(first) = links.first() {
        let first = first.display();
        print_message(&match links.len() - 1 {
            0 => format!("warning: {first} is a link and is not followed; --follow reads it"),
            more => format!(
                "warning: {first} and {more} more are links and are not followed; --follow reads them"
            ),
        });
    }
    if let Some(first) = hidden.first() {
        let first = first.display();
        print_message(&match hidden.len() - 1 {
            0 => format!("warning: {first} is hidden and is not entered; --hidden reads it"),
            more => format!(
                "warning: {first} and {more} more are hidden and are not entered; --hidden reads them"
            ),
        });
    }
    Ok(inputs)
}

/// Begins the progress over these inputs.
fn start_progress(run: &RunSettings, inputs: &[InputEntry]) -> Progress {
    let bytes = inputs.iter().map(|input| input.bytes).sum();
    Progress::new(run.progress, run.quiet, bytes)
}

/// Prints a resolved policy as TOML.
fn print_policy(policy: &Policy) -> Result<Ending> {
    print_result(&to_toml(policy))?;
    Ok(Ending::success())
}
