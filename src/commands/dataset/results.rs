//! Receives replayed units in input order and writes their rows, archives and reports; and the table
//! of a data set: its splits, and what was dropped.

use crate::commands::prelude::*;
use crate::dataset::{DROPPED_FILE, DatasetSums};
use crate::files::output::{FinishedOutput, PendingOutput, StagedFile};
use crate::measuring::replay::{receiver::ReplayedUnit, thread_report::ThreadReport};
use crate::reporting::report::{RedactionCounts, json};
use crate::reporting::report::{numbers::group_count, terminal_text::render_fitting};
use serde::Serialize;

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
        self.run_log.tell_of(&thread.file, &place, thread.error.as_deref(), &thread.warnings);
        self.totals.add_thread(thread);
        let separator = json::entry_separator(self.reported == 0);
        self.report.append(separator.as_bytes())?;
        self.report.append(&json::report_entry(thread))?;
        self.reported += 1;
        Ok(())
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
            let report = &thread.report;
            // The report names what failed.
            if let (Some(id), None) = (&report.thread_id, &report.error) {
                let rows = thread.samples.rows;
                self.writer.write_thread(id, &report.file, report.line, rows)?;
            }
            self.add_report(report)?;
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

const HEADER: [&str; 7] = ["split", "files", "samples", "answers", "messages", "tokens", "longest"];

/// Renders the table, with a row for each split, and notes below it.
pub(super) fn render_dataset(totals: &DatasetTotals, width: usize) -> String {
    let mut table = plain_table(&HEADER, 1);
    for split in &totals.dataset.splits {
        table.add_row([
            split.split.clone(),
            group_count(split.files.len()),
            group_count(split.samples),
            group_count(split.answers),
            group_count(split.messages),
            group_count(split.tokens),
            group_count(split.longest),
        ]);
    }
    let mut out = render_fitting(&table, 1, width);
    if !totals.counter.is_empty() {
        out.push_str(&format!("counted by {}\n", totals.counter));
    }
    out.push_str(&render_notes(totals));
    for (reason, times) in &totals.dataset.dropped {
        let dropped = count_nouns(*times, reason.noun());
        out.push_str(&format!("{dropped} dropped, {reason}: {}\n", reason.explanation()));
    }
    if totals.dataset.shortened > 0 {
        out.push_str(&format!(
            "{} shortened: the last answers did not fit\n",
            count_nouns(totals.dataset.shortened, "sample")
        ));
    }
    wrap_lines(&out, width)
}

/// Renders the line about the run: transcripts, compactions, failures, and the cost of summaries.
fn render_notes(totals: &DatasetTotals) -> String {
    let replay = &totals.replay;
    let mut notes = vec![count_nouns(replay.transcripts, "transcript")];
    let counts = [
        (replay.compactions, "compaction"),
        (replay.evicted, "evicted result"),
        (replay.failed_summaries, "failed summary call"),
        (replay.failed, "failed transcript"),
    ];
    notes.extend(
        counts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, noun)| count_nouns(count, noun)),
    );
    notes.extend(replay.asked.as_ref().map(SummaryUsageTotals::summary_line));
    notes.extend(replay.redacted.map(RedactionCounts::summary_line));
    format!("{}\n", notes.join(", "))
}
