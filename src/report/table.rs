//! The short table at the end of a run, for a terminal.

use crate::report::RunDigest;
use comfy_table::{CellAlignment, Table, presets};

/// A number as people read it: `12,345`.
#[must_use]
pub fn group_digits(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if number < 0 { format!("-{out}") } else { out }
}

/// A share as people read it: `-75.3 %`, of what was before.
#[must_use]
pub fn percent_change(before: u64, after: u64) -> String {
    if before == 0 {
        return "0.0 %".to_owned();
    }
    #[expect(clippy::cast_precision_loss)]
    let percent = (after as f64 - before as f64) / before as f64 * 100.0;
    if percent == 0.0 {
        "0.0 %".to_owned()
    } else {
        format!("{percent:+.1} %")
    }
}

/// A table in the style of all ours: no frame, numbers to the right.
#[must_use]
pub fn plain_table(header: &[&str], numeric_from: usize) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_header(header.iter().copied());
    for index in numeric_from..header.len() {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// Who counted the tokens of a table, as a line below it.
#[must_use]
pub fn counters_line<'c>(counters: impl IntoIterator<Item = &'c &'c str>) -> String {
    let names: Vec<&str> = counters.into_iter().copied().collect();
    if names.is_empty() {
        String::new()
    } else {
        format!("counted by {}\n", names.join(", "))
    }
}

/// The digest of a run that only converted.
#[must_use]
pub fn render_conversion_table(digest: &RunDigest) -> String {
    let number = |value: u64| group_digits(i64::try_from(value).unwrap_or(i64::MAX));
    let failed = digest.totals.failed;
    conversions(digest)
        + &if failed > 0 {
            format!("{} failed\n", number(failed))
        } else {
            String::new()
        }
}

/// What left in another format, and what that cost.
fn conversions(digest: &RunDigest) -> String {
    let Some(totals) = &digest.totals.converted else {
        return String::new();
    };
    let number = |value: u64| group_digits(i64::try_from(value).unwrap_or(i64::MAX));
    let mut out = format!(
        "{} transcripts converted to {}, {} messages\n",
        number(totals.transcripts),
        totals.to,
        number(totals.messages)
    );
    let conversions = &digest.conversions;
    for (kinds, heading) in [
        (&conversions.left_out, "left out"),
        (&conversions.changed, "changed"),
    ] {
        if kinds.named().is_empty() {
            continue;
        }
        let mut table = plain_table(&[heading, "times", "first", "why"], 4);
        for kind in kinds.named() {
            table.add_row([
                kind.what.clone(),
                number(kind.times),
                kind.first.clone(),
                kind.why.clone(),
            ]);
        }
        out.push_str(&format!("{table}\n"));
        if kinds.unnamed() > 0 {
            out.push_str(&format!(
                "and {} of other kinds, see the report\n",
                number(kinds.unnamed())
            ));
        }
    }
    out.lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

/// The whole digest.
#[must_use]
pub fn render_run_table(digest: &RunDigest) -> String {
    let totals = &digest.totals;
    let number = |value: u64| group_digits(i64::try_from(value).unwrap_or(i64::MAX));
    let mut sums = plain_table(&["", "before", "after", "saved", "change"], 1);
    let counts = [
        ("messages", totals.messages_before, totals.messages_after),
        ("tokens", totals.tokens_before, totals.tokens_after),
    ];
    for (name, before, after) in counts {
        let saved =
            i64::try_from(before).unwrap_or(i64::MAX) - i64::try_from(after).unwrap_or(i64::MAX);
        sums.add_row([
            name.to_owned(),
            number(before),
            number(after),
            group_digits(saved),
            percent_change(before, after),
        ]);
    }
    let mut out = format!(
        "{} transcripts: {} compacted, {} unchanged, {} failed\n{sums}\n",
        number(totals.transcripts),
        number(totals.compacted),
        number(totals.unchanged),
        number(totals.failed)
    );
    if !totals.stages.is_empty() {
        let mut stages = plain_table(&["stage", "transcripts", "edits", "tokens saved"], 1);
        for (name, stage) in &totals.stages {
            stages.add_row([
                name.name().to_owned(),
                number(stage.transcripts),
                number(stage.edits),
                group_digits(stage.tokens_saved),
            ]);
        }
        out.push_str(&format!("{stages}\n"));
    }
    out.push_str(&counters_line(&totals.counters));
    if let Some(recall) = totals.recall.map(|scores| scores.recall) {
        out.push_str(&format!(
            "summaries kept {} of {} identifiers that later messages came back to\n",
            number(recall.kept),
            number(recall.total)
        ));
    }
    if let Some(asked) = &totals.asked {
        out.push_str(&format!("{}\n", asked.line()));
    }
    if let Some(redacted) = totals.redacted {
        out.push_str(&format!("{}\n", redacted.line()));
    }
    out.push_str(&conversions(digest));
    if totals.over_limit > 0 {
        out.push_str(&format!(
            "{} still exceed their limit\n",
            number(totals.over_limit)
        ));
    }
    out.lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(
            [
                group_digits(0),
                group_digits(999),
                group_digits(-1000),
                group_digits(1_234_567)
            ],
            ["0", "999", "-1,000", "1,234,567"]
        );
        assert_eq!(
            [
                percent_change(0, 5),
                percent_change(200, 50),
                percent_change(3, 3)
            ],
            ["0.0 %", "-75.0 %", "0.0 %"]
        );
    }
}
