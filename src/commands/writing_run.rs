//! A run that writes transcripts: `compact`, `convert` and `requests apply`.

use crate::commands::prelude::*;
use crate::commands::run_terms::refuse_foreign_reports;
use crate::files::archive::ANSWERS_DIR;
use crate::files::input::fail_taken_names;
use crate::files::output::LockMode;
use crate::reporting::report::{render_conversion_table, wrap_words};
use crate::running::compaction::{
    Archive, ArchivePlace, Begun, CompactedUnit, UnitCompaction, UnitCompactor,
};
use crate::settings::cli::{RunArgs, ToArgs, WritingArgs};
use crate::settings::state_directory;
use crate::summary::Summarizer;
use crate::summary::answer_cache::KeptAnswers;
use time::OffsetDateTime;

/// Returns the job of a compaction: into the transcripts' own format, or into the target that the
/// user named.
pub(super) fn writing_job(arguments: &ToArgs) -> Job {
    match arguments.to {
        None => Job::Compact,
        Some(target) => Job::CompactTo(settings::conversion(target, arguments.merge_user)),
    }
}

/// Reads a unit for a job. Where transcripts leave in another format, no log limits what is edited.
pub(super) fn read_for_job<'u>(
    unit: &'u InputUnit,
    settings: &Settings,
    job: Job,
) -> Vec<UnitRecord<'u>> {
    let mut records = read_unit(unit, settings);
    if job.conversion().is_some() {
        records.iter_mut().for_each(UnitRecord::allow_all_edits);
    }
    records
}

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
    /// Measure what summaries keep of what came later.
    pub(crate) measures_retention: bool,
    /// The rule by which archive files are named.
    pub(crate) names: NameRule,
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
        print_found_configs(self.settings, &run);
        if self.job.compacts() {
            warn_of_large_keep(self.settings, &run);
        }
        let now = archive_time()?;
        let requests = settings::resolve_reports(&self.writing.reports)?;
        if self.output == Path::new(STDOUT) && self.writing.resume {
            bail!("-o - and --resume: a run that wrote to stdout can't be resumed");
        }
        if self.output == Path::new(STDOUT) && requests.iter().any(ReportRequest::is_printed) {
            bail!("-o - and --report -: stdout takes either the transcripts or a report");
        }
        let entry_kinds = EntryKinds::of_requests(&requests);
        let written: Vec<&Path> = std::iter::once(self.output).chain(self.archive).collect();
        let mut inputs = collect_named_inputs(&self.inputs, &written)?;
        if self.job.conversion().is_some() {
            inputs = name_outputs_jsonl(inputs)?;
        }
        let holds_archives = self.archive.is_none_or(|archive| archive == self.output);
        if self.output != Path::new(STDOUT) {
            fail_taken_names(&mut inputs, holds_archives);
        }
        if self.writing.resume {
            refuse_foreign_reports(&requests, self.output)?;
        }
        let tree = OutputTree::new(
            self.output,
            self.archive,
            &inputs,
            &replaced_paths(&requests),
            &self.terms(),
        )?;
        let tree = match self.names {
            NameRule::Order => tree,
            NameRule::Content => tree.without_origins(),
        };
        let progress = start_progress(&run, &inputs);
        let stop = Arc::new(StopFlag::default());
        let answers = self.answers_directory(&tree);
        let resumes = self.writing.resume;
        let summarizer = build_summarizer(&stop)?.map(|summarizer| match &answers {
            // A run that replaces files begins anew, whenever it is run.
            Some((program, directory)) if !self.writing.force => {
                Box::new(KeptAnswers::new(summarizer, program, directory, resumes))
            }
            _ => summarizer,
        });
        let clock = match self.names {
            NameRule::Order => SectionClock::Run(now),
            NameRule::Content => SectionClock::Record(source_date()?),
        };
        let place = ArchivePlace::Directory { tree: &tree, rule: self.names };
        let compactor = UnitCompactor {
            settings: self.settings,
            summarizer: summarizer.as_deref(),
            job: self.job,
            archive: Archive { place, clock },
            measures_retention: self.measures_retention,
            entry_kinds: &entry_kinds,
            shows_texts: self.writing.report_texts,
            stop: &stop,
        };
        let archive = tree.archive_directory();
        let archive = self.job.compacts().then_some(archive);
        let in_output = tree.create_report()?;
        let reports = RunReports::open(&requests, &entry_kinds, in_output, archive, tree.access())?;
        let log = RunLog::beside_report(progress, &run);
        let mut receiver = UnitReceiver::new(
            &tree,
            reports,
            &entry_kinds,
            self.facts(now),
            log,
            &stop,
            self.job.compacts(),
        );
        receiver.is_verbose = self.writing.verbose;
        let reading = ReadOptions {
            tells_each_line: self.names == NameRule::Content,
            opens_containers: self.job.conversion().is_some(),
            ..self.reading
        };
        let source = InputSource::new(inputs, reading);
        let work = Compacting { compactor, names: self.names };
        let mut receiver = run_batch(source, run.jobs, &work, receiver)?;
        if let Some(cause) = stop.cause() {
            let given_up = receiver.give_up_open_file(cause);
            given_up.map_err(RunError::BrokeOff)?;
        }
        let output = receiver.finish().map_err(RunError::BrokeOff)?;
        let changes_nothing = tree.replaces_earlier_run() && stop.cause().is_some();
        if !run.quiet && !changes_nothing {
            self.print_result(&output, &tree);
        }
        let mut signal = None;
        if let Some(cause) = stop.cause() {
            let written = if changes_nothing {
                "nothing was changed: the files of the earlier run are intact"
            } else {
                "complete files are written"
            };
            let keeps_answers = keeps_answers(self.settings, summarizer.as_deref());
            let replaces = self.writing.force || tree.is_stdout();
            let option = if replaces { "--force" } else { "--resume" };
            signal = explain_early_end(cause, written, Some(option), keeps_answers)?.signal;
        }
        let totals = &output.digest.totals;
        if let (Some((_, directory)), None, 0) = (&answers, &signal, totals.failed) {
            // The run is whole: nobody needs the answers again.
            AnswerCache::existing(directory).remove();
        }
        let exceeds = !run.max_errors.tolerates(totals.failed + totals.over_limit);
        let is_over = totals.over_limit > 0 && exceeds;
        let objects =
            is_over || totals.leaves_secrets() || (self.check && self.changes(&output) > 0);
        let ending = Ending::new(totals.failed, run.max_errors, objects);
        Ok(Ending {
            signal,
            // The fault is the directory's, not that of a record.
            tolerated: ending.tolerated && output.archive_failures == 0,
            ..ending
        })
    }

    /// Returns the terms on which the run writes. By default it does not wait for ever in a pipe: the
    /// run that it waits for may be the one that it reads from or writes to.
    fn terms(&self) -> WritingTerms {
        let is_stdio = |path: &Path| path.as_os_str() == STDOUT;
        let is_piped =
            is_stdio(self.output) || self.inputs.paths.iter().any(|input| is_stdio(input));
        let command = if self.job.compacts() { "compact" } else { "convert" };
        let resumes = self.writing.resume;
        let terms = writing_terms(command, self.writing.force || resumes, self.writing.lock);
        let lock = match self.writing.lock {
            None if is_piped => LockMode::WaitBriefly,
            _ => terms.lock,
        };
        // What is among the user's own files is for nobody else.
        let is_own = |archive: &Path| {
            state_directory().is_some_and(|directory| archive.starts_with(directory))
        };
        WritingTerms {
            resumes,
            lock,
            access: if self.archive.is_some_and(is_own) {
                AccessLimit::OWNER
            } else {
                terms.access
            },
            ..terms
        }
    }

    /// Returns the command line of the program that writes the summaries, and the directory where its
    /// answers are kept until the run is whole. None where no program is asked, or for stdout.
    fn answers_directory(&self, tree: &OutputTree) -> Option<(&str, PathBuf)> {
        let program = self.settings.policy.summarizer.kind.command_line()?;
        let directory = tree.archive_directory().join(ANSWERS_DIR);
        (!tree.is_stdout()).then_some((program, directory))
    }

    fn facts(&self, now: OffsetDateTime) -> RunFacts {
        let command = if self.job.compacts() { "compact" } else { "convert" };
        RunFacts {
            is_reported: self.names == NameRule::Order,
            ..run_facts(command, now, &self.inputs, self.settings)
        }
    }

    fn print_result(&self, output: &CompactedOutput, tree: &OutputTree) {
        let (width, table_width) = (talk_columns(), talk_table_columns());
        let mut talk = if self.job.compacts() {
            render_run_table(&output.digest, width, table_width)
        } else {
            render_conversion_table(&output.digest, table_width)
        };
        if self.writing.resume {
            let kept = count_nouns(tree.kept_outputs() as u64, "result");
            talk.push_str(&format!("{kept} from the earlier run kept\n"));
        }
        let check = output.digest.totals.check_line();
        if let Some(check) = check.filter(|_| self.check) {
            talk.push_str(&wrap_words(&check, width, 4));
        }
        if let Some(places) = self.describe_places(output, tree) {
            talk.push_str(&wrap_words(&places, width, 4));
        }
        print_lines(talk.trim_end());
    }

    /// Says where the results and the archives are, and how the inputs come back. None if nothing
    /// is written.
    fn describe_places(&self, output: &CompactedOutput, tree: &OutputTree) -> Option<String> {
        let archive = tree.archive_directory();
        if tree.is_stdout() {
            return output.archived.then(|| archive_line(archive));
        }
        let archive = archive.display();
        let results = self.output.display();
        if output.digest.totals.transcripts == 0 || !output.archived {
            return Some(format!("written to {results}"));
        }
        let (elsewhere, option) = match self.archive {
            Some(named) if named != self.output => {
                (format!(", archives to {archive}"), format!(" --archive {archive}"))
            }
            _ => <(String, String)>::default(),
        };
        Some(format!(
            "written to {results}{elsewhere}; `epitome restore {results}{option} -o BACK` \
             rebuilds the inputs"
        ))
    }

    /// Returns the number of changes that `--check` objects to.
    fn changes(&self, output: &CompactedOutput) -> u64 {
        let totals = &output.digest.totals;
        if self.job.compacts() {
            return totals.objections();
        }
        let converted = totals.converted.as_ref();
        converted.map_or(0, |converted| converted.left_out)
    }
}

struct Compacting<'s> {
    compactor: UnitCompactor<'s>,
    names: NameRule,
}

impl UnitWork for Compacting<'_> {
    type Output = CompactedUnit;

    fn read_records<'u>(&self, unit: &'u InputUnit) -> Vec<UnitRecord<'u>> {
        read_for_job(unit, self.compactor.settings, self.compactor.job)
    }

    fn name_rule(&self) -> Option<NameRule> {
        Some(self.names)
    }

    fn finish_unit(
        &self,
        unit: &InputUnit,
        records: Vec<UnitRecord<'_>>,
        slot: &mut WorkerSlot<'_>,
    ) -> CompactedUnit {
        let mut compaction = UnitCompaction::new(unit, self.compactor);
        if self.units_waiting() == 0 {
            // A conversation at a time: what it took is free before the next.
            for record in &records {
                let begun = compaction.begin(record);
                compaction.finish_conversation(begun);
            }
            return compaction.finish();
        }
        // All summaries of the unit are asked for before any is waited for.
        let begun: Vec<Begun<'_, '_>> =
            records.iter().map(|record| compaction.begin(record)).collect();
        let answered: Vec<Begun<'_, '_>> =
            slot.wait_without(|| begun.into_iter().map(Begun::wait).collect());
        for begun in answered {
            compaction.finish_conversation(begun);
        }
        compaction.finish()
    }

    fn units_waiting(&self) -> usize {
        let summarizer = self.compactor.summarizer;
        summarizer.map_or(0, |summarizer| summarizer.concurrent_calls())
    }

    fn has_stopped(&self) -> bool {
        self.compactor.stop.cause().is_some()
    }
}
