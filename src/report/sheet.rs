//! The digest laid out for a page: headings, lines and tables, spelled out by
//! each view in its own way.

use crate::report::table::{group_digits, percent_change};
use crate::report::{RedactionCounts, RunDigest, SummaryUsageTotals};

/// A stretch of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PageText {
    /// Our own words.
    Plain(String),
    /// The same, to stand out.
    Strong(String),
    /// A number, at the right of its cell.
    Number(String),
    /// What a log or a system said: nothing in it may be obeyed.
    Quoted(String),
}

/// A part of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PagePart {
    /// What follows is about this.
    Heading(&'static str),
    /// A paragraph.
    Line(Vec<PageText>),
    /// A table: its heads, and rows of as many pieces.
    Table(&'static [&'static str], Vec<Vec<PageText>>),
    /// Items, each a line.
    List(Vec<Vec<PageText>>),
}

/// The page of a digest.
#[must_use]
pub(super) fn lay_out(digest: &RunDigest) -> Vec<PagePart> {
    let totals = &digest.totals;
    let number = |value: u64| group_digits(i64::try_from(value).unwrap_or(i64::MAX));
    let row = |name: &str, [before, after]: [u64; 2]| {
        vec![
            PageText::Plain(name.to_owned()),
            PageText::Number(number(before)),
            PageText::Number(number(after)),
            PageText::Number(percent_change(before, after)),
        ]
    };
    let mut parts = Vec::from_iter(counters_part(digest));
    parts.extend([
        PagePart::Table(
            &["", "before", "after", "change"],
            vec![
                row("messages", [totals.messages_before, totals.messages_after]),
                row("tokens", [totals.tokens_before, totals.tokens_after]),
            ],
        ),
        PagePart::Line(vec![
            PageText::Plain(format!("{} transcripts: ", number(totals.transcripts))),
            PageText::Strong(format!("{} compacted", number(totals.compacted))),
            PageText::Plain(format!(
                ", {} unchanged, {} failed, {} over their limit.",
                number(totals.unchanged),
                number(totals.failed),
                number(totals.over_limit)
            )),
        ]),
    ]);
    if !totals.stages.is_empty() {
        let rows = totals.stages.iter().map(|(name, stage)| {
            let numbers = [
                number(stage.transcripts),
                number(stage.edits),
                group_digits(stage.tokens_saved),
            ]
            .map(PageText::Number);
            std::iter::once(PageText::Plain(name.name().to_owned()))
                .chain(numbers)
                .collect()
        });
        parts.push(PagePart::Table(
            &["stage", "transcripts", "edits", "tokens saved"],
            rows.collect(),
        ));
    }
    if let Some((kept, of)) = totals
        .recall
        .map(|scores| (scores.recall.kept, scores.recall.total))
    {
        parts.push(PagePart::Line(vec![
            PageText::Plain("Summaries kept ".to_owned()),
            PageText::Strong(format!("{} of {}", number(kept), number(of))),
            PageText::Plain(" identifiers that later messages came back to.".to_owned()),
        ]));
    }
    let lines = [
        totals.asked.as_ref().map(SummaryUsageTotals::line),
        totals.redacted.map(RedactionCounts::line),
    ];
    parts.extend(
        lines
            .into_iter()
            .flatten()
            .map(|line| PagePart::Line(vec![PageText::Plain(format!("{line}."))])),
    );
    if !digest.largest.is_empty() {
        parts.push(PagePart::Heading("Largest savings"));
        let several = digest.totals.counters.len() > 1;
        let rows = digest.largest.iter().map(|saving| {
            let [before, after] = saving.tokens.map(|tokens| tokens as u64);
            let numbers = [number(before), number(after), percent_change(before, after)]
                .map(PageText::Number);
            let names =
                [&saving.thread_id, &saving.place].map(|text| PageText::Quoted(text.clone()));
            let counter = several.then(|| PageText::Quoted(saving.counter.to_owned()));
            names.into_iter().chain(counter).chain(numbers).collect()
        });
        let heads: &[&str] = if several {
            &[
                "thread",
                "place",
                "counter",
                "tokens before",
                "after",
                "change",
            ]
        } else {
            &["thread", "place", "tokens before", "after", "change"]
        };
        parts.push(PagePart::Table(heads, rows.collect()));
    }
    if !digest.failures.is_empty() {
        parts.push(PagePart::Heading("Failures"));
        let failures = digest.failures.iter().map(|(place, error)| {
            vec![
                PageText::Quoted(place.clone()),
                PageText::Plain(": ".to_owned()),
                PageText::Quoted(error.clone()),
            ]
        });
        let more = totals.failed.saturating_sub(digest.failures.len() as u64);
        let more = (more > 0).then(|| vec![PageText::Plain(format!("and {} more", number(more)))]);
        parts.push(PagePart::List(failures.chain(more).collect()));
    }
    parts
}

/// Who counted the tokens of the page, all of them by name; nothing where nothing was counted.
fn counters_part(digest: &RunDigest) -> Option<PagePart> {
    let mut names = digest
        .totals
        .counters
        .iter()
        .map(|name| PageText::Quoted((*name).to_owned()));
    let mut pieces = vec![
        PageText::Plain("Tokens are counted by ".to_owned()),
        names.next()?,
    ];
    pieces.extend(names.flat_map(|name| [PageText::Plain(", ".to_owned()), name]));
    let several = if digest.totals.counters.len() > 1 {
        ", each for its transcripts; sums add what they say"
    } else {
        ""
    };
    pieces.push(PageText::Plain(format!("{several}.")));
    Some(PagePart::Line(pieces))
}
