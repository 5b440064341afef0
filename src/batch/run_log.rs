//! The messages of a run on stderr: its progress, its errors and its warnings.

use crate::error::describe_with_causes;
use crate::input::InputError;
use crate::output::print_message;
use crate::progress::Progress;
use std::collections::BTreeMap;

/// Errors, and kinds of warnings, that are printed where a report has all of them.
const PRINTED_BESIDE_REPORT: u64 = 20;
/// Kinds of warnings that are remembered; others are printed as often as they come up.
const REMEMBERED_WARNINGS: u64 = 1000;

/// The messages of a run.
pub(crate) struct RunLog {
    progress: Progress,
    quiet: bool,
    /// The most errors, and the most kinds of warnings, that are printed.
    max_printed: u64,
    bytes_read: u64,
    /// Errors so far.
    pub errors: u64,
    /// The number of times that each warning came up.
    warnings: BTreeMap<String, u64>,
}

impl RunLog {
    /// The log of a run that writes a report: only the first errors and warnings are printed.
    #[must_use]
    pub(crate) fn beside_report(progress: Progress, quiet: bool) -> Self {
        Self {
            progress,
            quiet,
            max_printed: PRINTED_BESIDE_REPORT,
            bytes_read: 0,
            errors: 0,
            warnings: BTreeMap::new(),
        }
    }

    /// The log of a run without a report: all errors and warnings are printed.
    #[must_use]
    pub(crate) fn complete(progress: Progress, quiet: bool) -> Self {
        Self {
            max_printed: u64::MAX,
            ..Self::beside_report(progress, quiet)
        }
    }

    /// Sets the number of bytes of input that are read.
    pub(crate) fn set_bytes_read(&mut self, bytes: u64) {
        self.bytes_read = bytes;
    }

    /// Advances the progress by this many transcripts.
    pub(crate) fn add_transcripts(&mut self, transcripts: u64) {
        self.progress.advance(self.bytes_read, transcripts);
    }

    /// Prints an error.
    pub(crate) fn error(&mut self, line: &str) {
        self.errors += 1;
        if self.errors <= self.max_printed {
            self.progress.say(line);
        }
    }

    /// Prints the error of a file.
    pub(crate) fn file_failed(&mut self, name: &str, error: &InputError) {
        self.error(&format!("{name}: {}", describe_with_causes(error)));
    }

    /// Prints a warning the first time that it comes up.
    pub(crate) fn warn(&mut self, place: &str, warning: &str) {
        if !self.quiet && self.should_warn(warning) {
            self.progress.say(&format!("{place}: warning: {warning}"));
        }
    }

    /// Returns true if a warning is to be printed. If not, it is counted with its like.
    fn should_warn(&mut self, warning: &str) -> bool {
        if let Some(times) = self.warnings.get_mut(warning) {
            *times += 1;
            return false;
        }
        let known = self.warnings.len() as u64;
        if known < self.max_printed.min(REMEMBERED_WARNINGS) {
            self.warnings.insert(warning.to_owned(), 1);
        }
        known < self.max_printed
    }

    /// Ends the progress, and prints the number of messages that were not printed.
    pub(crate) fn finish(&self) {
        self.progress.finish();
        if self.errors > self.max_printed {
            let more = self.errors - self.max_printed;
            print_message(&format!("... and {more} more errors, see the report"));
        }
        for (warning, times) in self.warnings.iter().filter(|(_, times)| **times > 1) {
            print_message(&format!("{} more times: warning: {warning}", times - 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::When;

    #[test]
    fn not_every_printed_warning_is_remembered() {
        let mut log = RunLog::complete(Progress::new(When::Never, false, None), false);
        assert!(
            (0..REMEMBERED_WARNINGS + 9).all(|number| log.should_warn(&format!("odd {number}")))
        );
        assert_eq!(log.warnings.len() as u64, REMEMBERED_WARNINGS);
        assert!(!log.should_warn("odd 0") && log.should_warn("odd 1008"));
    }
}
