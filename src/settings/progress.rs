//! The progress bar on stderr: bytes of input, transcripts per second and the
//! time left.

use crate::reporting::report::numbers::{count_nouns, group_count};
use crate::settings::cli::When;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;
use terminal_size::{Width, terminal_size_of};

const REDRAWS_PER_SECOND: u8 = 5;
/// The columns of a terminal whose width is not known.
const DEFAULT_COLUMNS: u16 = 80;
/// The time after which the speed so far tells something.
const TELLING_TIME: Duration = Duration::from_secs(2);

/// The progress bar of a run.
pub(crate) struct Progress {
    bar: ProgressBar,
    transcripts: u64,
    changed: u64,
}

/// Renders the transcripts of a run that are finished, for the message of its bar.
fn render_counts(transcripts: u64, changed: u64, seconds: u64) -> String {
    let per_second = group_count(transcripts / seconds.max(1));
    let changed = match changed {
        0 => String::new(),
        changed => format!(", {} changed", group_count(changed)),
    };
    let transcripts = count_nouns(transcripts, "transcript");
    format!("{transcripts}{changed}, {per_second}/s")
}

/// Renders the time that is left if the input goes on as fast as so far. Says nothing in the first
/// seconds, which tell little.
fn render_time_left(bytes: u64, total: Option<u64>, elapsed: Duration) -> String {
    let Some(total) = total.filter(|_| bytes > 0 && elapsed >= TELLING_TIME) else {
        return String::new();
    };
    let share_left = total.saturating_sub(bytes) as f64 / bytes as f64;
    // A run of more seconds than an integer holds is none of ours.
    let seconds = (elapsed.as_secs_f64() * share_left).ceil() as u64;
    match seconds {
        0..100 => format!(", {seconds} s left"),
        100..6000 => format!(", {} min left", seconds.div_ceil(60)),
        _ => format!(", {} h left", seconds.div_ceil(3600)),
    }
}

/// Returns the template of the bar for a terminal of `columns`. The message takes what is left of
/// the line, and is cut there.
fn bar_template(columns: u16) -> String {
    let length = (columns / 5).clamp(4, 20);
    format!("{{percent:>3}} % {{bar:{length}}}  {{wide_msg}}")
}

impl Progress {
    /// Shows a bar over `total` bytes of input, or a spinner if the total is not known.
    pub(crate) fn new(when: When, quiet: bool, total: Option<u64>) -> Self {
        let shown = match when {
            When::Always => true,
            When::Never => false,
            When::Auto => !quiet && std::io::stderr().is_terminal(),
        };
        if !shown {
            return Self { bar: ProgressBar::hidden(), transcripts: 0, changed: 0 };
        }
        let (bar, template) = match total {
            Some(total) => {
                let size = terminal_size_of(std::io::stderr());
                let columns = size.map_or(DEFAULT_COLUMNS, |(Width(columns), _)| columns);
                (ProgressBar::new(total), bar_template(columns))
            }
            None => {
                (ProgressBar::new_spinner(), "{spinner} {bytes}  {elapsed}  {wide_msg}".to_owned())
            }
        };
        bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(REDRAWS_PER_SECOND));
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar, transcripts: 0, changed: 0 }
    }

    /// Moves the bar to `bytes` bytes read, and adds `transcripts` finished transcripts, of which
    /// `changed` changed.
    pub(crate) fn advance(&mut self, bytes: u64, transcripts: u64, changed: u64) {
        self.transcripts += transcripts;
        self.changed += changed;
        self.bar.set_position(bytes);
        if !self.bar.is_hidden() {
            let elapsed = self.bar.elapsed();
            let counts = render_counts(self.transcripts, self.changed, elapsed.as_secs());
            let left = render_time_left(bytes, self.bar.length(), elapsed);
            self.bar.set_message(counts + &left);
        }
    }

    /// Prints a line above the bar.
    pub(crate) fn say(&self, line: &str) {
        self.bar.suspend(|| crate::files::output::print_message(line));
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
        assert_eq!(render_counts(12_000, 340, 10), "12,000 transcripts, 340 changed, 1,200/s");
    }

    #[test]
    fn the_time_left_waits_until_the_speed_is_known() {
        let after = |seconds| render_time_left(10, Some(100), Duration::from_secs(seconds));
        assert_eq!(after(1), "");
        assert_eq!(after(10), ", 90 s left");
        assert_eq!(after(60), ", 9 min left");
        assert_eq!(after(60 * 60), ", 9 h left");
        assert_eq!(render_time_left(10, None, Duration::from_secs(9)), "");
        assert_eq!(render_time_left(100, Some(100), Duration::from_secs(9)), ", 0 s left");
    }

    #[test]
    fn a_narrow_terminal_gets_a_short_bar() {
        assert_eq!(bar_template(40), "{percent:>3} % {bar:8}  {wide_msg}");
        assert_eq!(bar_template(200), "{percent:>3} % {bar:20}  {wide_msg}");
    }
}
