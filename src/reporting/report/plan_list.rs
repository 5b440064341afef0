//! The plans for many transcripts on one screen: those that save most, and the totals.

use crate::deciding::plan::Stage;
use crate::reporting::report::digest::RunTotals;
use crate::reporting::report::numbers::{count_nouns, group_count, percent_change, short_count};
use crate::reporting::report::terminal_text::{
    Palette, plain_table, single_line, trim_line_ends, wrap_words,
};
use crate::reporting::report::transcript_report::{TranscriptReport, TranscriptStatus};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Display;

/// The columns of the list before the name of the transcript.
const HEADER: [&str; 4] = ["saved", "tokens", "messages", "stages"];
/// From this many columns on a terminal has room for all of them.
const WIDE: usize = 90;
/// From this many columns on a terminal has room for all but the stages.
const MIDDLING: usize = 60;
/// The least columns of a name, however narrow the terminal is.
const MIN_NAME_COLUMNS: usize = 8;
/// Up to this many transcripts are shown with their messages, more as a list.
pub(crate) const FEW_TRANSCRIPTS: u64 = 5;
/// Rows beyond those that are shown before they are sorted out.
const SPARE_ROWS: usize = 32;
/// The most reasons that are named. Others are added up.
const MAX_REASONS: usize = 8;

/// A transcript in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PlanRow {
    name: String,
    messages_before: usize,
    messages_after: usize,
    tokens_before: usize,
    tokens_after: usize,
    stages: Vec<Stage>,
    status: TranscriptStatus,
    /// The place in the input.
    order: u64,
    /// The plan with its messages, where it may be shown.
    details: String,
}

impl PlanRow {
    fn saved(&self) -> usize {
        self.tokens_before.saturating_sub(self.tokens_after)
    }
}

/// The form in which the plans for transcripts are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlanScreen {
    /// A list where there are many, the plans with their messages where there are few.
    Fitting,
    /// The plans with their messages.
    Details,
}

/// The transcripts that save most, bounded in number, and the totals over all.
#[derive(Debug)]
pub(crate) struct PlanList {
    rows: Vec<PlanRow>,
    limit: usize,
    screen: PlanScreen,
    listed: u64,
    totals: RunTotals,
    /// The transcripts that would fail, by the reason.
    failed: BTreeMap<String, u64>,
}

impl PlanList {
    /// A list without transcripts that will show at most `limit`.
    pub(crate) fn new(limit: usize, screen: PlanScreen) -> Self {
        Self {
            rows: Vec::new(),
            limit,
            screen,
            listed: 0,
            totals: RunTotals::default(),
            failed: BTreeMap::new(),
        }
    }

    pub(crate) fn totals(&self) -> &RunTotals {
        &self.totals
    }

    /// Counts a transcript in the totals.
    pub(crate) fn add_to_totals(&mut self, report: &TranscriptReport, over_limit: bool) {
        self.totals.add_report(report, over_limit);
        if let Some(error) = &report.error {
            *self.failed.entry(error.clone()).or_default() += 1;
        }
    }

    /// Counts records that have no plan.
    pub(crate) fn add_unplanned(&mut self, records: u64) {
        self.totals.transcripts += records;
        self.totals.failed += records;
    }

    /// Returns true if there was no transcript to plan.
    pub(crate) fn is_empty(&self) -> bool {
        nothing_planned(&self.totals)
    }

    /// Returns true if the messages of further transcripts may be shown.
    pub(crate) fn wants_details(&self) -> bool {
        match self.screen {
            PlanScreen::Fitting => self.listed < FEW_TRANSCRIPTS,
            PlanScreen::Details => true,
        }
    }

    /// Adds a row. Only the rows that are to be shown are kept.
    pub(crate) fn push(&mut self, report: &TranscriptReport, details: String) {
        self.listed += 1;
        let thread = report.thread_id.as_deref().unwrap_or_default();
        let applied = report.reasons.iter().filter(|reason| reason.applies);
        self.rows.push(PlanRow {
            name: format!("{thread}  {}", report.place()),
            messages_before: report.messages_before,
            messages_after: report.messages_after,
            tokens_before: report.tokens_before,
            tokens_after: report.tokens_after,
            stages: applied.map(|reason| reason.stage).collect(),
            status: report.status,
            order: self.listed,
            details,
        });
        // Sorting now and then costs less than keeping the order.
        if self.rows.len() >= self.limit.saturating_mul(2).saturating_add(SPARE_ROWS) {
            self.keep_most_saved();
        }
    }

    /// Keeps the rows that are shown: most saved first, then largest first, then in input order.
    fn keep_most_saved(&mut self) {
        self.rows.sort_by_key(|row| (Reverse((row.saved(), row.tokens_before)), row.order));
        self.rows.truncate(self.limit);
    }

    /// Renders the list and the totals for a terminal of `width` columns.
    pub(crate) fn render(mut self, width: usize, palette: Palette) -> String {
        let has_details = match self.screen {
            PlanScreen::Fitting => self.listed <= FEW_TRANSCRIPTS,
            PlanScreen::Details => true,
        };
        if has_details {
            return self.render_details(width, palette);
        }
        self.keep_most_saved();
        let mut out = String::new();
        if !self.rows.is_empty() {
            out.push_str(&self.render_rows(width, palette));
        }
        let more = self.listed - self.rows.len() as u64;
        if more > 0 {
            let line = format!(
                "… and {} more (--full lists all, --thread ID shows the messages of a thread)",
                group_count(more)
            );
            out.push_str(&palette.faint(wrap_words(&line, width, 2).trim_end()));
            out.push('\n');
        }
        out.push('\n');
        out.push_str(&render_stages(&self.totals));
        out.push_str(&render_stayed(&self.totals, width));
        let failed = self.failed.iter().map(|(error, count)| (error, *count));
        out.push_str(&render_reasons(failed, "failing", width));
        out.push_str(&render_plan_totals(&self.totals, width, palette));
        out
    }

    /// Renders the plans of all rows with their messages, and the line of the totals.
    fn render_details(mut self, width: usize, palette: Palette) -> String {
        if self.screen == PlanScreen::Details {
            self.keep_most_saved();
        }
        let details = self.rows.iter().map(|row| row.details.as_str());
        let totals = render_plan_totals(&self.totals, width, palette);
        details.chain([totals.as_str()]).collect()
    }

    /// Renders a row for each transcript. A narrow terminal gets fewer columns.
    fn render_rows(&self, width: usize, palette: Palette) -> String {
        let columns = match width {
            WIDE.. => 4,
            MIDDLING..WIDE => 3,
            _ => 2,
        };
        let cells: Vec<Vec<String>> = self
            .rows
            .iter()
            .map(|row| figure_cells(row).into_iter().take(columns).collect())
            .collect();
        let used: usize = (0..columns).map(|column| widest_cell(&cells, column) + 2).sum();
        let name_width = width.saturating_sub(used + 2).max(MIN_NAME_COLUMNS);
        let mut header: Vec<&str> = HEADER[..columns].to_vec();
        header.push("transcript");
        let mut table = plain_table(&header, header.len());
        for (row, mut cells) in self.rows.iter().zip(cells) {
            cells.push(single_line(&row.name, name_width));
            table.add_row(cells);
        }
        let text = trim_line_ends(&table.to_string());
        match text.split_once('\n') {
            Some((heading, rows)) => format!("{}\n{rows}", palette.faint(heading)),
            None => text,
        }
    }
}

/// Returns the figures of a row, those first that a narrow terminal keeps.
fn figure_cells(row: &PlanRow) -> [String; 4] {
    [
        format!("{:>6}", short_count(row.saved() as u64)),
        change_cell(row.tokens_before, row.tokens_after),
        change_cell(row.messages_before, row.messages_after),
        stage_cell(row),
    ]
}

/// Returns the columns that the widest cell of a column takes, its header included.
fn widest_cell(cells: &[Vec<String>], column: usize) -> usize {
    let widths = cells.iter().map(|row| row[column].chars().count());
    widths.max().unwrap_or(0).max(HEADER[column].len())
}

/// Renders a number before and after, or the number alone if it stays.
fn change_cell(before: usize, after: usize) -> String {
    if before == after {
        short_count(before as u64)
    } else {
        format!("{} -> {}", short_count(before as u64), short_count(after as u64))
    }
}

/// Renders the stages that apply, or why none does.
fn stage_cell(row: &PlanRow) -> String {
    match row.status {
        TranscriptStatus::Failed => "fails".to_owned(),
        TranscriptStatus::Unchanged => "unchanged".to_owned(),
        TranscriptStatus::Compacted => {
            let names: Vec<&str> = row.stages.iter().map(|stage| stage.name()).collect();
            names.join(" ")
        }
    }
}

/// Renders a row for each stage that would change something.
fn render_stages(totals: &RunTotals) -> String {
    if totals.stages.is_empty() {
        return String::new();
    }
    let mut table = plain_table(&["stage", "transcripts", "edits", "saves"], 1);
    for (stage, sums) in &totals.stages {
        table.add_row([
            stage.name().to_owned(),
            group_count(sums.transcripts),
            group_count(sums.edits),
            short_count(sums.tokens_saved.unsigned_abs()),
        ]);
    }
    format!("{}\n", trim_line_ends(&table.to_string()))
}

/// Renders the reasons of the transcripts that stay as they are, most frequent first.
pub(crate) fn render_stayed(totals: &RunTotals, width: usize) -> String {
    let stayed = totals.stayed.iter();
    let stayed = stayed.map(|(reason, stayed)| (reason.describe(*stayed), stayed.transcripts));
    render_reasons(stayed, "unchanged", width)
}

/// Renders reasons with the number of transcripts that they hold for, most frequent first. `fate` is
/// what becomes of those.
fn render_reasons(
    reasons: impl Iterator<Item = (impl Display, u64)>,
    fate: &str,
    width: usize,
) -> String {
    let mut reasons: Vec<(String, u64)> =
        reasons.map(|(reason, count)| (reason.to_string(), count)).collect();
    reasons.sort_by_key(|(_, count)| Reverse(*count));
    let others = reasons.iter().skip(MAX_REASONS);
    let others: u64 = others.map(|(_, count)| count).sum();
    let mut out = String::new();
    for (reason, count) in reasons.into_iter().take(MAX_REASONS) {
        let line = format!("{} {fate}: {reason}", group_count(count));
        out.push_str(&wrap_words(&line, width, 4));
    }
    if others > 0 {
        out.push_str(&format!("{} {fate} for other reasons\n", group_count(others)));
    }
    out
}

fn nothing_planned(totals: &RunTotals) -> bool {
    totals.transcripts == totals.failed && totals.messages_before == 0
}

/// Renders the line that says what all plans together would do.
pub(crate) fn render_plan_totals(totals: &RunTotals, width: usize, palette: Palette) -> String {
    if nothing_planned(totals) {
        return "no transcript could be planned\n".to_owned();
    }
    let summaries = totals.stages.get(&Stage::Summarize);
    let summaries = match summaries.map_or(0, |stage| stage.transcripts) {
        0 => String::new(),
        1 => ", with 1 summary".to_owned(),
        count => format!(", with {} summaries", group_count(count)),
    };
    let failed = match totals.failed {
        0 => String::new(),
        count => format!(", {} would fail", group_count(count)),
    };
    let over_limit = match totals.over_limit {
        0 => String::new(),
        count => format!("; {} would still exceed their limit", group_count(count)),
    };
    let counters: Vec<&str> = totals.counters.iter().copied().collect();
    let line = format!(
        "{}, {} would change{failed}: {} -> {} tokens by {} ({}){summaries}{over_limit}",
        count_nouns(totals.transcripts, "transcript"),
        group_count(totals.compacted),
        short_count(totals.tokens_before),
        short_count(totals.tokens_after),
        counters.join(" and "),
        percent_change(totals.tokens_before, totals.tokens_after),
    );
    let wrapped = wrap_words(&line, width, 4);
    let lines = wrapped.lines().map(|line| palette.strong(line) + "\n");
    lines.collect()
}
