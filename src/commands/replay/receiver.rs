//! Takes replayed units in input order: lines into their files, entries into
//! the reports, one set of files for each policy.

use crate::batch::ReceiveInOrder;
use crate::batch::run_log::RunLog;
use crate::conversation::source_location;
use crate::input::InputUnit;
use crate::output::{AtomicFile, OutputSpool, OutputTree};
use crate::replay::report::{Entry, Totals};
use crate::report::json;
use anyhow::{Context, Result};
use std::io::Write;

/// The calls, one a line.
pub(super) const CALLS: &str = "replay.jsonl";
/// Training data.
pub(super) const SEGMENTS: &str = "segments.jsonl";
/// Samples longer than they may be.
pub(super) const TOO_LONG: &str = "segments-too-long.jsonl";

/// What one unit came to under one policy.
#[derive(Default)]
pub(super) struct Part {
    /// The lines of each thread.
    pub(super) calls: Vec<Vec<u8>>,
    /// The samples of each thread that has any.
    pub(super) samples: Vec<OutputSpool>,
    /// Those that are too long.
    pub(super) long: Vec<OutputSpool>,
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
    trees: &'t [(String, OutputTree)],
    files: Vec<Files>,
    talk: RunLog,
}

impl<'t> Receiver<'t> {
    pub(super) fn open(
        trees: &'t [(String, OutputTree)],
        training: bool,
        talk: RunLog,
    ) -> Result<Self> {
        let files = trees.iter().map(|(name, tree)| {
            let mut files = Files {
                name: name.clone(),
                calls: tree.create_result(CALLS)?,
                samples: if training {
                    Some(tree.create_result(SEGMENTS)?)
                } else {
                    None
                },
                long: None,
                report: tree.create_result(crate::archive::REPORT_FILE)?,
                entries: 0,
                totals: Totals::default(),
            };
            files.report.write_all(json::report_opening().as_bytes())?;
            Ok(files)
        });
        Ok(Self {
            trees,
            files: files.collect::<Result<_>>()?,
            talk,
        })
    }

    /// Publishes all files.
    pub(super) fn finish(self) -> Result<Vec<(String, Totals)>> {
        self.talk.finish();
        self.trees
            .iter()
            .try_for_each(|(_, tree)| tree.sync_archives())?;
        let publish = |((_, tree), mut files): (&(String, OutputTree), Files)| {
            let stale = [
                (SEGMENTS, files.samples.is_none()),
                (TOO_LONG, files.long.is_none()),
            ];
            files
                .report
                .write_all(json::report_closing(&files.totals).as_bytes())
                .context("can't write the report")?;
            for file in [Some(files.calls), files.samples, files.long]
                .into_iter()
                .flatten()
            {
                file.publish()?;
            }
            files.report.publish()?;
            stale
                .into_iter()
                .filter(|(_, is_stale)| *is_stale)
                .try_for_each(|(name, _)| tree.remove_result(name))?;
            Ok((files.name, files.totals))
        };
        self.trees.iter().zip(self.files).map(publish).collect()
    }

    fn add(&mut self, policy: usize, entry: &Entry) -> Result<()> {
        let mut place = source_location(&entry.file, entry.line, entry.column);
        // What is wrong with a record is wrong under every policy.
        if policy == 0 || entry.thread_id.is_some() {
            if self.files.len() > 1 && entry.thread_id.is_some() {
                place = format!("{place} ({})", self.files[policy].name);
            }
            if let Some(error) = &entry.error {
                self.talk.error(&format!("{place}: {error}"));
            }
            entry
                .warnings
                .iter()
                .for_each(|warning| self.talk.warn(&place, warning));
        }
        let files = &mut self.files[policy];
        files.totals.add(entry);
        for text in [
            json::entry_separator(files.entries == 0),
            &json::report_entry(entry),
        ] {
            files
                .report
                .write_all(text)
                .context("can't write the report")?;
        }
        files.entries += 1;
        Ok(())
    }
}

impl ReceiveInOrder<Done> for Receiver<'_> {
    fn receive(&mut self, _: &InputUnit, done: Done) -> Result<()> {
        self.talk.add_transcripts(
            done.parts
                .first()
                .map_or(0, |part| part.entries.len() as u64),
        );
        for (policy, part) in done.parts.into_iter().enumerate() {
            let files = &mut self.files[policy];
            part.calls
                .iter()
                .try_for_each(|lines| files.calls.write_all(lines))
                .context("can't write the calls")?;
            if let Some(samples) = &mut files.samples {
                part.samples
                    .into_iter()
                    .try_for_each(|spool| spool.copy_into(samples))
                    .context("can't write the samples")?;
            }
            if !part.long.is_empty() {
                let long = match files.long.take() {
                    Some(long) => long,
                    None => self.trees[policy].1.create_result(TOO_LONG)?,
                };
                let long = files.long.insert(long);
                part.long
                    .into_iter()
                    .try_for_each(|spool| spool.copy_into(long))
                    .context("can't write the samples")?;
            }
            part.entries
                .iter()
                .try_for_each(|entry| self.add(policy, entry))?;
        }
        Ok(())
    }

    fn file_failed(&mut self, _: usize, name: &str, error: &anyhow::Error) -> Result<()> {
        let entry = Entry::unreadable(name, 0, None, None, "approx", format!("{error:#}"));
        (0..self.files.len()).try_for_each(|policy| self.add(policy, &entry))
    }

    fn set_bytes_read(&mut self, bytes: u64) {
        self.talk.set_bytes_read(bytes);
    }
}
