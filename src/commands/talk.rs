//! What a command says on stderr while units come in: progress, and what went wrong.

use crate::progress::Progress;
use std::collections::BTreeMap;

/// Errors, and kinds of warnings, that are told where a report has them all.
const TOLD: u64 = 20;

/// What is said of a run.
pub(super) struct Talk {
    progress: Progress,
    quiet: bool,
    /// How many errors are told one by one, and how many kinds of warnings.
    most: u64,
    /// Bytes of input read so far.
    bytes: u64,
    /// Errors so far.
    pub(super) errors: u64,
    /// How often each warning came up.
    warnings: BTreeMap<String, u64>,
}

impl Talk {
    /// Of a run that writes a report: the first errors and warnings are told.
    pub(super) fn beside_report(progress: Progress, quiet: bool) -> Self {
        Self { progress, quiet, most: TOLD, bytes: 0, errors: 0, warnings: BTreeMap::new() }
    }

    /// Of a run without one: all are told.
    pub(super) fn of_all(progress: Progress, quiet: bool) -> Self {
        Self { most: u64::MAX, ..Self::beside_report(progress, quiet) }
    }

    /// So many bytes of input are read.
    pub(super) fn read(&mut self, bytes: u64) {
        self.bytes = bytes;
    }

    /// So many transcripts more are done.
    pub(super) fn done(&mut self, transcripts: u64) {
        self.progress.advance(self.bytes, transcripts);
    }

    /// Tells an error.
    pub(super) fn error(&mut self, line: &str) {
        self.errors += 1;
        if self.errors <= self.most {
            self.progress.say(line);
        }
    }

    /// Tells why a file failed.
    pub(super) fn failed(&mut self, name: &str, error: &anyhow::Error) {
        self.error(&format!("{name}: {error:#}"));
    }

    /// Tells a warning where it comes up first.
    pub(super) fn warn(&mut self, place: &str, warning: &str) {
        if let Some(times) = self.warnings.get_mut(warning) {
            *times += 1;
        } else if (self.warnings.len() as u64) < self.most {
            self.warnings.insert(warning.to_owned(), 1);
            if !self.quiet {
                self.progress.say(&format!("{place}: warning: {warning}"));
            }
        }
    }

    /// Ends the progress, and tells how much was not told one by one.
    pub(super) fn finish(&self) {
        self.progress.finish();
        if self.errors > self.most {
            crate::output::say(&format!("... and {} more errors, see the report", self.errors - self.most));
        }
        for (warning, times) in self.warnings.iter().filter(|(_, times)| **times > 1 && !self.quiet) {
            crate::output::say(&format!("{} more times: warning: {warning}", times - 1));
        }
    }
}
