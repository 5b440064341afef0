//! The layout of a digest as a page of headings, paragraphs and tables.

use crate::base::foreign_text::shorten_value;
use crate::reporting::report::digest::{RunDigest, RunTotals, TranscriptSaving};
use crate::reporting::report::figures::{FigureColumn, FigureTable};
use crate::reporting::report::numbers::{count_nouns, group_count, group_digits, percent_change};
use crate::reporting::report::page_part::{PagePart, PageText};

pub(super) fn lay_out_page(digest: &RunDigest) -> Vec<PagePart> {
    let mut parts = lay_out_totals(digest);
    if !digest.largest.is_empty() {
        parts.push(PagePart::Heading("Largest savings"));
        let has_counters = digest.totals.counters.len() > 1;
        parts.push(savings_table(&digest.largest, has_counters));
    }
    parts.extend(failure_parts(digest));
    parts.extend(retention_parts(&digest.totals));
    parts
}

/// Lays out the first failures of a digest.
pub(super) fn failure_parts(digest: &RunDigest) -> Vec<PagePart> {
    if digest.failures.is_empty() {
        return Vec::new();
    }
    vec![PagePart::Heading("Failures"), failures_list(digest)]
}

pub(super) fn lay_out_totals(digest: &RunDigest) -> Vec<PagePart> {
    let totals = &digest.totals;
    let mut parts = Vec::from_iter(counters_paragraph(totals));
    parts.push(sums_table(totals));
    parts.push(status_paragraph(totals));
    if !totals.stages.is_empty() {
        parts.push(stages_table(totals));
    }
    let usage = totals.asked.as_ref().map(|asked| asked.summary_line());
    let redacted = totals.redacted.map(|redacted| redacted.summary_line());
    for line in [usage, redacted].into_iter().flatten() {
        parts.push(PagePart::Line(vec![PageText::Plain(format!("{line}."))]));
    }
    parts
}

/// Returns the paragraph that names the token counters, unless nothing was counted.
fn counters_paragraph(totals: &RunTotals) -> Option<PagePart> {
    let mut names = totals.counters.iter().map(|name| PageText::Quoted((*name).to_owned()));
    let mut texts = vec![PageText::Plain("Tokens are counted by ".to_owned()), names.next()?];
    texts.extend(names.flat_map(|name| [PageText::Plain(", ".to_owned()), name]));
    let note = if totals.counters.len() > 1 {
        ", each for its transcripts; sums add what they say"
    } else {
        ""
    };
    texts.push(PageText::Plain(format!("{note}.")));
    Some(PagePart::Line(texts))
}

/// Returns the table of messages and tokens before and after.
fn sums_table(totals: &RunTotals) -> PagePart {
    PagePart::Table(
        &["", "before", "after", "change"],
        vec![
            sums_row("messages", totals.messages_before, totals.messages_after),
            sums_row("tokens", totals.tokens_before, totals.tokens_after),
        ],
    )
}

fn sums_row(name: &str, before: u64, after: u64) -> Vec<PageText> {
    vec![
        PageText::Plain(name.to_owned()),
        PageText::Number(group_count(before)),
        PageText::Number(group_count(after)),
        PageText::Number(percent_change(before, after)),
    ]
}

/// Returns the paragraph that counts transcripts by status.
fn status_paragraph(totals: &RunTotals) -> PagePart {
    PagePart::Line(vec![
        PageText::Plain(format!("{}: ", count_nouns(totals.transcripts, "transcript"))),
        PageText::Strong(format!("{} compacted", group_count(totals.compacted))),
        PageText::Plain(format!(
            ", {} unchanged, {} failed, {} over their limit.",
            group_count(totals.unchanged),
            group_count(totals.failed),
            group_count(totals.over_limit)
        )),
    ])
}

/// Returns a table with a row for each stage that changed something.
fn stages_table(totals: &RunTotals) -> PagePart {
    let rows = totals.stages.iter().map(|(name, stage)| {
        vec![
            PageText::Plain(name.name().to_owned()),
            PageText::Number(group_count(stage.transcripts)),
            PageText::Number(group_count(stage.edits)),
            PageText::Number(group_digits(stage.tokens_saved)),
        ]
    });
    PagePart::Table(&["stage", "transcripts", "edits", "tokens saved"], rows.collect())
}

/// Returns the heading and the table of figures on summaries that were measured.
pub(super) fn retention_parts(totals: &RunTotals) -> Vec<PagePart> {
    let Some(scores) = &totals.recall else {
        return Vec::new();
    };
    let column = FigureColumn { name: String::new(), counts: Vec::new(), sessions: vec![scores] };
    let figures = FigureTable { counts: &[], columns: vec![column], is_full: false };
    let mut parts = vec![PagePart::Heading("What summaries kept")];
    parts.extend(figures.lay_out(&["figure", "share"]));
    parts.push(figures.lay_out_legend());
    parts
}

/// Returns the table of the largest savings. It names the counter if there is more than one.
fn savings_table(savings: &[TranscriptSaving], has_counters: bool) -> PagePart {
    let rows = savings.iter().map(|saving| {
        let [before, after] = saving.tokens.map(|tokens| tokens as u64);
        let mut row = vec![
            PageText::Quoted(shorten_value(&saving.thread_id)),
            PageText::Quoted(saving.place.clone()),
        ];
        if has_counters {
            row.push(PageText::Quoted(saving.counter.to_owned()));
        }
        row.push(PageText::Number(group_count(before)));
        row.push(PageText::Number(group_count(after)));
        row.push(PageText::Number(percent_change(before, after)));
        row
    });
    let headings: &[&str] = if has_counters {
        &["thread", "place", "counter", "tokens before", "after", "change"]
    } else {
        &["thread", "place", "tokens before", "after", "change"]
    };
    PagePart::Table(headings, rows.collect())
}

/// Returns the list of failures. Its last item counts those that are not named.
fn failures_list(digest: &RunDigest) -> PagePart {
    let mut items: Vec<Vec<PageText>> = digest
        .failures
        .iter()
        .map(|failure| {
            vec![
                PageText::Quoted(failure.place.clone()),
                PageText::Plain(": ".to_owned()),
                PageText::Quoted(failure.error.clone()),
            ]
        })
        .collect();
    let unnamed = digest.totals.failed.saturating_sub(digest.failures.len() as u64);
    if unnamed > 0 {
        let more = format!("and {} more", group_count(unnamed));
        items.push(vec![PageText::Plain(more)]);
    }
    PagePart::List(items)
}
