//! The progress bar on stderr: bytes of input, transcripts per second and the
//! time left.

use crate::cli::When;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

const REDRAWS_PER_SECOND: u8 = 5;

/// The progress bar of a run.
pub(crate) struct Progress {
    bar: ProgressBar,
    transcripts: u64,
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
            };
        }
        let (bar, template) = match total {
            Some(total) => (
                ProgressBar::new(total),
                "{bar:30} {bytes}/{total_bytes}  {msg}  {eta} left",
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
        }
    }

    /// Moves the bar to `bytes` bytes read, and adds `transcripts` finished transcripts.
    pub(crate) fn advance(&mut self, bytes: u64, transcripts: u64) {
        self.transcripts += transcripts;
        let seconds = self.bar.elapsed().as_secs().max(1);
        self.bar.set_position(bytes);
        if !self.bar.is_hidden() {
            self.bar.set_message(format!(
                "{} transcripts, {}/s",
                self.transcripts,
                self.transcripts / seconds
            ));
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
