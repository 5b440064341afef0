//! The subcommands, a file each: what to run, and what to print.

mod archive_time;
pub(crate) mod audit;
pub(crate) mod compact;
mod complaints;
pub(crate) mod convert;
pub(crate) mod count;
mod early_end;
mod ending;
pub(crate) mod evaluate;
pub(crate) mod formats;
mod interrupt;
pub(crate) mod models;
pub(crate) mod plan;
pub(crate) mod presets;
pub(crate) mod replay;
pub(crate) mod requests;
pub(crate) mod restore;
mod summarizers;
pub(crate) mod writing_run;

pub(crate) use ending::Ending;

use crate::input::{CollectedInputs, InputEntry, collect_inputs};
use crate::output::print_message;
use crate::policy::Policy;
use crate::progress::Progress;
use crate::settings::{RunSettings, to_toml};
use anyhow::Result;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Collects the inputs that the user named, but nothing below `written`. Warns of what is skipped.
fn collect_named_inputs(named: &[PathBuf], written: &[&Path]) -> Result<Vec<InputEntry>> {
    let CollectedInputs { inputs, skipped } = collect_inputs(named, written)?;
    for directory in skipped {
        print_message(&format!(
            "warning: {} is skipped: an earlier run wrote it; name it itself to read it",
            directory.display()
        ));
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
    std::io::stdout().write_all(to_toml(policy).as_bytes())?;
    Ok(Ending::success())
}
