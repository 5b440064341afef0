//! Takes compacted units in input order: their bytes into the output, their
//! originals beside it, their reports into the report files.

use crate::base::stop_flag::StopCause;
use crate::files::archive::checksum::StretchChecksums;
use crate::files::archive::originals::{OriginalsHeader, OriginalsWriter};
use crate::files::input::InputError;
use crate::files::output::{FinishedOutput, OutputSeal, OutputSink, PendingOutput};
use crate::reporting::report::RunFacts;
use crate::running::batch::{ReceiveInOrder, run_log::RunLog};
use crate::running::compaction::prelude::*;
use crate::running::compaction::report_entries::EntryKinds;
use crate::running::compaction::report_files::{ReportMark, RunReports};
use crate::running::compaction::unit::{CompactedUnit, UnitReport};
use std::error::Error;

/// The counter that is in the report of a file that was not read to its end.
pub(crate) const UNREAD_COUNTER: &str = "approx";

/// An output file that is being written.
struct OpenOutput {
    file: Arc<InputFile>,
    sink: OutputSink,
    originals: Option<OriginalsWriter<StagedFile>>,
    pending: PendingOutput,
    digest: RunDigest,
    mark: ReportMark,
}

/// Takes the units of a run.
pub(crate) struct UnitReceiver<'t> {
    tree: &'t OutputTree,
    stop: &'t StopFlag,
    reports: RunReports,
    entry_kinds: &'t EntryKinds,
    log: RunLog,
    /// Prints the decision about each transcript.
    pub is_verbose: bool,
    open: Option<OpenOutput>,
    /// The index of a file that can't be finished: no more of it is taken.
    abandoned: Option<usize>,
    digest: RunDigest,
    archived: bool,
    archive_failures: u64,
    /// The outputs can be restored: checksums are kept of them.
    is_restorable: bool,
}

/// The result of a run whose output is written.
pub(crate) struct CompactedOutput {
    /// The totals, and the transcripts that stand out.
    pub digest: RunDigest,
    /// Something was archived.
    pub archived: bool,
    /// The conversations that failed because the archive could not be written.
    pub archive_failures: u64,
}

impl<'t> UnitReceiver<'t> {
    /// Begins with no file open.
    pub(crate) fn new(
        tree: &'t OutputTree,
        reports: RunReports,
        entry_kinds: &'t EntryKinds,
        facts: RunFacts,
        log: RunLog,
        stop: &'t StopFlag,
        is_restorable: bool,
    ) -> Self {
        Self {
            tree,
            is_restorable,
            stop,
            reports,
            entry_kinds,
            is_verbose: false,
            log,
            open: None,
            abandoned: None,
            digest: RunDigest { facts: Some(facts), ..RunDigest::default() },
            archived: false,
            archive_failures: 0,
        }
    }

    /// Ends the reports and publishes everything that waits; nothing if a run that replaces an
    /// earlier one ends early. Fails if something can't be written.
    pub(crate) fn finish(mut self) -> Result<CompactedOutput, WriteError> {
        self.log.finish();
        for report in self.reports.finish(&self.digest)? {
            // They join the last publication.
            self.tree.join_report(report)?;
        }
        if !(self.tree.replaces_earlier_run() && self.stop.cause().is_some()) {
            self.tree.commit()?;
            self.reports.publish(&self.digest)?;
        }
        Ok(CompactedOutput {
            digest: self.digest,
            archived: self.archived,
            archive_failures: self.archive_failures,
        })
    }

    /// Gives up the file that is not whole when the run ends early: it does not appear. What went
    /// to stdout stays. Fails if the report can't be written.
    pub(crate) fn give_up_open_file(&mut self, cause: StopCause<'_>) -> Result<(), WriteError> {
        if self.tree.is_stdout() {
            return Ok(());
        }
        match self.open.take() {
            None => Ok(()),
            Some(open) => {
                self.reports.rewind(&open.mark)?;
                self.tree.abandon_output(&open.pending)?;
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
        self.log.tell_of(&report.file, &place, report.error.as_deref(), &report.warnings);
        if unit_report.over_limit {
            self.log.over_limit(&report.file, &place, report.tokens_after);
        }
        if self.is_verbose {
            self.log.tell(&report.decision_line());
        }
        open.digest.add_report(report, unit_report.over_limit);
        self.reports.push(&unit_report.entry)
    }

    fn write_bytes(
        &self,
        open: &mut OpenOutput,
        unit: &InputUnit,
        compacted: &mut CompactedUnit,
    ) -> Result<(), WriteError> {
        let files = std::mem::take(&mut compacted.archive_files);
        self.tree.push_archives(&mut open.pending, files)?;
        let base = open.sink.bytes_written();
        let ends = compacted.originals.iter().map(|removed| removed.undo.at + removed.undo.len);
        if let Some(checksums) = open.sink.checksums() {
            checksums.expect_ends(ends.map(|end| base + end));
        }
        let written = compacted.bytes.write_to(&unit.bytes, &mut open.sink);
        written.map_err(if self.tree.is_stdout() {
            WriteError::Stdout
        } else {
            WriteError::Output
        })?;
        let checksums = open.sink.checksums().map(StretchChecksums::take_finished);
        for (original, checksum) in compacted.originals.iter().zip(checksums.into_iter().flatten())
        {
            let originals = self.originals_of(open)?;
            originals.push(original, base, &unit.bytes, checksum)?;
        }
        Ok(())
    }

    /// Returns the originals of an output, created when the first bytes are removed from it.
    fn originals_of<'o>(
        &self,
        open: &'o mut OpenOutput,
    ) -> Result<&'o mut OriginalsWriter<StagedFile>, WriteError> {
        let created = match open.originals.take() {
            Some(originals) => originals,
            None => {
                let output = &open.file.output;
                let header = OriginalsHeader::new(output, &open.file.relative_path);
                OriginalsWriter::begin(self.tree.create_originals(output)?, &header)?
            }
        };
        Ok(open.originals.insert(created))
    }

    /// Reports a file that can't be finished: it does not appear.
    fn abandon(&mut self, index: usize, name: &str, reason: &dyn Error) -> Result<(), WriteError> {
        self.abandoned = Some(index);
        let error = format!("{}; it is not written", describe_with_causes(reason));
        self.log.error_in(name, &format!("{name}: {error}"));
        let report = TranscriptReport::unreadable(name, 0, None, UNREAD_COUNTER, error);
        self.digest.add_report(&report, false);
        self.reports.push(&self.entry_kinds.render_failure(&report))
    }

    /// Takes back what the open output has staged.
    fn take_back_open_output(&mut self) -> Result<(), WriteError> {
        match self.open.take() {
            Some(open) => self.tree.abandon_output(&open.pending),
            None => Ok(()),
        }
    }

    /// Takes the open output, or opens that of the unit's file.
    fn take_or_open(&mut self, file: &Arc<InputFile>) -> Result<OpenOutput, WriteError> {
        if let Some(open) = self.open.take() {
            return Ok(open);
        }
        let access = self.tree.output_access(file.index);
        let mut sink = self.tree.create_output(&file.output, file.compression, access)?;
        if self.is_restorable {
            sink.sum_stretches();
        }
        Ok(OpenOutput {
            file: Arc::clone(file),
            sink,
            originals: None,
            pending: self.tree.begin_output(&file.output),
            digest: RunDigest::default(),
            mark: self.reports.mark(),
        })
    }

    /// Ends the files of a whole output.
    fn end_files(
        &self,
        mut sink: OutputSink,
        originals: Option<OriginalsWriter<StagedFile>>,
    ) -> Result<FinishedOutput, WriteError> {
        let bytes = sink.bytes_written();
        let remainder = sink.checksums().map(|checksums| checksums.remainder());
        let xxh3 = remainder.unwrap_or_default();
        let (originals, seal) = match originals {
            Some(originals) => {
                let (file, seal) = originals.finish(bytes, xxh3.clone())?;
                (Some(file.finish()?), Some(seal))
            }
            None => (None, None),
        };
        // What stdout got can be restored only with originals.
        let is_recorded = self.is_restorable && (seal.is_some() || !self.tree.is_stdout());
        let seal = is_recorded.then_some(OutputSeal { bytes, xxh3, originals: seal });
        Ok(FinishedOutput { output: sink.finish()?, originals, seal })
    }
}

impl ReceiveInOrder<CompactedUnit> for UnitReceiver<'_> {
    fn receive(
        &mut self,
        unit: &InputUnit,
        mut compacted: CompactedUnit,
    ) -> Result<(), WriteError> {
        if let Some(fault) = compacted.archive_fault.take() {
            return Err(fault);
        }
        let changed = compacted.reports.iter().filter(|unit| unit.report.changes());
        let changed = changed.count() as u64;
        self.log.add_changed_transcripts(compacted.reports.len() as u64, changed);
        let file = &unit.file;
        if self.abandoned == Some(file.index) {
            return Ok(());
        }
        let open_mark = self.open.as_ref().map(|open| open.mark.clone());
        let mark = open_mark.unwrap_or_else(|| self.reports.mark());
        // A conversation that failed because the run stops will not fail when the run goes on.
        if let Some(cause) = self.stop.cause()
            && compacted.reports.iter().any(UnitReport::has_failed)
        {
            self.take_back_open_output()?;
            self.reports.rewind(&mark)?;
            return self.abandon(file.index, &file.name, &cause);
        }
        let mut open = match self.take_or_open(file) {
            Ok(open) => open,
            Err(error) if !error.is_refusal() => return Err(error),
            Err(error) => return self.abandon(file.index, &file.name, &error),
        };
        if compacted.starts_with_bom {
            self.log.warn(&file.name, "a byte order mark is dropped");
        }
        for report in &compacted.reports {
            self.push_report(&mut open, report)?;
        }
        self.archived |= compacted.archived;
        self.archive_failures += compacted.archive_failures;
        let written = self.write_bytes(&mut open, unit, &mut compacted);
        if let (Ok(()), false) = (&written, unit.is_last) {
            self.open = Some(open);
            return Ok(());
        }
        let (sink, originals) = (open.sink, open.originals);
        match written.and_then(|()| self.end_files(sink, originals)) {
            Ok(finished) => {
                self.tree.finish_output(open.pending, finished)?;
                self.digest.merge_part(open.digest);
                self.tree.commit_if_due()
            }
            // Nothing more can be said on stdout, or the next file would fail as well.
            Err(error) if self.tree.is_stdout() || !error.is_refusal() => Err(error),
            Err(error) => {
                self.tree.abandon_output(&open.pending)?;
                self.reports.rewind(&mark)?;
                self.abandon(file.index, &file.name, &error)
            }
        }
    }

    fn file_failed(
        &mut self,
        index: usize,
        name: &str,
        error: &InputError,
    ) -> Result<(), WriteError> {
        let mark = self.open.as_ref().map(|open| open.mark.clone());
        self.take_back_open_output()?;
        if self.abandoned == Some(index) {
            return Ok(());
        }
        if let Some(mark) = mark {
            self.reports.rewind(&mark)?;
        }
        self.abandon(index, name, error)
    }

    fn log(&mut self) -> &mut RunLog {
        &mut self.log
    }
}
