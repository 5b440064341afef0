//! The tables of what conversions left out and changed, for a terminal.

use crate::report::conversions::NoteKinds;
use crate::report::digest::RunDigest;
use crate::report::numbers::group_count;
use crate::report::table::{plain_table, trim_line_ends};

/// Renders the digest of a run that only converted.
#[must_use]
pub(crate) fn render_conversion_table(digest: &RunDigest) -> String {
    let mut out = render_conversions(digest);
    let failed = digest.totals.failed;
    if failed > 0 {
        out.push_str(&format!("{} failed\n", group_count(failed)));
    }
    out
}

/// Renders the number of conversions and their notes, or nothing if nothing was converted.
pub(super) fn render_conversions(digest: &RunDigest) -> String {
    let Some(totals) = &digest.totals.converted else {
        return String::new();
    };
    let mut out = format!(
        "{} transcripts converted to {}, {} messages\n",
        group_count(totals.transcripts),
        totals.to,
        group_count(totals.messages)
    );
    push_note_kinds("left out", &digest.conversions.left_out, &mut out);
    push_note_kinds("changed", &digest.conversions.changed, &mut out);
    trim_line_ends(&out)
}

/// Appends a table of the most frequent kinds of notes.
fn push_note_kinds(heading: &str, kinds: &NoteKinds, out: &mut String) {
    let frequent = kinds.most_frequent();
    if frequent.is_empty() {
        return;
    }
    let mut table = plain_table(&[heading, "times", "first", "why"], 4);
    for kind in frequent {
        table.add_row([
            kind.what.clone(),
            group_count(kind.times),
            kind.first.clone(),
            kind.why.clone(),
        ]);
    }
    out.push_str(&format!("{table}\n"));
    let unlisted = kinds.unlisted_times();
    if unlisted > 0 {
        out.push_str(&format!(
            "and {} of other kinds, see the report\n",
            group_count(unlisted)
        ));
    }
}
