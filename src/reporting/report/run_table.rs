//! The short table at the end of a run, for a terminal.

use crate::reporting::report::conversion_table::render_conversions;
use crate::reporting::report::digest::RunDigest;
use crate::reporting::report::numbers::{count_nouns, group_count, group_digits, percent_change};
use crate::reporting::report::plan_list::render_stayed;
use crate::reporting::report::table::{counters_line, plain_table, trim_line_ends};
use crate::reporting::report::terminal_text::wrap_words;
use crate::reporting::report::totals::RunTotals;

/// Renders the digest of a run for a terminal of `width` columns. Tables of sentences have
/// `table_width`.
pub(crate) fn render_run_table(digest: &RunDigest, width: usize, table_width: usize) -> String {
    let totals = &digest.totals;
    if totals.transcripts == 0 {
        return "no transcript was read\n".to_owned();
    }
    let counts = format!(
        "{}: {} compacted, {} unchanged, {} failed",
        count_nouns(totals.transcripts, "transcript"),
        group_count(totals.compacted),
        group_count(totals.unchanged),
        group_count(totals.failed),
    );
    let mut out = wrap_words(&counts, width, 4);
    let before = (totals.messages_before, totals.tokens_before);
    if before != (totals.messages_after, totals.tokens_after) {
        out.push_str(&format!("{}\n", render_sums(totals)));
    } else if totals.messages_before > 0 {
        let messages = count_nouns(totals.messages_before, "message");
        let tokens = count_nouns(totals.tokens_before, "token");
        out.push_str(&format!("{messages} with {tokens}, all unchanged\n"));
    }
    if !totals.stages.is_empty() {
        out.push_str(&format!("{}\n", render_stages(totals)));
    }
    out.push_str(&render_stayed(totals, width));
    out.push_str(&counters_line(&totals.counters));
    let recall = totals.recall.map(|scores| scores.recall);
    if let Some(recall) = recall.filter(|recall| recall.total > 0) {
        let line = format!(
            "summaries kept {} of {} identifiers that later messages came back to",
            group_count(recall.kept),
            group_count(recall.total)
        );
        out.push_str(&wrap_words(&line, width, 4));
    }
    if let Some(asked) = &totals.asked {
        out.push_str(&wrap_words(&asked.summary_line(), width, 4));
    }
    if let Some(redacted) = totals.redacted {
        out.push_str(&wrap_words(&redacted.summary_line(), width, 4));
    }
    out.push_str(&render_conversions(digest, table_width));
    if totals.over_limit > 0 {
        out.push_str(&format!("{} still exceed their limit\n", group_count(totals.over_limit)));
    }
    trim_line_ends(&out)
}

/// Renders the messages and tokens before and after.
fn render_sums(totals: &RunTotals) -> String {
    let mut table = plain_table(&["", "before", "after", "saved", "change"], 1);
    let counts = [
        ("messages", totals.messages_before, totals.messages_after),
        ("tokens", totals.tokens_before, totals.tokens_after),
    ];
    for (name, before, after) in counts {
        let saved =
            i64::try_from(before).unwrap_or(i64::MAX) - i64::try_from(after).unwrap_or(i64::MAX);
        table.add_row([
            name.to_owned(),
            group_count(before),
            group_count(after),
            group_digits(saved),
            percent_change(before, after),
        ]);
    }
    table.to_string()
}

/// Renders a row for each stage that changed something.
fn render_stages(totals: &RunTotals) -> String {
    let mut table = plain_table(&["stage", "transcripts", "edits", "tokens saved"], 1);
    for (name, stage) in &totals.stages {
        table.add_row([
            name.name().to_owned(),
            group_count(stage.transcripts),
            group_count(stage.edits),
            group_digits(stage.tokens_saved),
        ]);
    }
    table.to_string()
}
