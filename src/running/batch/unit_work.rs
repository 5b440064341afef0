//! The two sides of a batch that a command implements: its work on a unit, on any
//! thread, and the receiver of the results, in input order.

use crate::files::archive::names::NameRule;
use crate::files::input::{InputError, InputUnit};
use crate::files::output::WriteError;
use crate::running::batch::{run_log::RunLog, worker_slots::WorkerSlot};
use crate::running::conversation::{UnitFindings, UnitRecord};

pub(crate) trait UnitWork: Sync {
    /// The result of a unit.
    type Output: Send;

    /// Reads a unit. Runs on any thread.
    fn read_records<'u>(&self, unit: &'u InputUnit) -> Vec<UnitRecord<'u>>;

    /// Returns the rule by which archive files are named, or none if no files are written or shown.
    fn name_rule(&self) -> Option<NameRule> {
        Some(NameRule::Order)
    }

    /// Works on a unit. Runs on any thread, after the names of its files are claimed. While it
    /// only waits for others it may give `slot` to another unit.
    fn finish_unit(
        &self,
        unit: &InputUnit,
        records: Vec<UnitRecord<'_>>,
        slot: &mut WorkerSlot<'_>,
    ) -> Self::Output;

    /// Returns the number of units that may be waiting for others, beyond those in work.
    fn units_waiting(&self) -> usize {
        0
    }

    /// Returns true if no further unit is to be begun.
    fn has_stopped(&self) -> bool {
        false
    }
}

/// A receiver of results, in input order.
pub(crate) trait ReceiveInOrder<T>: Send {
    /// Receives the result of a unit. An error ends the run.
    fn receive(&mut self, unit: &InputUnit, result: T) -> Result<(), WriteError>;

    /// Returns the log of the run.
    fn log(&mut self) -> &mut RunLog;

    /// Receives the error of a file that can't be read, or not to its end. By default it is
    /// printed. An error ends the run.
    fn file_failed(&mut self, _: usize, name: &str, error: &InputError) -> Result<(), WriteError> {
        self.log().file_failed(name, error);
        Ok(())
    }

    /// Receives the number of bytes of input that are read so far.
    fn set_bytes_read(&mut self, bytes: u64) {
        self.log().set_bytes_read(bytes);
    }
}

/// Prints the errors of units, and hands what was found in them on.
pub(crate) struct FindingsReceiver<F> {
    /// Progress, errors and warnings.
    pub log: RunLog,
    /// Takes what was found in the conversations of a unit.
    pub take: F,
}

impl<T, F> ReceiveInOrder<UnitFindings<T>> for FindingsReceiver<F>
where
    F: FnMut(&mut RunLog, &InputUnit, Vec<T>) -> Result<(), WriteError> + Send,
{
    fn receive(&mut self, unit: &InputUnit, findings: UnitFindings<T>) -> Result<(), WriteError> {
        self.log.add_unit(unit, &findings);
        (self.take)(&mut self.log, unit, findings.found)
    }

    fn log(&mut self) -> &mut RunLog {
        &mut self.log
    }
}
