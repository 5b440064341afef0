//! Training samples of one thread: the messages that the agent would have sent, so that training
//! matches serving. A sample is a stretch of calls or a single call. The answers to its calls are
//! trained on, and the messages before them are context.
//!
//! Samples are OpenAI chat messages, a format that every trainer reads. If the
//! log holds such messages, their bytes and the record's other keys are kept.

use crate::dataset::{RowColumns, ThreadRows};
use crate::deciding::plan::Plan;
use crate::files::output::{OutputSpool, OutputTree};
use crate::measuring::replay::sample::{Sample, count_tokens};
use crate::measuring::replay::thread_archive::ReplayError;
use crate::measuring::replay::thread_report::ThreadReport;
use crate::measuring::replay::training::TrainingOptions;
use crate::measuring::replay::{call_edits::CallEdits, effective::EffectiveList, training};
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::io;
use std::ops::Range;

/// The training samples of one thread.
#[derive(Default)]
pub(crate) struct SampleSpools {
    pub(crate) fitting: Option<OutputSpool>,
    pub(crate) too_long: Option<OutputSpool>,
    /// The rows of a data set.
    pub(crate) rows: ThreadRows,
}

/// The samples of one thread, spooled to disk: with a sample for each call they can be much longer
/// than the thread.
#[derive(Default)]
pub(crate) struct ThreadSamples {
    spools: SampleSpools,
    /// The error of a spool. No more samples are made after it.
    error: Option<io::Error>,
    count: usize,
    /// Tokens of each sample above the limit.
    too_long: Vec<usize>,
    /// The number of stretches without a message to train on.
    untrained: usize,
    /// Descriptions of what samples can't hold.
    left_out: BTreeSet<String>,
    /// The other columns of the rows.
    columns: OnceCell<RowColumns>,
}

impl ThreadSamples {
    /// Adds a sample of the effective messages before the end of `answers`. Only messages in
    /// `answers` are trained on.
    pub(crate) fn add_sample(
        &mut self,
        training: &TrainingOptions,
        list: &EffectiveList<'_, '_>,
        answers: Range<usize>,
        edits: &CallEdits,
        tree: &OutputTree,
    ) {
        if self.error.is_some() {
            return;
        }
        let transcript = &list.conversation.transcript;
        let key = training.key.as_deref();
        // No row of a data set trains on an answer behind something unread.
        let is_row = training.rows.is_some();
        let trained: Vec<bool> = (0..answers.end)
            .map(|index| {
                index >= answers.start
                    && !(is_row && transcript.messages[index].behind_unread)
                    && training::is_trained(transcript, index, key)
            })
            .collect();
        let plan = Plan { edits: list.edits_before(answers.end, edits), ..Plan::default() };
        let sample = Sample {
            list,
            trained: &trained,
            first_answer: answers.start,
            plan: &plan,
            training,
            columns: &self.columns,
        };
        if let Some(maker) = &training.rows {
            let made = sample.make_row(maker);
            self.error = self.spools.rows.push(made, tree).err();
            return;
        }
        let line = if !trained.contains(&true) {
            None
        } else if list.conversation.format.is_chat() {
            Some(sample.render_chat())
        } else {
            sample.convert(&mut self.left_out)
        };
        let Some(line) = line else {
            self.untrained += 1;
            return;
        };
        self.count += 1;
        let mut spool = &mut self.spools.fitting;
        if let Some(max_tokens) = training.max_tokens {
            let tokens = count_tokens(&line, list);
            if tokens > max_tokens {
                spool = &mut self.spools.too_long;
                self.too_long.push(tokens);
            }
        }
        self.error = spool.get_or_insert_with(|| tree.new_spool()).push(&line).err();
    }

    /// Returns the samples, and adds their figures and warnings to the report.
    /// Fails with [`ReplayError::Spool`] if a sample could not be spooled.
    pub(crate) fn finish(self, report: &mut ThreadReport) -> Result<SampleSpools, ReplayError> {
        if let Some(error) = self.error {
            return Err(ReplayError::Spool(error));
        }
        report.samples = self.count + self.spools.rows.len();
        report.warnings.extend(self.spools.rows.warnings());
        if self.spools.rows.masked() > 0 {
            report.redacted.get_or_insert_default().written += self.spools.rows.masked();
        }
        if let Some(longest) = self.too_long.iter().max() {
            report.warnings.push(format!(
                "{} of {} samples are longer than --max-tokens, the longest {longest} tokens; they are in segments-too-long.jsonl. A lower --trigger makes shorter stretches",
                self.too_long.len(),
                self.count
            ));
        }
        report.samples_too_long = self.too_long;
        if !self.left_out.is_empty() {
            let kinds: Vec<&str> = self.left_out.iter().map(String::as_str).collect();
            report.warnings.push(format!(
                "left out of samples, because OpenAI chat messages have no place for it: {}",
                kinds.join(", ")
            ));
        }
        if self.untrained > 0 {
            report.warnings.push(format!(
                "no sample for {} stretches: every answer in them is masked or empty",
                self.untrained
            ));
        }
        Ok(self.spools)
    }
}

/// Consecutive calls each of which only adds to the messages of the previous one.
pub(super) struct CallStretch {
    /// The messages before this one are context. The answers of the calls follow.
    pub(super) context_end: usize,
    /// The edits of the last call.
    pub(super) edits: CallEdits,
    /// The end of the last answer; 0 before the first.
    pub(super) answers_end: usize,
}
