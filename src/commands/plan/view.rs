//! The form in which `plan` shows what it found.

use crate::reporting::report::plan_list::PlanScreen;
use crate::reporting::report::terminal_text::Palette;
use crate::settings::cli::PlanArgs;
use terminal_size::{Height, Width, terminal_size};

/// Width of the output where stdout is no terminal, in columns.
const DEFAULT_WIDTH: usize = 120;
/// Rows of a list where stdout is no terminal.
const DEFAULT_ROWS: usize = 20;
/// The least rows of a list, however low the terminal is.
const MIN_ROWS: usize = 5;
/// Lines of a screen that are left to the totals below a list.
const LINES_OF_TOTALS: usize = 16;

/// The form of the output.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlanView {
    /// Prints JSON lines and nothing else.
    pub(super) is_json: bool,
    /// Prints each plan as soon as it is known, not a list at the end.
    pub(super) is_streamed: bool,
    /// The form of what is printed at the end.
    pub(super) screen: PlanScreen,
    /// The most rows of a list.
    pub(super) limit: usize,
    /// The columns of the terminal.
    pub(super) width: usize,
}

impl PlanView {
    /// Chooses the form that the options and the terminal ask for.
    pub(super) fn from_options(options: &PlanArgs) -> Self {
        let size = terminal_size();
        let rows = size.map_or(DEFAULT_ROWS, |(_, Height(lines))| {
            usize::from(lines).saturating_sub(LINES_OF_TOTALS).max(MIN_ROWS)
        });
        let screen = match options.top {
            Some(_) => PlanScreen::Details,
            None => PlanScreen::Fitting,
        };
        let listed = if options.full { usize::MAX } else { rows };
        Self {
            is_json: options.json,
            is_streamed: options.json || options.verbose || !options.thread.is_empty(),
            screen,
            limit: options.top.unwrap_or(listed),
            width: size.map_or(DEFAULT_WIDTH, |(Width(columns), _)| usize::from(columns)),
        }
    }
}

/// Returns the colours that the environment and the terminal ask for.
pub(super) fn choose_palette() -> Palette {
    // It knows NO_COLOR, CLICOLOR, CLICOLOR_FORCE and TERM=dumb.
    Palette::new(anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never)
}
