//! Receives replayed units in input order and writes them: the lines of calls and samples into
//! their files and the threads into the reports, a set of files for each policy.

use crate::base::error::describe_with_causes;
use crate::files::archive::REPORT_FILE;
use crate::files::input::{InputError, InputUnit};
use crate::files::output::{
    FinishedOutput, NamedFile, OutputTree, PendingOutput, StagedFile, WriteError,
};
use crate::measuring::replay::thread::ReplayedThread;
use crate::measuring::replay::thread_report::{ReplayTotals, ThreadReport};
use crate::reporting::report::json;
use crate::running::batch::{ReceiveInOrder, run_log::RunLog};
use crate::running::conversation::source_location;
use std::path::Path;

/// The file of model calls, one a line.
pub(crate) const CALLS_FILE: &str = "replay.jsonl";
/// The file of training samples.
pub(crate) const SAMPLES_FILE: &str = "segments.jsonl";
/// The file of training samples above the longest length allowed.
pub(crate) const LONG_SAMPLES_FILE: &str = "segments-too-long.jsonl";

pub(crate) struct PolicyOutput {
    pub(crate) name: String,
    pub(crate) tree: OutputTree,
}

/// A unit replayed under all policies.
pub(crate) struct ReplayedUnit(Vec<Vec<ReplayedThread>>);

impl ReplayedUnit {
    /// Holds the threads of each policy, in order.
    pub(crate) fn new(threads_by_policy: Vec<Vec<ReplayedThread>>) -> Self {
        Self(threads_by_policy)
    }

    /// Returns the threads of each policy, in order. Fails with the fault that kept a thread from
    /// the disk: it is not that of the thread.
    pub(crate) fn into_threads(mut self) -> Result<Vec<Vec<ReplayedThread>>, WriteError> {
        let mut threads = self.0.iter_mut().flatten();
        match threads.find_map(|thread| thread.fault.take()) {
            Some(fault) => Err(fault),
            None => Ok(self.0),
        }
    }
}

/// The files of one policy while they are written.
struct PolicyFiles<'t> {
    output: &'t PolicyOutput,
    calls: StagedFile,
    samples: Option<StagedFile>,
    /// Created with the first sample that is too long.
    long_samples: Option<StagedFile>,
    report: StagedFile,
    /// The archive files so far.
    pending: PendingOutput,
    /// The number of threads in the report.
    reported: u64,
    totals: ReplayTotals,
}

impl<'t> PolicyFiles<'t> {
    fn create(output: &'t PolicyOutput, has_samples: bool) -> Result<Self, WriteError> {
        let tree = &output.tree;
        let samples = has_samples.then(|| tree.create_result(SAMPLES_FILE));
        let mut files = Self {
            output,
            calls: tree.create_result(CALLS_FILE)?,
            samples: samples.transpose()?,
            long_samples: None,
            report: tree.create_result(REPORT_FILE)?,
            pending: tree.begin_output(Path::new(CALLS_FILE)),
            reported: 0,
            totals: ReplayTotals::default(),
        };
        files.report.append(json::report_opening().as_bytes())?;
        Ok(files)
    }

    /// Writes the calls and samples of a thread. Returns its report.
    fn write_thread(&mut self, thread: ReplayedThread) -> Result<ThreadReport, WriteError> {
        let files = thread.archive_files;
        self.output.tree.push_archives(&mut self.pending, files)?;
        self.calls.append(&thread.lines)?;
        if let (Some(file), Some(spool)) = (&mut self.samples, thread.samples.fitting) {
            let copied = spool.copy_into(file);
            copied.map_err(WriteError::of_file(file.path()))?;
        }
        if let Some(spool) = thread.samples.too_long {
            let file = match self.long_samples.take() {
                Some(file) => file,
                None => self.output.tree.create_result(LONG_SAMPLES_FILE)?,
            };
            let file = self.long_samples.insert(file);
            let copied = spool.copy_into(file);
            copied.map_err(WriteError::of_file(file.path()))?;
        }
        Ok(thread.report)
    }

    /// Adds a thread to the report and the totals.
    fn write_report(&mut self, thread: &ThreadReport) -> Result<(), WriteError> {
        self.totals.add_thread(thread);
        let separator = json::entry_separator(self.reported == 0);
        self.report.append(separator.as_bytes())?;
        self.report.append(&json::report_entry(thread))?;
        self.reported += 1;
        Ok(())
    }

    /// Publishes the files together, and removes those of an earlier run that this run does not write.
    fn publish(mut self) -> Result<(String, ReplayTotals), WriteError> {
        let stale = [
            (SAMPLES_FILE, self.samples.is_none()),
            (LONG_SAMPLES_FILE, self.long_samples.is_none()),
        ];
        let closing = json::report_closing(&self.totals);
        self.report.append(closing.as_bytes())?;
        let tree = &self.output.tree;
        let finished =
            FinishedOutput { output: Some(self.calls.finish()?), originals: None, seal: None };
        tree.finish_output(self.pending, finished)?;
        for file in [self.samples, self.long_samples].into_iter().flatten() {
            tree.join_result(file)?;
        }
        tree.join_result(self.report)?;
        for (name, is_stale) in stale {
            if is_stale {
                tree.remove_result(name)?;
            }
        }
        tree.commit()?;
        Ok((self.output.name.clone(), self.totals))
    }
}

/// Writes replayed units in input order.
pub(crate) struct ReplayReceiver<'t> {
    policies: Vec<PolicyFiles<'t>>,
    run_log: RunLog,
}

impl<'t> ReplayReceiver<'t> {
    /// Creates the files of all policies. Fails if a file can't be created.
    pub(crate) fn create(
        outputs: &'t [PolicyOutput],
        has_samples: bool,
        run_log: RunLog,
    ) -> Result<Self, WriteError> {
        let policies = outputs
            .iter()
            .map(|output| PolicyFiles::create(output, has_samples))
            .collect::<Result<_, WriteError>>()?;
        Ok(Self { policies, run_log })
    }

    /// Publishes all files. Returns the names and totals of the policies. Fails if a file can't be
    /// written.
    pub(crate) fn publish(self) -> Result<Vec<(String, ReplayTotals)>, WriteError> {
        self.run_log.finish();
        self.policies.into_iter().map(PolicyFiles::publish).collect()
    }

    /// Prints the error and the warnings of a thread, and adds it to the report of its policy.
    fn add_report(&mut self, policy: usize, thread: &ThreadReport) -> Result<(), WriteError> {
        let is_thread = thread.thread_id.is_some();
        // An unreadable record is the same under every policy, so it is printed once.
        if policy == 0 || is_thread {
            let mut place = source_location(&thread.file, thread.line, thread.column);
            if self.policies.len() > 1 && is_thread {
                place = format!("{place} ({})", self.policies[policy].output.name);
            }
            if let Some(error) = &thread.error {
                self.run_log.error_in(&thread.file, &format!("{place}: {error}"));
            }
            for warning in &thread.warnings {
                self.run_log.warn(&place, warning);
            }
        }
        self.policies[policy].write_report(thread)
    }
}

impl ReceiveInOrder<ReplayedUnit> for ReplayReceiver<'_> {
    fn receive(&mut self, _: &InputUnit, unit: ReplayedUnit) -> Result<(), WriteError> {
        let threads_by_policy = unit.into_threads()?;
        let threads = threads_by_policy.first().map_or(0, Vec::len);
        self.run_log.add_transcripts(threads as u64);
        for (policy, threads) in threads_by_policy.into_iter().enumerate() {
            for thread in threads {
                let report = self.policies[policy].write_thread(thread)?;
                self.add_report(policy, &report)?;
            }
        }
        Ok(())
    }

    fn file_failed(&mut self, _: usize, name: &str, error: &InputError) -> Result<(), WriteError> {
        for policy in &self.policies {
            policy.output.tree.refuse_loss(name, error)?;
        }
        let error = describe_with_causes(error);
        let report = ThreadReport::unreadable(name, 0, None, None, "approx", error);
        (0..self.policies.len()).try_for_each(|policy| self.add_report(policy, &report))
    }

    fn log(&mut self) -> &mut RunLog {
        &mut self.run_log
    }
}
