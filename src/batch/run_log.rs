//! What a command says on stderr while units come in: progress, and what went wrong.

use crate::progress::Progress;
use std::collections::BTreeMap;

/// Errors, and kinds of warnings, that are told where a report has them all.
const TOLD: u64 = 20;
/// So many kinds of warnings are remembered; others are told as often as they come up.
const REMEMBERED: u64 = 1000;

/// What is said of a run.
pub struct Talk {
    progress: Progress,
    quiet: bool,
    /// How many errors are told one by one, and how many kinds of warnings.
    most: u64,
    /// Bytes of input read so far.
    bytes: u64,
    /// Errors so far.
    pub errors: u64,
    /// How often each warning came up.
    warnings: BTreeMap<String, u64>,
}

impl Talk {
    /// Of a run that writes a report: the first errors and warnings are told.
    pub fn beside_report(progress: Progress, quiet: bool) -> Self {
        Self {
            progress,
            quiet,
            most: TOLD,
            bytes: 0,
            errors: 0,
            warnings: BTreeMap::new(),
        }
    }

    /// Of a run without one: all are told.
    pub fn of_all(progress: Progress, quiet: bool) -> Self {
        Self {
            most: u64::MAX,
            ..Self::beside_report(progress, quiet)
        }
    }

    /// So many bytes of input are read.
    pub fn read(&mut self, bytes: u64) {
        self.bytes = bytes;
    }

    /// So many transcripts more are done.
    pub fn done(&mut self, transcripts: u64) {
        self.progress.advance(self.bytes, transcripts);
    }

    /// Tells an error.
    pub fn error(&mut self, line: &str) {
        self.errors += 1;
        if self.errors <= self.most {
            self.progress.say(line);
        }
    }

    /// Tells why a file failed.
    pub fn failed(&mut self, name: &str, error: &anyhow::Error) {
        self.error(&format!("{name}: {error:#}"));
    }

    /// Tells a warning where it comes up first.
    pub fn warn(&mut self, place: &str, warning: &str) {
        if !self.quiet && self.is_new(warning) {
            self.progress.say(&format!("{place}: warning: {warning}"));
        }
    }

    /// Whether a warning is to be told; if not, it is counted with those like it.
    fn is_new(&mut self, warning: &str) -> bool {
        if let Some(times) = self.warnings.get_mut(warning) {
            *times += 1;
            return false;
        }
        let known = self.warnings.len() as u64;
        if known < self.most.min(REMEMBERED) {
            self.warnings.insert(warning.to_owned(), 1);
        }
        known < self.most
    }

    /// Ends the progress, and tells how much was not told one by one.
    pub fn finish(&self) {
        self.progress.finish();
        if self.errors > self.most {
            crate::output::print_message(&format!(
                "... and {} more errors, see the report",
                self.errors - self.most
            ));
        }
        for (warning, times) in self.warnings.iter().filter(|(_, times)| **times > 1) {
            crate::output::print_message(&format!("{} more times: warning: {warning}", times - 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::When;

    #[test]
    fn not_all_that_is_told_is_remembered() {
        let mut talk = Talk::of_all(Progress::new(When::Never, false, None), false);
        assert!((0..REMEMBERED + 9).all(|number| talk.is_new(&format!("odd {number}"))));
        assert_eq!(talk.warnings.len() as u64, REMEMBERED);
        assert!(!talk.is_new("odd 0") && talk.is_new("odd 1008"));
    }
}
