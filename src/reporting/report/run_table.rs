//! The short tables at the end of a run, for a terminal: what it did, and what conversions left out
//! and changed.

use crate::reporting::report::conversions::{NoteKind, NoteKinds};
use crate::reporting::report::digest::{RunDigest, RunTotals};
use crate::reporting::report::numbers::{count_nouns, group_count, group_digits, percent_change};
use crate::reporting::report::plan_list::render_stayed;
use crate::reporting::report::terminal_text::{
    counters_line, plain_table, render_wrapping, trim_line_ends, wrap_words,
};

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

/// Renders the digest of a run that only converted, for a terminal of `width` columns.
pub(crate) fn render_conversion_table(digest: &RunDigest, width: usize) -> String {
    let mut out = render_conversions(digest, width);
    let failed = digest.totals.failed;
    if failed > 0 {
        out.push_str(&format!("{} failed\n", group_count(failed)));
    }
    out
}

/// Renders the number of conversions and their notes, or nothing if nothing was converted.
fn render_conversions(digest: &RunDigest, width: usize) -> String {
    let Some(totals) = &digest.totals.converted else {
        return String::new();
    };
    let mut out = format!(
        "{} converted to {}, {}\n",
        count_nouns(totals.transcripts, "transcript"),
        totals.to,
        count_nouns(totals.messages, "message")
    );
    out += &render_note_kinds("left out", &digest.conversions.left_out, width);
    out += &render_note_kinds("changed", &digest.conversions.changed, width);
    out
}

/// The kinds of notes with one reason that have rows of their own. More of them are one row.
const MAX_ROWS_PER_REASON: usize = 4;
/// The kinds that a row of several names.
const NAMED_KINDS: usize = 3;

/// Renders a table of the most frequent kinds of notes. Many kinds with the same reason, such as the
/// keys of a journal's envelope, are one row.
fn render_note_kinds(heading: &str, kinds: &NoteKinds, width: usize) -> String {
    let frequent = kinds.most_frequent();
    if frequent.is_empty() {
        return String::new();
    }
    let mut table = plain_table(&[heading, "times", "first", "why"], 4);
    let mut add_kind = |what: String, times: u64, kind: &NoteKind| {
        table.add_row([what, group_count(times), kind.first.clone(), kind.why.clone()]);
    };
    let (texts, others): (Vec<_>, Vec<_>) =
        frequent.into_iter().partition(|kind| kind.text_bytes > 0);
    for kind in texts {
        let size = group_count(kind.text_bytes);
        let what = format!("{} ({size} bytes of text)", kind.what);
        add_kind(what, kind.times, kind);
    }
    for group in group_by_reason(others) {
        if group.len() > MAX_ROWS_PER_REASON {
            let times = group.iter().map(|kind| kind.times).sum();
            add_kind(name_kinds(&group), times, group[0]);
            continue;
        }
        for kind in group {
            add_kind(kind.what.clone(), kind.times, kind);
        }
    }
    let mut out = render_wrapping(&mut table, width);
    let unlisted = kinds.unlisted_times();
    if unlisted > 0 {
        out.push_str(&format!("and {} of other kinds, see the report\n", group_count(unlisted)));
    }
    out
}

/// Groups kinds by their reason, in the order in which the reasons come up.
fn group_by_reason(kinds: Vec<&NoteKind>) -> Vec<Vec<&NoteKind>> {
    let mut groups: Vec<Vec<&NoteKind>> = Vec::new();
    for kind in kinds {
        match groups.iter_mut().find(|group| group[0].why == kind.why) {
            Some(group) => group.push(kind),
            None => groups.push(vec![kind]),
        }
    }
    groups
}

/// Names the first kinds of a group, and the number of the others.
fn name_kinds(group: &[&NoteKind]) -> String {
    let named: Vec<&str> = group.iter().take(NAMED_KINDS).map(|kind| kind.what.as_str()).collect();
    let others = group.len() - named.len();
    format!("{} and {others} other keys", named.join(", "))
}
