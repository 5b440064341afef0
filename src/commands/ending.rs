//! The outcome of a run, and its exit status.

use crate::commands::interrupt::SIGNAL_STATUS;
use crate::settings::cli::MaxErrors;
use std::process::ExitCode;

/// A transcript would change under `--check`, or a result exceeds a limit.
const OBJECTION_STATUS: u8 = 1;
/// Inputs failed; all the rest was written.
const FAILURE_STATUS: u8 = 3;

/// The outcome of a run. `main` turns it into the exit status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Ending {
    /// Inputs and transcripts that failed.
    pub failed: u64,
    /// The failures are tolerated.
    pub tolerated: bool,
    /// `--check` found a change, or a result exceeds a limit.
    pub objection: bool,
    /// The signal that ended the run early.
    pub signal: Option<usize>,
}

impl Ending {
    /// Judges the outcome of a run.
    pub(crate) fn new(failed: u64, max_errors: MaxErrors, objection: bool) -> Self {
        Self {
            failed,
            tolerated: max_errors.tolerates(failed),
            objection,
            signal: None,
        }
    }

    /// The outcome of a command that has nothing to judge.
    pub(crate) fn success() -> Self {
        Self {
            tolerated: true,
            ..Self::default()
        }
    }

    /// The outcome of a run that a signal ended.
    pub(crate) fn signalled(signal: usize) -> Self {
        Self {
            signal: Some(signal),
            ..Self::default()
        }
    }

    /// Returns the exit status. Failures come before an objection: an input that failed could not
    /// be judged.
    pub(crate) fn exit_code(self) -> ExitCode {
        match self {
            Self {
                signal: Some(signal),
                ..
            } => ExitCode::from(u8::try_from(SIGNAL_STATUS + signal).unwrap_or(u8::MAX)),
            Self {
                tolerated: false, ..
            } => ExitCode::from(FAILURE_STATUS),
            Self {
                objection: true, ..
            } => ExitCode::from(OBJECTION_STATUS),
            Self { .. } => ExitCode::SUCCESS,
        }
    }
}
