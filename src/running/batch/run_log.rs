//! The messages of a run on stderr: its progress, its errors and its warnings.

use crate::base::error::describe_with_causes;
use crate::deciding::model::is_unknown_limit;
use crate::files::input::{InputError, InputUnit};
use crate::files::output::print_message;
use crate::reporting::report::numbers::group_count;
use crate::running::batch::annotations::Annotations;
use crate::running::conversation::UnitFindings;
use crate::settings::RunSettings;
use crate::settings::progress::Progress;
use std::collections::BTreeMap;

/// Errors, and kinds of warnings, that are printed where a report has all of them.
const PRINTED_BESIDE_REPORT: u64 = 20;
/// Kinds of warnings that are remembered; others are printed as often as they come up.
const REMEMBERED_WARNINGS: u64 = 1000;

/// Warnings of one kind that are printed: others differ from them in numbers only.
const PRINTED_ALIKE: usize = 3;

/// Warnings that differ in numbers only.
struct AlikeWarnings {
    /// The first, each once.
    printed: Vec<String>,
    /// Those that were not printed.
    folded: u64,
}

pub(crate) struct RunLog {
    progress: Progress,
    quiet: bool,
    annotations: Annotations,
    /// The most errors, and the most kinds of warnings, that are printed.
    max_printed: u64,
    bytes_read: u64,
    /// Errors so far.
    pub errors: u64,
    /// The first transcript whose result is over its limit, and the number of them.
    over_limit: Option<(String, u64)>,
    /// The warnings that came up, by their text without numbers.
    warnings: BTreeMap<String, AlikeWarnings>,
}

impl RunLog {
    /// The log of a run that writes a report: only the first errors and warnings are printed.
    pub(crate) fn beside_report(progress: Progress, run: &RunSettings) -> Self {
        Self {
            progress,
            quiet: run.quiet,
            annotations: Annotations::new(run.annotations),
            max_printed: PRINTED_BESIDE_REPORT,
            bytes_read: 0,
            errors: 0,
            over_limit: None,
            warnings: BTreeMap::new(),
        }
    }

    /// The log of a run without a report: all errors and warnings are printed.
    pub(crate) fn complete(progress: Progress, run: &RunSettings) -> Self {
        Self { max_printed: u64::MAX, ..Self::beside_report(progress, run) }
    }

    /// Sets the number of bytes of input that are read.
    pub(crate) fn set_bytes_read(&mut self, bytes: u64) {
        self.bytes_read = bytes;
    }

    /// Advances the progress by this many transcripts.
    pub(crate) fn add_transcripts(&mut self, transcripts: u64) {
        self.add_changed_transcripts(transcripts, 0);
    }

    /// Advances the progress by this many transcripts, of which `changed` changed.
    pub(crate) fn add_changed_transcripts(&mut self, transcripts: u64, changed: u64) {
        self.progress.advance(self.bytes_read, transcripts, changed);
    }

    /// Advances the progress by the transcripts of a unit, and prints its errors, each with its place.
    pub(crate) fn add_unit<T>(&mut self, unit: &InputUnit, findings: &UnitFindings<T>) {
        self.add_transcripts(findings.conversations);
        let file = &unit.file.name;
        for failure in &findings.failures {
            self.error_in(file, &failure.describe(file));
        }
    }

    pub(crate) fn error(&mut self, line: &str) {
        self.errors += 1;
        if self.errors <= self.max_printed {
            self.progress.say(line);
        }
    }

    /// Prints an error in a file. `line` begins with the place: `file:line:column: `.
    pub(crate) fn error_in(&mut self, file: &str, line: &str) {
        match self.annotations.annotate(file, line) {
            Some(annotation) => self.error(&annotation),
            None => self.error(line),
        }
    }

    /// Prints the error and the warnings of what is at a place in a file.
    pub(crate) fn tell_of(
        &mut self,
        file: &str,
        place: &str,
        error: Option<&str>,
        warnings: &[String],
    ) {
        if let Some(error) = error {
            self.error_in(file, &format!("{place}: {error}"));
        }
        for warning in warnings {
            self.warn(place, warning);
        }
    }

    /// Prints the error of a file.
    pub(crate) fn file_failed(&mut self, name: &str, error: &InputError) {
        self.error_in(name, &format!("{name}: {}", describe_with_causes(error)));
    }

    /// Annotates a transcript whose result of `tokens` is over its limit. Without annotations the
    /// report and the totals say it; a quiet run says it once, at its end.
    pub(crate) fn over_limit(&mut self, file: &str, place: &str, tokens: usize) {
        let tokens = group_count(tokens as u64);
        let what = format!("{tokens} tokens after compaction are over the limit");
        if let Some(annotation) = self.annotations.annotate(file, &format!("{place}: {what}")) {
            self.progress.say(&annotation);
        }
        let first = || format!("{place}: warning: {what}");
        self.over_limit.get_or_insert_with(|| (first(), 0)).1 += 1;
    }

    /// Prints a line about a transcript.
    pub(crate) fn tell(&self, line: &str) {
        self.progress.say(line);
    }

    /// Prints a warning the first time that it comes up; in a quiet run only one of a model that is
    /// not known.
    pub(crate) fn warn(&mut self, place: &str, warning: &str) {
        let is_told = !self.quiet || is_unknown_limit(warning);
        if is_told && self.should_warn(warning) {
            self.progress.say(&format!("{place}: warning: {warning}"));
        }
    }

    /// Returns true if a warning is to be printed. If not, it is counted with its like.
    fn should_warn(&mut self, warning: &str) -> bool {
        let known = self.warnings.len() as u64;
        if let Some(alike) = self.warnings.get_mut(&without_numbers(warning)) {
            let is_new = alike.printed.iter().all(|printed| printed != warning);
            let is_printed = is_new && alike.printed.len() < PRINTED_ALIKE;
            if is_printed {
                alike.printed.push(warning.to_owned());
            } else {
                alike.folded += 1;
            }
            return is_printed;
        }
        if known < self.max_printed.min(REMEMBERED_WARNINGS) {
            let alike = AlikeWarnings { printed: vec![warning.to_owned()], folded: 0 };
            self.warnings.insert(without_numbers(warning), alike);
        }
        known < self.max_printed
    }

    /// Ends the progress, and prints the number of messages that were not printed.
    pub(crate) fn finish(&self) {
        if self.quiet
            && let Some((first, results)) = &self.over_limit
        {
            let more = match results - 1 {
                0 => String::new(),
                more => format!(", and {more} more"),
            };
            self.progress.say(&format!("{first}{more}"));
        }
        self.progress.finish();
        if self.errors > self.max_printed {
            let more = self.errors - self.max_printed;
            print_message(&format!("... and {more} more errors, see the report"));
        }
        for AlikeWarnings { printed, folded } in self.warnings.values() {
            let first = &printed[0];
            let more = match (*folded, printed.len()) {
                (0, _) => continue,
                (1, 1) => format!("again: warning: {first}"),
                (more, 1) => format!("{} more times: warning: {first}", group_count(more)),
                (more, _) => format!("{} more warnings like: {first}", group_count(more)),
            };
            print_message(&more);
        }
    }
}

/// Returns a warning with a `#` for each number that is a word by itself. Names keep their digits.
fn without_numbers(warning: &str) -> String {
    let is_number = |word: &str| {
        let digits = word.trim_matches(|c: char| c.is_ascii_punctuation());
        !digits.is_empty() && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b',' | b'.'))
    };
    let words = warning.split(' ');
    let words: Vec<&str> = words.map(|word| if is_number(word) { "#" } else { word }).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::cli::{MaxErrors, When};

    fn complete_log() -> RunLog {
        let run = RunSettings {
            jobs: 1,
            max_errors: MaxErrors::All,
            quiet: false,
            annotations: None,
            progress: When::Never,
        };
        RunLog::complete(Progress::new(When::Never, false, None), &run)
    }

    #[test]
    fn not_every_printed_warning_is_remembered() {
        let mut log = complete_log();
        assert!(
            (1..REMEMBERED_WARNINGS as usize + 9).all(|kind| log.should_warn(&"odd ".repeat(kind)))
        );
        assert_eq!(log.warnings.len() as u64, REMEMBERED_WARNINGS);
        assert!(!log.should_warn("odd ") && log.should_warn(&"odd ".repeat(1008)));
    }

    #[test]
    fn warnings_that_differ_in_numbers_only_are_folded() {
        let mut log = complete_log();
        let printed =
            (0..20).filter(|tokens| log.should_warn(&format!("{tokens} tokens are left")));
        assert_eq!(printed.count(), PRINTED_ALIKE);
        assert_eq!(log.warnings["# tokens are left"].folded, 17);
        assert!(log.should_warn("no tokens are left"));
    }
}
