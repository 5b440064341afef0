//! Takes replayed units in input order: lines into their files, entries into
//! the reports, one set of files for each policy.

use crate::commands::replay::report::{Entry, Totals};
use crate::output::{AtomicFile, Tree};
use crate::progress::Progress;
use crate::report::json;
use crate::run::{Receive, place};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::io::Write;

/// The calls, one a line.
pub(super) const CALLS: &str = "replay.jsonl";
/// Training data.
pub(super) const SEGMENTS: &str = "segments.jsonl";
/// Samples longer than they may be.
pub(super) const TOO_LONG: &str = "segments-too-long.jsonl";
/// Errors, and kinds of warnings, that are told one by one; the report has them all.
const TOLD: usize = 20;

/// What one unit came to under one policy.
#[derive(Default)]
pub(super) struct Part {
    pub(super) calls: Vec<u8>,
    pub(super) samples: Vec<u8>,
    pub(super) long: Vec<u8>,
    pub(super) entries: Vec<Entry>,
}

/// What one unit came to, by policy.
pub(super) struct Done {
    pub(super) parts: Vec<Part>,
}

/// The files of one policy.
struct Files {
    name: String,
    calls: AtomicFile,
    samples: Option<AtomicFile>,
    /// Only where a sample is too long.
    long: Option<AtomicFile>,
    report: AtomicFile,
    entries: u64,
    totals: Totals,
}

/// The one that takes units.
pub(super) struct Receiver<'t> {
    trees: &'t [(String, Tree)],
    files: Vec<Files>,
    progress: Progress,
    quiet: bool,
    bytes: u64,
    errors: usize,
    /// How often each warning came up.
    warnings: BTreeMap<String, u64>,
}

impl<'t> Receiver<'t> {
    pub(super) fn open(trees: &'t [(String, Tree)], training: bool, progress: Progress, quiet: bool) -> Result<Self> {
        let files = trees.iter().map(|(name, tree)| {
            let mut files = Files {
                name: name.clone(),
                calls: tree.create_result(CALLS)?,
                samples: if training { Some(tree.create_result(SEGMENTS)?) } else { None },
                long: None,
                report: tree.create_result(crate::archive::REPORT)?,
                entries: 0,
                totals: Totals::default(),
            };
            files.report.write_all(json::opening().as_bytes())?;
            Ok(files)
        });
        Ok(Self { trees, files: files.collect::<Result<_>>()?, progress, quiet, bytes: 0, errors: 0, warnings: BTreeMap::new() })
    }

    /// Publishes all files.
    pub(super) fn finish(self) -> Result<Vec<(String, Totals)>> {
        self.progress.finish();
        if self.errors > TOLD {
            crate::output::say(&format!("... and {} more errors, see the report", self.errors - TOLD));
        }
        for (warning, times) in self.warnings.iter().filter(|(_, times)| **times > 1 && !self.quiet) {
            crate::output::say(&format!("{} more times: warning: {warning}", times - 1));
        }
        self.trees.iter().try_for_each(|(_, tree)| tree.sync_archives())?;
        let publish = |mut files: Files| {
            files.report.write_all(json::closing(&files.totals).as_bytes()).context("can't write the report")?;
            for file in [Some(files.calls), files.samples, files.long].into_iter().flatten() {
                file.publish()?;
            }
            files.report.publish()?;
            Ok((files.name, files.totals))
        };
        self.files.into_iter().map(publish).collect()
    }

    fn tell(&mut self, line: &str) {
        self.errors += 1;
        if self.errors <= TOLD {
            self.progress.say(line);
        }
    }

    /// Tells a warning where it comes up first.
    fn warn(&mut self, place: &str, warning: &str) {
        if let Some(times) = self.warnings.get_mut(warning) {
            *times += 1;
        } else if self.warnings.len() < TOLD {
            self.warnings.insert(warning.to_owned(), 1);
            if !self.quiet {
                self.progress.say(&format!("{place}: warning: {warning}"));
            }
        }
    }

    fn add(&mut self, policy: usize, entry: &Entry) -> Result<()> {
        let mut place = place(&entry.file, entry.line, entry.column);
        // What is wrong with a record is wrong under every policy.
        if policy == 0 || entry.thread_id.is_some() {
            if self.files.len() > 1 && entry.thread_id.is_some() {
                place = format!("{place} ({})", self.files[policy].name);
            }
            if let Some(error) = &entry.error {
                self.tell(&format!("{place}: {error}"));
            }
            entry.warnings.iter().for_each(|warning| self.warn(&place, warning));
        }
        let files = &mut self.files[policy];
        files.totals.add(entry);
        files.report.write_all(json::entry(entry, files.entries == 0).as_bytes()).context("can't write the report")?;
        files.entries += 1;
        Ok(())
    }
}

impl Receive<Done> for Receiver<'_> {
    fn receive(&mut self, done: Done) -> Result<()> {
        self.progress.advance(self.bytes, done.parts.first().map_or(0, |part| part.entries.len() as u64));
        for (policy, part) in done.parts.into_iter().enumerate() {
            let files = &mut self.files[policy];
            files.calls.write_all(&part.calls).context("can't write the calls")?;
            if let Some(samples) = &mut files.samples {
                samples.write_all(&part.samples).context("can't write the samples")?;
            }
            if !part.long.is_empty() {
                let long = match files.long.take() {
                    Some(long) => long,
                    None => self.trees[policy].1.create_result(TOO_LONG)?,
                };
                files.long.insert(long).write_all(&part.long).context("can't write the samples")?;
            }
            part.entries.iter().try_for_each(|entry| self.add(policy, entry))?;
        }
        Ok(())
    }

    fn failed(&mut self, _: usize, name: &str, error: &anyhow::Error) -> Result<()> {
        let entry = Entry::unreadable(name, 0, None, None, "approx", format!("{error:#}"));
        (0..self.files.len()).try_for_each(|policy| self.add(policy, &entry))
    }

    fn progress(&mut self, bytes: u64) {
        self.bytes = bytes;
    }
}
