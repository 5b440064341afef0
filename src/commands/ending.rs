//! The outcome of a run: its exit status, and what is said of one that ended early or is objected to.

use crate::base::foreign_text::harmless_line;
use crate::base::stop_flag::StopCause;
use crate::commands::interrupt::SIGNAL_STATUS;
use crate::files::output::print_message;
use crate::settings::cli::MaxErrors;
use anyhow::Result;
use std::process::ExitCode;
use thiserror::Error;

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
        Self { failed, tolerated: max_errors.tolerates(failed), objection, signal: None }
    }

    /// The outcome of a command that has nothing to judge.
    pub(crate) fn success() -> Self {
        Self { tolerated: true, ..Self::default() }
    }

    /// Returns the exit status. Failures come before an objection: an input that failed could not
    /// be judged.
    pub(crate) fn exit_code(self) -> ExitCode {
        match self {
            Self { signal: Some(signal), .. } => {
                ExitCode::from(u8::try_from(SIGNAL_STATUS + signal).unwrap_or(u8::MAX))
            }
            Self { tolerated: false, .. } => ExitCode::from(FAILURE_STATUS),
            Self { objection: true, .. } => ExitCode::from(OBJECTION_STATUS),
            Self { .. } => ExitCode::SUCCESS,
        }
    }
}

/// Prints complaints. Returns true if there are any.
pub(super) fn print_complaints(complaints: impl IntoIterator<Item = String>) -> bool {
    let mut objects = false;
    for complaint in complaints {
        print_message(&complaint);
        objects = true;
    }
    objects
}

/// An error with further lines that explain it. Text of strangers in a line can't end it.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct LinesError(String);

impl LinesError {
    /// Creates an error of these lines.
    pub(crate) fn new<'l>(lines: impl IntoIterator<Item = &'l str>) -> Self {
        let lines: Vec<_> = lines.into_iter().map(harmless_line).collect();
        Self(lines.join("\n"))
    }
}

/// Explains why the run ended early, and how to go on: with `option`, if one is needed. `written`
/// says what is written. Fails with the cause where it was no signal.
pub(super) fn explain_early_end(
    cause: StopCause<'_>,
    written: &str,
    option: Option<&str>,
    keeps_answers: bool,
) -> Result<Ending> {
    let kept = if keeps_answers {
        "; summaries that were answered are in the cache and will not be asked for again"
    } else {
        ""
    };
    let option = option.map_or(String::new(), |option| format!(" with {option}"));
    let remedy = format!("{written}. To resume, run the same command again{option}{kept}");
    match cause {
        StopCause::Signal(signal) => {
            print_message(&format!("epitome: interrupted; {remedy}"));
            Ok(Ending { signal: Some(signal), ..Ending::default() })
        }
        StopCause::Failed(why) => {
            let first = format!("stopped early: {why}");
            Err(LinesError::new([first.as_str(), &remedy]).into())
        }
    }
}
