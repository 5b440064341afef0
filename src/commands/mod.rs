//! One file a subcommand.

pub mod compact;
pub mod convert;
pub mod count;
pub mod evaluate;
pub mod formats;
mod interrupt;
pub mod models;
pub mod plan;
pub mod presets;
pub mod replay;
pub mod requests;
pub mod restore;

use crate::cli::MaxErrors;
use crate::input::{CollectedInputs, InputEntry, collect_inputs};
use crate::output::print_message;
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The inputs that the command line names, but nothing below `written`. What is skipped is told.
fn inputs(named: &[PathBuf], written: &[&Path]) -> Result<Vec<InputEntry>> {
    let CollectedInputs { inputs, skipped } = collect_inputs(named, written)?;
    for directory in skipped {
        print_message(&format!(
            "warning: {} is skipped: an earlier run wrote it; name it itself to read it",
            directory.display()
        ));
    }
    Ok(inputs)
}

/// How a run came out; `main` turns it into the exit status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ending {
    /// Inputs and transcripts that failed.
    pub failed: u64,
    /// Whether failures are tolerated.
    pub tolerated: bool,
    /// `--check` found a change, or a result exceeds a limit.
    pub objection: bool,
    /// The signal that ended the run early.
    pub signal: Option<usize>,
}

impl Ending {
    /// Judges what a run found.
    #[must_use]
    pub fn new(failed: u64, max_errors: MaxErrors, objection: bool) -> Self {
        let tolerated = match max_errors {
            MaxErrors::Some(most) => failed <= most,
            MaxErrors::All => true,
        };
        Self {
            failed,
            tolerated,
            objection,
            signal: None,
        }
    }

    /// The exit status: 3 before 1, because what failed could not be judged.
    #[must_use]
    pub fn exit_code(self) -> ExitCode {
        match self {
            Self {
                signal: Some(signal),
                ..
            } => ExitCode::from(u8::try_from(interrupt::SIGNAL_STATUS + signal).unwrap_or(u8::MAX)),
            Self {
                tolerated: false, ..
            } => ExitCode::from(3),
            Self {
                objection: true, ..
            } => ExitCode::from(1),
            Self { .. } => ExitCode::SUCCESS,
        }
    }
}
