//! Receives replayed units in input order and writes their rows, archives and reports.

use crate::base::error::describe_with_causes;
use crate::dataset::{
    CardFacts, DROPPED_FILE, DatasetOptions, DatasetSums, DatasetWriter, ThreadRows,
};
use crate::files::archive::REPORT_FILE;
use crate::files::input::{InputError, InputUnit};
use crate::files::output::{
    FinishedOutput, NamedFile, OutputTree, PendingOutput, StagedFile, WriteError,
};
use crate::measuring::replay::receiver::ReplayedUnit;
use crate::measuring::replay::thread_report::{ReplayTotals, ThreadReport};
use crate::reporting::report::json;
use crate::running::batch::ReceiveInOrder;
use crate::running::batch::run_log::RunLog;
use crate::running::conversation::source_location;
use serde::Serialize;
use std::path::Path;

/// The totals in `report.json`.
#[derive(Serialize)]
pub(super) struct DatasetTotals {
    #[serde(flatten)]
    pub(super) replay: ReplayTotals,
    pub(super) dataset: DatasetSums,
    /// The name of what counted the samples.
    pub(super) counter: String,
}

/// Writes replayed units in input order.
pub(super) struct DatasetReceiver<'t> {
    tree: &'t OutputTree,
    writer: DatasetWriter<'t>,
    report: StagedFile,
    pending: PendingOutput,
    /// The number of threads in the report.
    reported: u64,
    totals: ReplayTotals,
    run_log: RunLog,
}

impl<'t> DatasetReceiver<'t> {
    /// Begins the files.
    pub(super) fn create(
        tree: &'t OutputTree,
        options: &'t DatasetOptions,
        run_log: RunLog,
    ) -> Result<Self, WriteError> {
        let mut receiver = Self {
            tree,
            writer: DatasetWriter::create(tree, options)?,
            report: tree.create_result(REPORT_FILE)?,
            pending: tree.begin_output(Path::new(DROPPED_FILE)),
            reported: 0,
            totals: ReplayTotals::default(),
            run_log,
        };
        receiver.report.append(json::report_opening().as_bytes())?;
        Ok(receiver)
    }

    /// Prints the error and the warnings of a thread, and adds it to the report.
    fn add_report(&mut self, thread: &ThreadReport) -> Result<(), WriteError> {
        let place = source_location(&thread.file, thread.line, thread.column);
        if let Some(error) = &thread.error {
            self.run_log.error_in(&thread.file, &format!("{place}: {error}"));
        }
        for warning in &thread.warnings {
            self.run_log.warn(&place, warning);
        }
        self.totals.add_thread(thread);
        let separator = json::entry_separator(self.reported == 0);
        self.report.append(separator.as_bytes())?;
        self.report.append(&json::report_entry(thread))?;
        self.reported += 1;
        Ok(())
    }

    fn write_rows(&mut self, thread: &ThreadReport, rows: ThreadRows) -> Result<(), WriteError> {
        match (&thread.thread_id, &thread.error) {
            (Some(id), None) => self.writer.write_thread(id, &thread.file, thread.line, rows),
            // The report names what failed.
            _ => Ok(()),
        }
    }

    /// Publishes all files together. Returns the totals.
    pub(super) fn publish(mut self, facts: CardFacts) -> Result<DatasetTotals, WriteError> {
        self.run_log.finish();
        let mut facts = CardFacts { transcripts: self.totals.transcripts, ..facts };
        if facts.counter.is_empty() {
            let names: Vec<&str> = self.totals.counters.iter().copied().collect();
            facts.counter = names.join(", ");
        }
        let counter = facts.counter.clone();
        let (dropped, dataset) = self.writer.finish(&facts)?;
        let totals = DatasetTotals { replay: self.totals, dataset, counter };
        let closing = json::report_closing(&totals);
        self.report.append(closing.as_bytes())?;
        let finished = FinishedOutput { output: Some(dropped), originals: None, seal: None };
        self.tree.finish_output(self.pending, finished)?;
        self.tree.join_result(self.report)?;
        self.tree.commit()?;
        Ok(totals)
    }
}

impl ReceiveInOrder<ReplayedUnit> for DatasetReceiver<'_> {
    fn receive(&mut self, _: &InputUnit, unit: ReplayedUnit) -> Result<(), WriteError> {
        for thread in unit.into_threads()?.into_iter().flatten() {
            self.run_log.add_transcripts(1);
            self.tree.push_archives(&mut self.pending, thread.archive_files)?;
            self.write_rows(&thread.report, thread.samples.rows)?;
            self.add_report(&thread.report)?;
        }
        Ok(())
    }

    fn file_failed(&mut self, _: usize, name: &str, error: &InputError) -> Result<(), WriteError> {
        self.tree.refuse_loss(name, error)?;
        let error = describe_with_causes(error);
        let report = ThreadReport::unreadable(name, 0, None, None, "approx", error);
        self.add_report(&report)
    }

    fn log(&mut self) -> &mut RunLog {
        &mut self.run_log
    }
}
