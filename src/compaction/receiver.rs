//! Takes compacted units in input order: their bytes into the output, their
//! originals beside it, their reports into the report files.

use crate::archive::originals::{OriginalsHeader, OriginalsTrailer};
use crate::batch::ReceiveInOrder;
use crate::batch::run_log::RunLog;
use crate::compaction::report_files::{JsonReports, ReportMark};
use crate::compaction::unit::{CompactedUnit, UnitReport};
use crate::conversation::source_location;
use crate::error::describe_with_causes;
use crate::input::{InputError, InputFile, InputUnit};
use crate::output::{AtomicFile, OutputSink, OutputTree, ReliantOutput, WriteError};
use crate::report::{RunDigest, TranscriptReport, json};
use crate::stop_flag::{StopCause, StopFlag};
use std::error::Error;
use std::sync::Arc;

/// The counter that stands in the report of a file that was not read to its end.
const UNREAD_COUNTER: &str = "approx";

/// An output file that is being written.
struct OpenOutput {
    file: Arc<InputFile>,
    sink: OutputSink,
    originals: Option<AtomicFile>,
    digest: RunDigest,
    mark: ReportMark,
}

/// Takes the units of a run.
pub(crate) struct UnitReceiver<'t> {
    tree: &'t OutputTree,
    stop: &'t StopFlag,
    reports: JsonReports,
    log: RunLog,
    open: Option<OpenOutput>,
    /// The index of a file that can't be finished: no more of it is taken.
    abandoned: Option<usize>,
    digest: RunDigest,
    archived: bool,
}

/// The result of a run whose output is written.
pub(crate) struct CompactedOutput {
    /// The totals, and the transcripts that stand out.
    pub digest: RunDigest,
    /// Something was archived.
    pub archived: bool,
}

impl<'t> UnitReceiver<'t> {
    /// Begins with no file open.
    #[must_use]
    pub(crate) fn new(
        tree: &'t OutputTree,
        reports: JsonReports,
        log: RunLog,
        stop: &'t StopFlag,
    ) -> Self {
        Self {
            tree,
            stop,
            reports,
            log,
            open: None,
            abandoned: None,
            digest: RunDigest::default(),
            archived: false,
        }
    }

    /// Ends the reports.
    ///
    /// # Errors
    /// Fails if they can't be written.
    pub(crate) fn finish(self) -> Result<CompactedOutput, WriteError> {
        self.log.finish();
        self.reports.publish(&self.digest)?;
        Ok(CompactedOutput {
            digest: self.digest,
            archived: self.archived,
        })
    }

    /// Gives up the file that is not whole when the run ends early: it does not appear. What went
    /// to stdout stays.
    ///
    /// # Errors
    /// Fails if the report can't be written.
    pub(crate) fn give_up_open_file(&mut self, cause: StopCause<'_>) -> Result<(), WriteError> {
        if self.tree.is_stdout() {
            return Ok(());
        }
        match self.open.take() {
            None => Ok(()),
            Some(open) => {
                self.reports.rewind(open.mark)?;
                self.abandon(open.file.index, &open.file.name, &cause)
            }
        }
    }

    fn push_report(
        &mut self,
        open: &mut OpenOutput,
        unit_report: &UnitReport,
    ) -> Result<(), WriteError> {
        let report = &unit_report.report;
        let place = source_location(&report.file, report.line, report.column);
        if let Some(error) = &report.error {
            self.log.error(&format!("{place}: {error}"));
        }
        for warning in &report.warnings {
            self.log.warn(&place, warning);
        }
        open.digest.add_report(report, unit_report.over_limit);
        self.reports.push(&unit_report.json)
    }

    fn write_bytes(
        &self,
        open: &mut OpenOutput,
        unit: &InputUnit,
        compacted: &CompactedUnit,
    ) -> Result<(), WriteError> {
        let is_stdout = self.tree.is_stdout();
        if is_stdout && compacted.archived {
            self.sync_archives_of(&open.file)?;
        }
        let base = open.sink.bytes_written();
        let written = compacted.bytes.write_to(&unit.bytes, &mut open.sink);
        written.map_err(if is_stdout {
            WriteError::Stdout
        } else {
            WriteError::Output
        })?;
        for original in &compacted.originals {
            let originals = self.originals_of(open)?;
            original.write_original(base, &unit.bytes, originals)?;
        }
        Ok(())
    }

    fn sync_archives_of(&self, file: &InputFile) -> Result<(), WriteError> {
        self.tree.sync_archives(ReliantOutput::OfInput(file.index))
    }

    /// Returns the originals of an output, created when the first bytes are removed from it.
    fn originals_of<'o>(&self, open: &'o mut OpenOutput) -> Result<&'o mut AtomicFile, WriteError> {
        let created = match open.originals.take() {
            Some(originals) => originals,
            None => {
                let output = &open.file.output;
                let mut created = self.tree.create_originals(output)?;
                OriginalsHeader::new(output, &open.file.relative_path).write_to(&mut created)?;
                created
            }
        };
        Ok(open.originals.insert(created))
    }

    /// Reports a file that can't be finished: it does not appear.
    fn abandon(&mut self, index: usize, name: &str, reason: &dyn Error) -> Result<(), WriteError> {
        self.abandoned = Some(index);
        let error = format!("{}; it is not written", describe_with_causes(reason));
        self.log.error(&format!("{name}: {error}"));
        let report = TranscriptReport::unreadable(name, 0, None, UNREAD_COUNTER, error);
        self.digest.add_report(&report, false);
        self.reports.push(&json::report_entry(&report))
    }

    /// Takes the open output, or opens that of the unit's file.
    fn take_or_open(&mut self, compacted: &CompactedUnit) -> Result<OpenOutput, WriteError> {
        if let Some(open) = self.open.take() {
            return Ok(open);
        }
        let file = &compacted.file;
        Ok(OpenOutput {
            file: Arc::clone(file),
            sink: self.tree.create_output(
                &file.output,
                file.compression,
                self.tree.output_access(file.index),
            )?,
            originals: None,
            digest: RunDigest::default(),
            mark: self.reports.mark(),
        })
    }

    /// Writes a unit, and publishes its file where it is the last unit of it.
    fn write_unit(
        &mut self,
        mut open: OpenOutput,
        unit: &InputUnit,
        compacted: &CompactedUnit,
    ) -> Result<(), WriteError> {
        self.write_bytes(&mut open, unit, compacted)?;
        if compacted.last {
            return self.publish(open);
        }
        self.open = Some(open);
        Ok(())
    }

    /// Gives a finished file its name. Everything that was removed is on the disk before.
    fn publish(&mut self, open: OpenOutput) -> Result<(), WriteError> {
        self.sync_archives_of(&open.file)?;
        match open.originals {
            Some(mut originals) => {
                let trailer = OriginalsTrailer {
                    output_bytes: open.sink.bytes_written(),
                };
                trailer.write_to(&mut originals)?;
                originals.publish()?;
                open.sink.publish()?;
            }
            None => {
                open.sink.publish()?;
                self.tree.remove_originals(&open.file.output)?;
            }
        }
        self.digest.merge_part(open.digest);
        Ok(())
    }
}

impl ReceiveInOrder<CompactedUnit> for UnitReceiver<'_> {
    fn receive(&mut self, unit: &InputUnit, compacted: CompactedUnit) -> Result<(), WriteError> {
        self.log.add_transcripts(compacted.reports.len() as u64);
        let file = &compacted.file;
        if self.abandoned == Some(file.index) {
            return Ok(());
        }
        let open_mark = self.open.as_ref().map(|open| open.mark);
        let mark = open_mark.unwrap_or_else(|| self.reports.mark());
        // A conversation that failed because the run stops will not fail when the run goes on.
        if let Some(cause) = self.stop.cause()
            && compacted.reports.iter().any(UnitReport::has_failed)
        {
            self.open = None;
            self.reports.rewind(mark)?;
            return self.abandon(file.index, &file.name, &cause);
        }
        let mut open = match self.take_or_open(&compacted) {
            Ok(open) => open,
            Err(error) => return self.abandon(file.index, &file.name, &error),
        };
        if compacted.starts_with_bom {
            self.log.warn(&file.name, "a byte order mark is dropped");
        }
        for report in &compacted.reports {
            self.push_report(&mut open, report)?;
        }
        self.archived |= compacted.archived;
        match self.write_unit(open, unit, &compacted) {
            // The reader of stdout has enough, or nothing more can be said there.
            Err(error) if self.tree.is_stdout() => Err(error),
            Err(error) => {
                self.reports.rewind(mark)?;
                self.abandon(file.index, &file.name, &error)
            }
            Ok(()) => Ok(()),
        }
    }

    fn file_failed(
        &mut self,
        index: usize,
        name: &str,
        error: &InputError,
    ) -> Result<(), WriteError> {
        let mark = self.open.take().map(|open| open.mark);
        if self.abandoned == Some(index) {
            return Ok(());
        }
        if let Some(mark) = mark {
            self.reports.rewind(mark)?;
        }
        self.abandon(index, name, error)
    }

    fn set_bytes_read(&mut self, bytes: u64) {
        self.log.set_bytes_read(bytes);
    }
}
