//! Lines on stdout, in input order: what `plan` and `count` print.

use crate::batch::run_log::Talk;
use crate::batch::{BrokeOff, Receive};
use crate::input::InputUnit;
use crate::progress::Progress;
use crate::report::{ExpectedUsage, ExpectedUsageTotals};
use anyhow::{Context, Result};
use std::collections::HashSet;
use std::io::{BufWriter, Stdout, Write};

/// What one unit prints.
#[derive(Default)]
pub struct Lines {
    pub stdout: String,
    /// Errors, as `file:line: what`.
    pub errors: Vec<String>,
    /// Warnings, each with its place, where the lines have no room for them.
    pub warnings: Vec<(String, String)>,
    pub transcripts: u64,
    /// Transcripts that would change.
    pub changes: u64,
    /// Results over a limit.
    pub over_limit: u64,
    /// What summaries are expected to take of a model.
    pub expected: Vec<ExpectedUsage>,
}

/// Prints them.
pub struct LineSink {
    stdout: BufWriter<Stdout>,
    pub talk: Talk,
    pub changes: u64,
    pub over_limit: u64,
    pub expected: ExpectedUsageTotals,
    /// Questions that were counted: each is asked once.
    counted: HashSet<String>,
}

impl LineSink {
    /// `quiet`: warnings are not told.
    pub fn new(progress: Progress, quiet: bool) -> Self {
        Self {
            stdout: BufWriter::new(std::io::stdout()),
            talk: Talk::of_all(progress, quiet),
            changes: 0,
            over_limit: 0,
            expected: ExpectedUsageTotals::default(),
            counted: HashSet::new(),
        }
    }

    /// Prints what comes after all.
    pub fn finish(&mut self, last: &str) -> Result<()> {
        self.talk.finish();
        self.stdout
            .write_all(last.as_bytes())
            .and_then(|()| self.stdout.flush())
            .context(BrokeOff)
    }
}

impl Receive<Lines> for LineSink {
    fn receive(&mut self, _: &InputUnit, lines: Lines) -> Result<()> {
        self.talk.done(lines.transcripts);
        self.changes += lines.changes;
        self.over_limit += lines.over_limit;
        for one in lines.expected {
            self.expected.summaries += 1;
            if !one.cache_hit && self.counted.insert(one.id) {
                self.expected.calls += 1;
                self.expected.input_tokens += one.input_tokens;
                self.expected.output_tokens += one.output_tokens;
            }
        }
        lines.errors.iter().for_each(|error| self.talk.error(error));
        lines
            .warnings
            .iter()
            .for_each(|(place, warning)| self.talk.warn(place, warning));
        self.stdout
            .write_all(lines.stdout.as_bytes())
            .context("can't write to stdout")
    }

    fn failed(&mut self, _: usize, name: &str, error: &anyhow::Error) -> Result<()> {
        self.talk.failed(name, error);
        Ok(())
    }

    fn progress(&mut self, bytes: u64) {
        self.talk.read(bytes);
    }
}
