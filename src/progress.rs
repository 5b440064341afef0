//! The progress bar on stderr: bytes of input, transcripts per second and the
//! time left.

use crate::cli::When;
use crate::report::numbers::{count_nouns, group_count};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

const REDRAWS_PER_SECOND: u8 = 5;

/// The progress bar of a run.
pub(crate) struct Progress {
    bar: ProgressBar,
    transcripts: u64,
    changed: u64,
}

/// The transcripts of a run that are finished, for the message of its bar.
fn render_counts(transcripts: u64, changed: u64, seconds: u64) -> String {
    let per_second = group_count(transcripts / seconds.max(1));
    let changed = match changed {
        0 => String::new(),
        changed => format!(", {} changed", group_count(changed)),
    };
    let transcripts = count_nouns(transcripts, "transcript");
    format!("{transcripts}{changed}, {per_second}/s")
}

impl Progress {
    /// Shows a bar over `total` bytes of input, or a spinner if the total is not known.
    #[must_use]
    pub(crate) fn new(when: When, quiet: bool, total: Option<u64>) -> Self {
        let shown = match when {
            When::Always => true,
            When::Never => false,
            When::Auto => !quiet && std::io::stderr().is_terminal(),
        };
        if !shown {
            return Self {
                bar: ProgressBar::hidden(),
                transcripts: 0,
                changed: 0,
            };
        }
        let (bar, template) = match total {
            Some(total) => (
                ProgressBar::new(total),
                "{percent:>3} % {bar:20}  {msg}  {eta} left",
            ),
            None => (
                ProgressBar::new_spinner(),
                "{spinner} {bytes}  {msg}  {elapsed}",
            ),
        };
        bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(REDRAWS_PER_SECOND));
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self {
            bar,
            transcripts: 0,
            changed: 0,
        }
    }

    /// Moves the bar to `bytes` bytes read, and adds `transcripts` finished transcripts, of which
    /// `changed` changed.
    pub(crate) fn advance(&mut self, bytes: u64, transcripts: u64, changed: u64) {
        self.transcripts += transcripts;
        self.changed += changed;
        self.bar.set_position(bytes);
        if !self.bar.is_hidden() {
            let seconds = self.bar.elapsed().as_secs();
            let counts = render_counts(self.transcripts, self.changed, seconds);
            self.bar.set_message(counts);
        }
    }

    /// Prints a line above the bar.
    pub(crate) fn say(&self, line: &str) {
        self.bar.suspend(|| crate::output::print_message(line));
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_the_run_so_far() {
        assert_eq!(render_counts(1, 0, 0), "1 transcript, 1/s");
        assert_eq!(
            render_counts(12_000, 340, 10),
            "12,000 transcripts, 340 changed, 1,200/s"
        );
    }
}
