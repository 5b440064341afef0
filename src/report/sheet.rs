//! The digest laid out for a page: headings, lines and tables, spelled out by
//! each view in its own way.

use crate::report::table::{change, grouped};
use crate::report::{AskedTotals, Digest, Redacted};

/// A stretch of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
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
pub(super) enum Part {
    /// What follows is about this.
    Heading(&'static str),
    /// A paragraph.
    Line(Vec<Piece>),
    /// A table: its heads, and rows of as many pieces.
    Table(&'static [&'static str], Vec<Vec<Piece>>),
    /// Items, each a line.
    List(Vec<Vec<Piece>>),
}

/// The page of a digest.
#[must_use]
pub(super) fn lay_out(digest: &Digest) -> Vec<Part> {
    let totals = &digest.totals;
    let number = |value: u64| grouped(i64::try_from(value).unwrap_or(i64::MAX));
    let row = |name: &str, [before, after]: [u64; 2]| {
        vec![
            Piece::Plain(name.to_owned()),
            Piece::Number(number(before)),
            Piece::Number(number(after)),
            Piece::Number(change(before, after)),
        ]
    };
    let mut parts = Vec::from_iter(counted_by(digest));
    parts.extend([
        Part::Table(
            &["", "before", "after", "change"],
            vec![
                row("messages", [totals.messages_before, totals.messages_after]),
                row("tokens", [totals.tokens_before, totals.tokens_after]),
            ],
        ),
        Part::Line(vec![
            Piece::Plain(format!("{} transcripts: ", number(totals.transcripts))),
            Piece::Strong(format!("{} compacted", number(totals.compacted))),
            Piece::Plain(format!(
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
                grouped(stage.tokens_saved),
            ]
            .map(Piece::Number);
            std::iter::once(Piece::Plain(name.name().to_owned()))
                .chain(numbers)
                .collect()
        });
        parts.push(Part::Table(
            &["stage", "transcripts", "edits", "tokens saved"],
            rows.collect(),
        ));
    }
    if let Some((kept, of)) = totals
        .recall
        .map(|scores| (scores.recall.kept, scores.recall.of))
    {
        parts.push(Part::Line(vec![
            Piece::Plain("Summaries kept ".to_owned()),
            Piece::Strong(format!("{} of {}", number(kept), number(of))),
            Piece::Plain(" identifiers that later messages came back to.".to_owned()),
        ]));
    }
    let lines = [
        totals.asked.as_ref().map(AskedTotals::line),
        totals.redacted.map(Redacted::line),
    ];
    parts.extend(
        lines
            .into_iter()
            .flatten()
            .map(|line| Part::Line(vec![Piece::Plain(format!("{line}."))])),
    );
    if !digest.largest.is_empty() {
        parts.push(Part::Heading("Largest savings"));
        let several = digest.totals.counters.len() > 1;
        let rows = digest.largest.iter().map(|saving| {
            let [before, after] = saving.tokens.map(|tokens| tokens as u64);
            let numbers = [number(before), number(after), change(before, after)].map(Piece::Number);
            let names = [&saving.thread_id, &saving.place].map(|text| Piece::Quoted(text.clone()));
            let counter = several.then(|| Piece::Quoted(saving.counter.to_owned()));
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
        parts.push(Part::Table(heads, rows.collect()));
    }
    if !digest.failures.is_empty() {
        parts.push(Part::Heading("Failures"));
        let failures = digest.failures.iter().map(|(place, error)| {
            vec![
                Piece::Quoted(place.clone()),
                Piece::Plain(": ".to_owned()),
                Piece::Quoted(error.clone()),
            ]
        });
        let more = totals.failed.saturating_sub(digest.failures.len() as u64);
        let more = (more > 0).then(|| vec![Piece::Plain(format!("and {} more", number(more)))]);
        parts.push(Part::List(failures.chain(more).collect()));
    }
    parts
}

/// Who counted the tokens of the page, all of them by name; nothing where nothing was counted.
fn counted_by(digest: &Digest) -> Option<Part> {
    let mut names = digest
        .totals
        .counters
        .iter()
        .map(|name| Piece::Quoted((*name).to_owned()));
    let mut pieces = vec![
        Piece::Plain("Tokens are counted by ".to_owned()),
        names.next()?,
    ];
    pieces.extend(names.flat_map(|name| [Piece::Plain(", ".to_owned()), name]));
    let several = if digest.totals.counters.len() > 1 {
        ", each for its transcripts; sums add what they say"
    } else {
        ""
    };
    pieces.push(Piece::Plain(format!("{several}.")));
    Some(Part::Line(pieces))
}
