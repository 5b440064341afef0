//! The tables of what conversions left out and changed, for a terminal.

use crate::reporting::report::conversions::{NoteKind, NoteKinds};
use crate::reporting::report::digest::RunDigest;
use crate::reporting::report::numbers::{count_nouns, group_count};
use crate::reporting::report::table::{plain_table, render_wrapping};

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
pub(super) fn render_conversions(digest: &RunDigest, width: usize) -> String {
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
