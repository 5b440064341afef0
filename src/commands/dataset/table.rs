//! The table of a data set: its splits, and what was dropped.

use super::receiver::DatasetTotals;
use crate::dataset::DropReason;
use crate::reporting::report::numbers::{count_nouns, group_count};
use crate::reporting::report::terminal_text::{plain_table, render_fitting};
use crate::reporting::report::{RedactionCounts, SummaryUsageTotals, wrap_lines};

const HEADER: [&str; 7] = ["split", "files", "samples", "answers", "messages", "tokens", "longest"];

/// Renders the table, with a row for each split, and notes below it.
pub(super) fn render_dataset(totals: &DatasetTotals, width: usize) -> String {
    let mut table = plain_table(&HEADER, 1);
    for split in &totals.dataset.splits {
        table.add_row([
            split.split.clone(),
            group_count(split.files.len()),
            group_count(split.samples),
            group_count(split.answers),
            group_count(split.messages),
            group_count(split.tokens),
            group_count(split.longest),
        ]);
    }
    let mut out = render_fitting(&table, 1, width);
    if !totals.counter.is_empty() {
        out.push_str(&format!("counted by {}\n", totals.counter));
    }
    out.push_str(&render_notes(totals));
    for (reason, times) in &totals.dataset.dropped {
        out.push_str(&render_drop(*reason, *times));
    }
    if totals.dataset.shortened > 0 {
        out.push_str(&format!(
            "{} shortened: the last answers did not fit\n",
            count_nouns(totals.dataset.shortened, "sample")
        ));
    }
    wrap_lines(&out, width)
}

fn render_drop(reason: DropReason, times: u64) -> String {
    let dropped = count_nouns(times, reason.noun());
    format!("{dropped} dropped, {}: {}\n", reason.name(), reason.explanation())
}

/// Renders the line about the run: transcripts, compactions, failures, and the cost of summaries.
fn render_notes(totals: &DatasetTotals) -> String {
    let replay = &totals.replay;
    let mut notes = vec![count_nouns(replay.transcripts, "transcript")];
    let counts = [
        (replay.compactions, "compaction"),
        (replay.evicted, "evicted result"),
        (replay.failed_summaries, "failed summary call"),
        (replay.failed, "failed transcript"),
    ];
    notes.extend(
        counts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, noun)| count_nouns(count, noun)),
    );
    notes.extend(replay.asked.as_ref().map(SummaryUsageTotals::summary_line));
    notes.extend(replay.redacted.map(RedactionCounts::summary_line));
    format!("{}\n", notes.join(", "))
}
