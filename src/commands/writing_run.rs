//! A run that writes transcripts: `compact`, `convert` and `requests apply`.

use crate::batch::run_log::RunLog;
use crate::batch::{RunError, UnitWork, WorkerSlot, run_batch};
use crate::cli::{RunArgs, ToArgs, WhenLocked, WritingArgs};
use crate::commands::archive_time::archive_time;
use crate::commands::early_end::explain_early_end;
use crate::commands::summarizers::keeps_answers;
use crate::commands::writing_terms::writing_terms;
use crate::commands::{Ending, collect_named_inputs, interrupt, start_progress};
use crate::compaction::{
    Archive, Begun, CompactedOutput, CompactedUnit, Job, ReportPaths, UnitCompaction,
    UnitCompactor, UnitReceiver,
};
use crate::conversation::{UnitRecord, read_unit};
use crate::input::{
    InputSource, InputUnit, NamedInputs, ReadOptions, fail_taken_names, name_outputs_jsonl,
};
use crate::output::{OutputTree, STDOUT, WritingTerms, print_lines, print_message};
use crate::report::{render_conversion_table, render_run_table};
use crate::settings::{self, Settings};
use crate::stop_flag::StopFlag;
use crate::summary::Summarizer;
use anyhow::Result;
use std::path::Path;
use std::sync::Arc;

/// Returns the job of a compaction: into the transcripts' own format, or into the target that the
/// user named.
pub(super) fn writing_job(arguments: &ToArgs) -> Job {
    match arguments.to {
        None => Job::Compact,
        Some(target) => Job::CompactTo(settings::conversion(target, arguments.merge_user)),
    }
}

/// A run that writes transcripts.
pub(crate) struct WritingRun<'r> {
    pub(crate) job: Job,
    pub(crate) settings: &'r Settings,
    /// The inputs as the user named them.
    pub(crate) inputs: NamedInputs<'r>,
    pub(crate) reading: ReadOptions,
    /// The output directory, or `-` for stdout.
    pub(crate) output: &'r Path,
    /// The archive directory, where it is not the output directory.
    pub(crate) archive: Option<&'r Path>,
    pub(crate) writing: &'r WritingArgs,
    pub(crate) run: &'r RunArgs,
    /// Object if a transcript changes.
    pub(crate) check: bool,
}

impl WritingRun<'_> {
    /// Reads, works and writes, until a signal arrives. `build_summarizer` is called when all
    /// options are checked.
    pub(super) fn execute(
        self,
        build_summarizer: impl FnOnce(&Arc<StopFlag>) -> Result<Option<Box<dyn Summarizer>>>,
    ) -> Result<Ending> {
        self.execute_without_signals(|stop| {
            let summarizer = build_summarizer(stop)?;
            interrupt::listen(stop)?;
            Ok(summarizer)
        })
    }

    /// Reads, works and writes as [`WritingRun::execute`] does, but registers no signal handlers:
    /// they are never removed, so a process can't do that for each of many runs.
    pub(crate) fn execute_without_signals(
        self,
        build_summarizer: impl FnOnce(&Arc<StopFlag>) -> Result<Option<Box<dyn Summarizer>>>,
    ) -> Result<Ending> {
        let run = settings::resolve_run(self.run)?;
        let now = archive_time()?;
        let report_paths = ReportPaths::new(&self.writing.report)?;
        let written: Vec<&Path> = std::iter::once(self.output).chain(self.archive).collect();
        let mut inputs = collect_named_inputs(&self.inputs, &written)?;
        if self.job.conversion().is_some() {
            inputs = name_outputs_jsonl(inputs)?;
        }
        let holds_archives = self.archive.is_none_or(|archive| archive == self.output);
        if self.output != Path::new(STDOUT) {
            fail_taken_names(&mut inputs, holds_archives);
        }
        let tree = OutputTree::new(
            self.output,
            self.archive,
            &inputs,
            &self.writing.report,
            &self.terms(),
        )?;
        let progress = start_progress(&run, &inputs);
        let stop = Arc::new(StopFlag::default());
        let summarizer = build_summarizer(&stop)?;
        let compactor = UnitCompactor {
            settings: self.settings,
            summarizer: summarizer.as_deref(),
            job: self.job,
            archive: Archive { tree: &tree, now },
            measures_retention: !self.writing.report.is_empty(),
            stop: &stop,
        };
        let reports = report_paths.open_json(tree.access(), tree.create_report()?)?;
        let views = report_paths.open_views(tree.access())?;
        let log = RunLog::beside_report(progress, run.quiet);
        let receiver = UnitReceiver::new(&tree, reports, log, &stop, self.job.compacts());
        let source = InputSource::new(inputs, self.reading);
        let mut receiver = run_batch(source, run.jobs, &Compacting(compactor), receiver)?;
        if let Some(cause) = stop.cause() {
            let given_up = receiver.give_up_open_file(cause);
            given_up.map_err(RunError::BrokeOff)?;
        }
        let output = receiver.finish().map_err(RunError::BrokeOff)?;
        let changes_nothing = tree.replaces_earlier_run() && stop.cause().is_some();
        if !changes_nothing {
            let published = views.publish(&output.digest);
            published.map_err(RunError::BrokeOff)?;
        }
        if !run.quiet && !changes_nothing {
            self.print_result(&output, &tree);
        }
        let mut signal = None;
        if let Some(cause) = stop.cause() {
            let written = if changes_nothing {
                "nothing is changed: the files of the earlier run stand as they were"
            } else {
                "files that were whole are written"
            };
            let keeps_answers = keeps_answers(self.settings, summarizer.as_deref());
            signal = Some(explain_early_end(cause, written, keeps_answers)?);
        }
        let totals = &output.digest.totals;
        let objects = totals.over_limit > 0 || (self.check && self.changes(&output) > 0);
        Ok(Ending {
            signal,
            ..Ending::new(totals.failed, run.max_errors, objects)
        })
    }

    /// Returns the terms on which the run writes. By default it does not wait in a pipe: the run that
    /// it waits for may be the one that it reads from or writes to.
    fn terms(&self) -> WritingTerms {
        let is_stdio = |path: &Path| path.as_os_str() == STDOUT;
        let is_piped =
            is_stdio(self.output) || self.inputs.paths.iter().any(|input| is_stdio(input));
        let by_default = is_piped.then_some(WhenLocked::Fail);
        let command = if self.job.compacts() {
            "compact"
        } else {
            "convert"
        };
        let lock = self.writing.lock.or(by_default);
        writing_terms(command, self.writing.force, lock)
    }

    fn print_result(&self, output: &CompactedOutput, tree: &OutputTree) {
        let table = if self.job.compacts() {
            render_run_table(&output.digest)
        } else {
            render_conversion_table(&output.digest)
        };
        print_lines(table.trim_end());
        if tree.is_stdout() && output.archived {
            let directory = tree.archive_directory().display();
            print_message(&format!("archives in {directory}"));
        }
    }

    /// Returns the number of changes that `--check` objects to.
    fn changes(&self, output: &CompactedOutput) -> u64 {
        let totals = &output.digest.totals;
        if self.job.compacts() {
            return totals.compacted;
        }
        let converted = totals.converted.as_ref();
        converted.map_or(0, |converted| converted.left_out)
    }
}

struct Compacting<'s>(UnitCompactor<'s>);

impl UnitWork for Compacting<'_> {
    type Output = CompactedUnit;

    fn read_records<'u>(&self, unit: &'u InputUnit) -> Vec<UnitRecord<'u>> {
        let mut records = read_unit(unit, self.0.settings);
        if self.0.job.conversion().is_some() {
            records.iter_mut().for_each(UnitRecord::allow_all_edits);
        }
        records
    }

    fn finish_unit(
        &self,
        unit: &InputUnit,
        records: Vec<UnitRecord<'_>>,
        slot: &mut WorkerSlot<'_>,
    ) -> CompactedUnit {
        let mut compaction = UnitCompaction::new(unit, self.0);
        if self.units_waiting() == 0 {
            // A conversation at a time: what it took is free before the next.
            for record in &records {
                let begun = compaction.begin(record);
                compaction.finish_conversation(begun);
            }
            return compaction.finish();
        }
        // All summaries of the unit are asked for before any is waited for.
        let begun: Vec<Begun<'_, '_>> = records
            .iter()
            .map(|record| compaction.begin(record))
            .collect();
        let answered: Vec<Begun<'_, '_>> =
            slot.wait_without(|| begun.into_iter().map(Begun::wait).collect());
        for begun in answered {
            compaction.finish_conversation(begun);
        }
        compaction.finish()
    }

    fn units_waiting(&self) -> usize {
        let summarizer = self.0.summarizer;
        summarizer.map_or(0, |summarizer| summarizer.concurrent_calls())
    }

    fn has_stopped(&self) -> bool {
        self.0.stop.cause().is_some()
    }
}
