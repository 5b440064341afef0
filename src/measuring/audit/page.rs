//! The audited compactions as a page for a report file.

use crate::base::foreign_text::shorten_value;
use crate::measuring::audit::{measured::AuditedCompaction, rows::AuditRows};
use crate::reporting::report::numbers::{count_nouns, group_count, percent_change};
use crate::reporting::report::page_part::{PagePart, PageText};

pub(crate) const TITLE: &str = "Compactions of agents";

/// The headings of a table of figures.
const FIGURE_HEADINGS: [&str; 3] = ["figure", "agent", "extract"];

pub(crate) fn lay_out_audit(rows: &AuditRows) -> Vec<PagePart> {
    let mut parts = vec![
        PagePart::Line(vec![
            PageText::Strong(count_nouns(rows.compactions.len(), "compaction")),
            PageText::Plain(format!(
                " found; {} without any. Tokens are counted by {}.",
                count_nouns(rows.without.len(), "log"),
                Vec::from_iter(rows.counters()).join(", ")
            )),
        ]),
        sizes_table(&rows.compactions),
    ];
    let figures = rows.figure_table(false);
    if !figures.columns[0].sessions.is_empty() {
        parts.push(PagePart::Heading("What summaries kept"));
        parts.extend(figures.lay_out(&FIGURE_HEADINGS));
        parts.push(figures.lay_out_legend());
    }
    if !rows.compactions.is_empty() {
        parts.push(PagePart::Heading("Each compaction"));
    }
    parts.extend(rows.compactions.iter().flat_map(compaction_parts));
    parts.extend(rows.skipped.iter().map(|(place, why)| unmeasured(place.clone(), why)));
    if !rows.without.is_empty() {
        parts.push(PagePart::Heading("Logs without a compaction"));
        let items = rows.without.iter().map(|(file, format)| {
            vec![PageText::Quoted(file.clone()), PageText::Plain(format!(" ({format})"))]
        });
        parts.push(PagePart::List(items.collect()));
    }
    parts
}

fn unmeasured(place: String, why: &str) -> PagePart {
    let is_not = PageText::Plain(" was not measured: ".to_owned());
    PagePart::Line(vec![PageText::Quoted(place), is_not, PageText::Quoted(why.to_owned())])
}

fn sizes_table(compactions: &[AuditedCompaction]) -> PagePart {
    let rows = compactions.iter().map(|compaction| {
        let [before, after] = [compaction.tokens_before, compaction.tokens_after];
        vec![
            PageText::Quoted(compaction.place()),
            PageText::Quoted(shorten_value(&compaction.thread_id)),
            PageText::Plain(compaction.format.to_owned()),
            PageText::Number(group_count(compaction.summarized_messages)),
            PageText::Number(group_count(compaction.kept_messages)),
            PageText::Number(group_count(before)),
            PageText::Number(group_count(after)),
            PageText::Number(percent_change(before as u64, after as u64)),
            PageText::Number(group_count(compaction.summary_tokens)),
        ]
    });
    PagePart::Table(
        &[
            "compaction", "thread", "format", "messages replaced", "kept", "tokens before",
            "after", "change", "summary",
        ],
        rows.collect(),
    )
}

fn compaction_parts(compaction: &AuditedCompaction) -> Vec<PagePart> {
    let place = compaction.place();
    let scores = match &compaction.outcome {
        Ok(scores) => scores,
        Err(error) => return vec![unmeasured(place, error)],
    };
    let lost = format!(": {}.", scores.lost_line());
    let mut parts = vec![PagePart::Line(vec![PageText::Quoted(place), PageText::Plain(lost)])];
    parts.extend(scores.figure_table(false).lay_out(&FIGURE_HEADINGS));
    if !scores.lost.is_empty() {
        let line = |line: Option<u64>| {
            PageText::Number(line.map_or_else(|| "-".to_owned(), |line| line.to_string()))
        };
        let rows = scores.lost.iter().map(|fact| {
            vec![
                PageText::Quoted(fact.reference.clone()),
                PageText::Plain(format!("message {} ({})", fact.message, fact.role)),
                line(fact.line),
                line(fact.needed_on_line),
                PageText::Plain(fact.kept_by_extract_cell().to_owned()),
            ]
        });
        parts.push(PagePart::Table(
            &["lost", "was in", "line", "needed on line", "extract"],
            rows.collect(),
        ));
    }
    parts
}
