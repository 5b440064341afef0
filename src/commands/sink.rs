//! Lines on stdout, in input order: what `plan` and `count` print.

use crate::progress::Progress;
use crate::run::Receive;
use anyhow::{Context, Result};
use std::io::{BufWriter, Stdout, Write};

/// What one unit prints.
pub(super) struct Lines {
    pub(super) stdout: String,
    /// Errors, as `file:line: what`.
    pub(super) errors: Vec<String>,
    pub(super) transcripts: u64,
    /// Transcripts that would change.
    pub(super) changes: u64,
    /// Results over a limit.
    pub(super) over_limit: u64,
}

/// Prints them.
pub(super) struct LineSink {
    stdout: BufWriter<Stdout>,
    progress: Progress,
    pub(super) failed: u64,
    pub(super) changes: u64,
    pub(super) over_limit: u64,
    bytes: u64,
}

impl LineSink {
    pub(super) fn new(progress: Progress) -> Self {
        Self { stdout: BufWriter::new(std::io::stdout()), progress, failed: 0, changes: 0, over_limit: 0, bytes: 0 }
    }

    /// Prints what comes after all.
    pub(super) fn finish(&mut self, last: &str) -> Result<()> {
        self.progress.finish();
        self.stdout.write_all(last.as_bytes())?;
        Ok(self.stdout.flush()?)
    }
}

impl Receive<Lines> for LineSink {
    fn receive(&mut self, lines: Lines) -> Result<()> {
        self.progress.advance(self.bytes, lines.transcripts);
        self.failed += lines.errors.len() as u64;
        self.changes += lines.changes;
        self.over_limit += lines.over_limit;
        for error in &lines.errors {
            self.progress.say(error);
        }
        self.stdout.write_all(lines.stdout.as_bytes()).context("can't write to stdout")
    }

    fn failed(&mut self, _: usize, name: &str, error: &anyhow::Error) -> Result<()> {
        self.failed += 1;
        self.progress.say(&format!("{name}: {error:#}"));
        Ok(())
    }

    fn progress(&mut self, bytes: u64) {
        self.bytes = bytes;
    }
}
