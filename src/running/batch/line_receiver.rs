//! Lines on stdout, in input order: the output of `count`.

use crate::base::foreign_text::harmless_text;
use crate::files::input::InputUnit;
use crate::files::output::WriteError;
use crate::running::batch::run_log::RunLog;
use crate::running::batch::{ReceiveInOrder, RunError};
use crate::settings::RunSettings;
use crate::settings::progress::Progress;
use std::io::{BufWriter, Stdout, Write};

/// The output of a unit.
#[derive(Default)]
pub(crate) struct UnitLines {
    /// The text for stdout.
    pub stdout: String,
    /// Errors, as `file:line: error`.
    pub errors: Vec<String>,
    /// Warnings that the lines have no room for.
    pub warnings: Vec<LocatedWarning>,
    /// Transcripts in the unit.
    pub transcripts: u64,
}

/// A warning with its place.
pub(crate) struct LocatedWarning {
    /// The place, as `file:line`.
    pub place: String,
    /// The warning.
    pub warning: String,
}

/// Prints the lines of units.
pub(crate) struct LineReceiver {
    stdout: BufWriter<Stdout>,
    /// Progress, errors and warnings.
    pub log: RunLog,
}

impl LineReceiver {
    /// Begins with nothing printed. The settings say whether warnings are.
    pub(crate) fn new(progress: Progress, run: &RunSettings) -> Self {
        Self { stdout: BufWriter::new(std::io::stdout()), log: RunLog::complete(progress, run) }
    }

    /// Prints the text that comes last. Fails if stdout can't be written.
    pub(crate) fn finish(&mut self, last: &str) -> Result<(), RunError> {
        self.log.finish();
        let written = self.stdout.write_all(harmless_text(last).as_bytes());
        written.and_then(|()| self.stdout.flush()).map_err(RunError::FinishStdout)
    }
}

impl ReceiveInOrder<UnitLines> for LineReceiver {
    fn receive(&mut self, unit: &InputUnit, lines: UnitLines) -> Result<(), WriteError> {
        self.log.add_unit(unit, lines.transcripts, &lines.errors);
        for LocatedWarning { place, warning } in &lines.warnings {
            self.log.warn(place, warning);
        }
        self.stdout.write_all(harmless_text(&lines.stdout).as_bytes()).map_err(WriteError::Stdout)
    }

    fn log(&mut self) -> &mut RunLog {
        &mut self.log
    }
}
