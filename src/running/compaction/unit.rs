//! The compaction of a unit: takes its conversations through their steps, and
//! reports each of them.

use crate::reading::format::Format;
use crate::reporting::retention::{
    CompactedText, FutureNeeds, Passage, RetentionScores, SessionCut,
};
use crate::running::compaction::archive_files::KeptFile;
use crate::running::compaction::carried::{Archive, Carried};
use crate::running::compaction::converted_lines::{ConvertedLines, ShownCompaction};
use crate::running::compaction::expected::{Job, count_left};
use crate::running::compaction::filled::{Asked, Filled};
use crate::running::compaction::planned::{
    CompactionError, CompactionNotes, FailedCompaction, Planned,
};
use crate::running::compaction::prelude::*;
use crate::running::compaction::report_entries::{EntryKinds, shown_texts};
use crate::running::compaction::unit_bytes::{UnitBytes, UnitEdits};
use crate::running::conversation::UnitRecord;

/// The parameters that all units of a run share.
#[derive(Clone, Copy)]
pub(crate) struct UnitCompactor<'s> {
    /// The policy and its counters.
    pub settings: &'s Settings,
    /// Writes the summaries.
    pub summarizer: Option<&'s dyn Summarizer>,
    /// The job: the conversations are compacted, converted, or both.
    pub job: Job,
    /// Takes what is removed.
    pub archive: Archive<'s>,
    /// Measures what each summary kept. It reads every summarised transcript once more.
    pub measures_retention: bool,
    /// The kinds of entries that the reports need.
    pub entry_kinds: &'s EntryKinds,
    /// Shows the messages before and after in the reports.
    pub shows_texts: bool,
    /// Ends the run early.
    pub stop: &'s StopFlag,
}

#[derive(Default)]
pub(crate) struct CompactedUnit {
    /// The bytes as they leave.
    pub bytes: SplicedOutput,
    /// The bytes that were removed; their places count from the start of `bytes`.
    pub originals: Vec<RemovedBytes>,
    /// A byte order mark before the first record was dropped.
    pub starts_with_bom: bool,
    /// A report of each conversation and each unreadable record.
    pub reports: Vec<UnitReport>,
    /// Something was archived.
    pub archived: bool,
    /// The archive files of what was removed, where they lie in a directory.
    pub archive_files: Vec<StagedName>,
    /// The archive files of what was removed, where they leave with the unit.
    pub kept_files: Vec<KeptFile>,
    /// The conversations that failed because something is in the way of an archive file.
    pub archive_failures: u64,
    /// The archive can't be written at all: the run ends, and nothing of the unit is used.
    pub archive_fault: Option<WriteError>,
}

pub(crate) struct UnitReport {
    pub report: TranscriptReport,
    /// The result still exceeds a limit.
    pub over_limit: bool,
    /// The entry in each kind of report, rendered by the thread that made it.
    pub entry: Vec<Vec<u8>>,
}

impl UnitReport {
    pub(super) fn has_failed(&self) -> bool {
        self.report.error.is_some()
    }
}

/// A conversation on its way, or a record that has none.
pub(crate) struct Begun<'c, 'u> {
    report: TranscriptReport,
    step: Step<'c, 'u>,
}

enum Step<'c, 'u> {
    /// The record can't be read: it is written unchanged.
    Unreadable,
    /// There is no plan: the conversation leaves as it was logged.
    Unplanned(&'c Conversation<'u>),
    /// The summary was asked for.
    Asked(Box<Asked<'c, 'u>>),
}

impl Begun<'_, '_> {
    pub(crate) fn wait(mut self) -> Self {
        if let Step::Asked(asked) = self.step {
            self.step = Step::Asked(Box::new(asked.wait()));
        }
        self
    }
}

pub(crate) struct UnitCompaction<'u> {
    unit: &'u InputUnit,
    compactor: UnitCompactor<'u>,
    edits: UnitEdits,
    /// All but the bytes, which are put together at the end.
    compacted: CompactedUnit,
    converted: ConvertedLines,
}

impl<'u> UnitCompaction<'u> {
    /// Begins with no conversation.
    pub(crate) fn new(unit: &'u InputUnit, compactor: UnitCompactor<'u>) -> Self {
        Self {
            unit,
            compactor,
            edits: UnitEdits::default(),
            compacted: CompactedUnit::default(),
            converted: ConvertedLines::default(),
        }
    }

    /// Plans a conversation and asks for its summary.
    pub(crate) fn begin<'c, 'f>(&self, record: &'c UnitRecord<'f>) -> Begun<'c, 'f>
    where
        'u: 'c,
    {
        let conversation = match record {
            UnitRecord::Conversation(conversation) => conversation,
            UnitRecord::Unreadable(failure) => {
                let file = &self.unit.file;
                let format = file.format.map(Format::name);
                let counter = self.compactor.settings.counter(None, None).name();
                let (line, error) = (failure.line, failure.error.clone());
                let report = TranscriptReport {
                    column: failure.column,
                    ..TranscriptReport::unreadable(&file.name, line, format, counter, error)
                };
                let step = Step::Unreadable;
                return Begun { report, step };
            }
        };
        let counter = conversation.counter(self.compactor.settings);
        let mut report = conversation.report(&self.unit.file.name, counter.name());
        if !self.compactor.job.compacts() {
            report.record_unplanned();
            // A limit that is not known matters only to a decision.
            report.warnings.clone_from(&conversation.transcript.warnings);
            let step = Step::Unplanned(conversation);
            return Begun { report, step };
        }
        let step = match self.plan_and_ask(conversation) {
            Ok(asked) => Step::Asked(Box::new(asked)),
            Err(error) => {
                report.error = Some(error.to_string());
                Step::Unplanned(conversation)
            }
        };
        Begun { report, step }
    }

    fn plan_and_ask<'c, 'f>(
        &self,
        conversation: &'c Conversation<'f>,
    ) -> Result<Asked<'c, 'f>, CompactionError>
    where
        'u: 'c,
    {
        catch_panic(|| {
            let planned = Planned::decide(conversation, self.compactor.settings)?;
            // A plan that can't be written needs no summary.
            let can_be_written = planned.require_place(self.compactor.job).is_ok();
            let summarizer = self.compactor.summarizer.filter(|_| can_be_written);
            Ok(planned.ask(summarizer))
        })
    }

    /// Takes a conversation through the remaining steps. Whatever goes wrong, the
    /// conversation is written unchanged and reported as failed.
    pub(crate) fn finish_conversation(&mut self, begun: Begun<'_, '_>) {
        let Begun { mut report, step } = begun;
        let mut over_limit = false;
        let mut texts = None;
        match step {
            Step::Unreadable => {}
            Step::Unplanned(conversation) => self.convert(conversation, None, &mut report),
            Step::Asked(asked) => {
                let conversation = asked.planned().conversation;
                let filled = self.carry_out(*asked, &mut report);
                let plan = filled.as_ref().map(Filled::plan);
                let (job, policy) = (self.compactor.job, &self.compactor.settings.policy);
                count_left(conversation, plan, job, policy.redact, &mut report);
                self.convert(conversation, filled.as_ref(), &mut report);
                texts = filled
                    .as_ref()
                    .filter(|_| self.compactor.shows_texts)
                    .map(|filled| self.texts(filled));
                let warning = conversation.thresholds.as_ref().ok().and_then(|thresholds| {
                    planner::over_limit_warning(thresholds, &report.reasons, report.tokens_after)
                });
                over_limit = warning.is_some();
                report.warnings.extend(warning);
            }
        }
        let texts = texts.as_ref();
        let transcript = ReportedTranscript { report: &report, is_over_limit: over_limit, texts };
        let entry = self.compactor.entry_kinds.render(transcript);
        self.compacted.reports.push(UnitReport { report, over_limit, entry });
    }

    /// Returns the messages of a conversation before and after.
    fn texts(&self, filled: &Filled<'_, '_>) -> TranscriptTexts {
        let policy = &self.compactor.settings.policy;
        let (conversation, plan) = (filled.conversation(), filled.plan());
        shown_texts(conversation, plan, &filled.overlay(), filled.text(), policy)
    }

    /// Fills the plan and carries it out. Returns the compaction, unless it failed.
    fn carry_out<'c, 'f>(
        &mut self,
        asked: Asked<'c, 'f>,
        report: &mut TranscriptReport,
    ) -> Option<Filled<'c, 'f>> {
        let place = source_location(&report.file, report.line, None);
        let UnitCompactor { job, archive, stop, .. } = self.compactor;
        let carried = asked.fill(stop, &place).and_then(|filled| filled.carry_out(job, archive));
        match carried {
            Ok(carried) => Some(self.record_carried(carried, report)),
            Err(failed) => {
                let FailedCompaction { planned, notes, error } = *failed;
                record_notes(report, notes);
                report.record_not_applied(&planned.plan, error.to_string());
                match error {
                    CompactionError::Archive(error) if error.is_refusal() => {
                        self.compacted.archive_failures += 1;
                    }
                    CompactionError::Archive(error) => {
                        self.compacted.archive_fault.get_or_insert(error);
                    }
                    _ => {}
                }
                None
            }
        }
    }

    fn record_carried<'c, 'f>(
        &mut self,
        carried: Carried<'c, 'f>,
        report: &mut TranscriptReport,
    ) -> Filled<'c, 'f> {
        let Carried { mut filled, outcome, archived } = carried;
        let conversation = filled.conversation();
        record_notes(report, filled.take_notes());
        report.archive = archived.history;
        report.evicted_files = archived.evicted;
        self.compacted.archive_files.extend(archived.staged);
        self.compacted.kept_files.extend(archived.kept);
        report.record_applied(filled.plan(), &conversation.transcript);
        report.tokens_after = filled.tokens_after();
        if self.compactor.measures_retention {
            report.recall = measure_retention(&filled);
        }
        self.compacted.archived |= !filled.plan().is_empty();
        for (record, edit) in outcome.records {
            let item = conversation.items[record];
            self.edits.push(item, edit, &conversation.thread_id);
        }
        filled
    }

    /// Adds a conversation to the lines of another format, where the job is a conversion.
    fn convert(
        &mut self,
        conversation: &Conversation<'_>,
        compaction: Option<&Filled<'_, '_>>,
        report: &mut TranscriptReport,
    ) {
        let Some(conversion) = self.compactor.job.conversion() else {
            return;
        };
        let redaction = self.compactor.settings.policy.redact;
        let shown = compaction.map_or_else(ShownCompaction::default, ShownCompaction::filled);
        self.converted.push(conversion, conversation, &shown, redaction, report);
    }

    /// Puts the bytes of the unit together.
    pub(crate) fn finish(self) -> CompactedUnit {
        let unit = self.unit;
        let mut starts_with_bom = false;
        let bytes = match self.compactor.job {
            Job::Compact => {
                starts_with_bom = unit.items.first().is_some_and(|item| {
                    item.kind == UnitItemKind::Dropped && unit.bytes[item.span.clone()] != *b"\r"
                });
                self.edits.assemble(unit)
            }
            job @ (Job::CompactTo(_) | Job::Convert(_)) => {
                replace_all(unit, self.converted, job.compacts())
            }
        };
        CompactedUnit {
            bytes: bytes.leaving,
            originals: bytes.originals,
            starts_with_bom,
            ..self.compacted
        }
    }
}

/// Replaces all bytes of a unit by the lines of another format. Where something was to be
/// compacted, all of them are kept as originals.
fn replace_all(unit: &InputUnit, lines: ConvertedLines, keeps_originals: bool) -> UnitBytes {
    let mut bytes = UnitBytes::default();
    let undo = bytes.leaving.replace_range(0..unit.bytes.len(), lines.bytes);
    if keeps_originals {
        bytes.originals.push(RemovedBytes {
            undo,
            line: unit.items.first().map_or(1, |item| item.line),
            thread_id: None,
        });
    }
    bytes
}

fn record_notes(report: &mut TranscriptReport, notes: CompactionNotes) {
    report.asked = notes.asked;
    report.redacted = notes.redacted;
    report.warnings.extend(notes.warnings);
}

/// Measures what a summary kept of what the messages behind it came back to. Returns nothing where
/// too few messages follow, or the measurement panicked: that takes nothing away from the result.
fn measure_retention(filled: &Filled<'_, '_>) -> Option<RetentionScores> {
    let (summary, text) = filled.summary()?;
    let measured = catch_panic::<_, Panicked>(|| {
        let transcript = &filled.conversation().transcript;
        let view = TranscriptView::logged(transcript);
        let messages = 0..transcript.messages.len();
        let passages: Vec<Passage> =
            messages.map(|index| Passage::from_message(view, index)).collect();
        let Some(cut) = SessionCut::after_compaction(&passages, summary.first_kept) else {
            return Ok(None);
        };
        let framed = summary.frame.render(&summary.path, text);
        let mut left: Vec<String> = framed.into_iter().map(|(_, text)| text).collect();
        let kept = &passages[cut.tail..cut.end];
        left.extend(kept.iter().map(Passage::full_text));
        let needs = FutureNeeds::from_cut(&passages, cut);
        let left = CompactedText::new(left, kept);
        Ok(Some(RetentionScores::measure(&needs, &left)))
    });
    measured.ok().flatten()
}
