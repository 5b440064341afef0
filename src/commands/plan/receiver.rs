//! The output of `plan`: what is shown of each transcript, in input order, and the totals.

use crate::commands::plan::report::{PlanReports, ShownPlan};
use crate::commands::prelude::*;
use crate::deciding::model::is_unknown_limit;
use crate::reporting::report::plan_list::{PlanList, PlanScreen, render_plan_totals};
use crate::reporting::report::terminal_text::Palette;
use std::io::Stdout;
use terminal_size::{Height, Width, terminal_size};

/// Prints plans, or collects them for a list.
pub(super) struct PlanReceiver<'v> {
    stdout: BufWriter<Stdout>,
    view: PlanView,
    only_changed: bool,
    quiet: bool,
    /// True if stdout has a report instead.
    is_silent: bool,
    /// Tells the workers whether they are to render plans with their messages.
    wants_details: &'v AtomicBool,
    pub(super) list: PlanList,
    reports: Option<PlanReports<'v>>,
    /// Progress and errors.
    pub(super) log: RunLog,
    /// The expected cost of all summaries.
    pub(super) expected: ExpectedUsageTotals,
    /// The ids of questions that are counted: a question is asked once.
    counted: HashSet<String>,
}

impl<'v> PlanReceiver<'v> {
    /// Begins with nothing printed. If the run is quiet, only the totals are.
    pub(super) fn new(
        view: PlanView,
        only_changed: bool,
        wants_details: &'v AtomicBool,
        progress: Progress,
        run: &RunSettings,
        is_silent: bool,
        reports: Option<PlanReports<'v>>,
    ) -> Self {
        let list = PlanList::new(view.limit, view.screen);
        let renders = view.is_streamed || list.wants_details();
        wants_details.store(renders && !run.quiet && !is_silent, Ordering::Relaxed);
        Self {
            stdout: BufWriter::new(io::stdout()),
            view,
            only_changed,
            quiet: run.quiet,
            is_silent,
            wants_details,
            list,
            reports,
            log: RunLog::complete(progress, run),
            expected: ExpectedUsageTotals::default(),
            counted: HashSet::new(),
        }
    }

    /// Prints the list and the totals, then `last`. JSON has neither. Fails if stdout can't be
    /// written.
    pub(super) fn finish(mut self, palette: Palette, last: &str) -> Result<(), RunError> {
        self.log.finish();
        if let Some(reports) = self.reports.take() {
            reports.publish().map_err(RunError::BrokeOff)?;
        }
        if self.is_silent {
            return Ok(());
        }
        let width = self.view.width;
        let text = if self.view.is_json {
            String::new()
        } else if self.view.is_streamed || self.quiet {
            render_plan_totals(self.list.totals(), width, palette)
        } else {
            self.list.render(width, palette)
        };
        self.stdout
            .write_all(text.as_bytes())
            .and_then(|()| self.stdout.write_all(last.as_bytes()))
            .and_then(|()| self.stdout.flush())
            .map_err(|error| RunError::FinishStdout(fault_of_stdout(error)))
    }

    fn receive_plan(&mut self, plan: ShownPlan) -> Result<(), WriteError> {
        self.list.add_to_totals(&plan.report, plan.is_over_limit);
        // The plan itself says so, where it is shown, and the totals.
        self.log.errors += u64::from(plan.report.error.is_some());
        if plan.is_over_limit {
            let report = &plan.report;
            self.log.over_limit(&report.file, &report.place(), report.tokens_after);
        }
        if self.quiet {
            // Else the plan itself shows its warnings.
            let (place, warnings) = (plan.report.place(), &plan.report.warnings);
            for warning in warnings.iter().filter(|text| is_unknown_limit(text)) {
                self.log.warn(&place, warning);
            }
        }
        if let Some(expected) = plan.expected {
            self.add_expected(expected);
        }
        if self.is_silent || (self.only_changed && !plan.report.changes()) {
            return Ok(());
        }
        if !self.view.is_streamed {
            self.list.push(&plan.report, plan.text);
            if !self.list.wants_details() {
                self.wants_details.store(false, Ordering::Relaxed);
            }
            return Ok(());
        }
        if self.quiet && !self.view.is_json {
            return Ok(());
        }
        self.stdout.write_all(plan.text.as_bytes()).map_err(WriteError::Stdout)
    }

    fn add_expected(&mut self, expected: ExpectedUsage) {
        self.expected.summaries += 1;
        if !expected.cache_hit && self.counted.insert(expected.id) {
            self.expected.calls += 1;
            self.expected.input_tokens += expected.input_tokens;
            self.expected.output_tokens += expected.output_tokens;
        }
    }
}

impl ReceiveInOrder<UnitFindings<ShownPlan>> for PlanReceiver<'_> {
    fn receive(
        &mut self,
        input: &InputUnit,
        unit: UnitFindings<ShownPlan>,
    ) -> Result<(), WriteError> {
        let changed = unit.found.iter().filter(|plan| plan.report.changes());
        let changed = changed.count() as u64;
        self.log.add_changed_transcripts(unit.found.len() as u64, changed);
        self.list.add_unplanned(unit.failures.len() as u64);
        for failure in &unit.failures {
            let file = &input.file.name;
            self.log.error_in(file, &failure.describe(file));
        }
        if let Some(reports) = &mut self.reports {
            reports.push_unit(input, &unit)?;
        }
        unit.found.into_iter().try_for_each(|plan| self.receive_plan(plan))
    }

    fn file_failed(&mut self, _: usize, name: &str, error: &InputError) -> Result<(), WriteError> {
        self.log.file_failed(name, error);
        let Some(reports) = &mut self.reports else {
            return Ok(());
        };
        reports.push_file_failure(name, error)
    }

    fn log(&mut self) -> &mut RunLog {
        &mut self.log
    }
}

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
    Palette::new(anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never)
}
