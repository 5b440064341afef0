//! The digest as Markdown, fit for a CI job summary.

use crate::report::table::{change, grouped};
use crate::report::{AskedTotals, Digest, Redacted};
use std::fmt::Write;

/// The whole digest.
#[must_use]
pub fn render(digest: &Digest) -> String {
    let totals = &digest.totals;
    let number = |value: u64| grouped(i64::try_from(value).unwrap_or(i64::MAX));
    let mut out = String::from("## Transcript compaction\n\n| | before | after | change |\n|---|---:|---:|---:|\n");
    let rows = [("messages", totals.messages_before, totals.messages_after), ("tokens", totals.tokens_before, totals.tokens_after)];
    // Writing to a String can't fail.
    for (name, before, after) in rows {
        let _ = writeln!(out, "| {name} | {} | {} | {} |", number(before), number(after), change(before, after));
    }
    let _ = writeln!(
        out,
        "\n{} transcripts: **{} compacted**, {} unchanged, {} failed, {} over their limit.",
        number(totals.transcripts),
        number(totals.compacted),
        number(totals.unchanged),
        number(totals.failed),
        number(totals.over_limit)
    );
    if !totals.stages.is_empty() {
        out.push_str("\n| stage | transcripts | edits | tokens saved |\n|---|---:|---:|---:|\n");
        for (name, stage) in &totals.stages {
            let name = name.name();
            let _ = writeln!(out, "| {name} | {} | {} | {} |", number(stage.transcripts), number(stage.edits), grouped(stage.tokens_saved));
        }
    }
    if let Some((kept, of)) = totals.recall.map(|scores| (scores.recall.kept, scores.recall.of)) {
        let _ = writeln!(out, "\nSummaries kept **{} of {}** identifiers that later messages came back to.", number(kept), number(of));
    }
    for line in [totals.asked.as_ref().map(AskedTotals::line), totals.redacted.map(Redacted::line)].into_iter().flatten() {
        let _ = writeln!(out, "\n{line}.");
    }
    if !digest.largest.is_empty() {
        out.push_str("\n### Largest savings\n\n| thread | place | tokens before | after | change |\n|---|---|---:|---:|---:|\n");
        for saving in &digest.largest {
            let [before, after] = saving.tokens.map(|tokens| tokens as u64);
            let (thread, place) = (cell(&saving.thread_id), cell(&saving.place));
            let _ = writeln!(out, "| {thread} | {place} | {} | {} | {} |", number(before), number(after), change(before, after));
        }
    }
    if !digest.failures.is_empty() {
        out.push_str("\n### Failures\n\n");
        for (place, error) in &digest.failures {
            let _ = writeln!(out, "- {}: {}", cell(place), cell(error));
        }
        if totals.failed as usize > digest.failures.len() {
            let _ = writeln!(out, "- and {} more", totals.failed as usize - digest.failures.len());
        }
    }
    out
}

/// Text from a log as code that can't break out of its cell.
fn cell(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() || c == '`' { ' ' } else { c }).collect();
    format!("`{}`", text.replace('|', "\\|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_a_log_stays_in_its_cell() {
        assert_eq!(cell("a|b`c\n| x"), "`a\\|b c \\| x`");
    }
}
