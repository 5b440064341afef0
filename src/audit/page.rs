//! The audited compactions as a page for a report file.

use crate::audit::measured::AuditedCompaction;
use crate::audit::rows::{AuditRows, SummaryWriter};
use crate::evaluation::figures::{metric_values, share_cell, sum_values};
use crate::foreign_text::shorten_value;
use crate::report::numbers::{count_nouns, group_count, percent_change};
use crate::report::page::{PagePart, PageText};
use crate::retention::{MetricScope, RetentionScores};

/// The title of the page.
pub(crate) const TITLE: &str = "Compactions of agents";

/// Lays out the page.
#[must_use]
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
    let [agent, extract] = SummaryWriter::ALL.map(|writer| rows.all_scores(writer));
    if !agent.is_empty() {
        parts.push(PagePart::Heading("What summaries kept"));
        parts.push(figures_table(&agent, &extract));
    }
    if !rows.compactions.is_empty() {
        parts.push(PagePart::Heading("Each compaction"));
    }
    parts.extend(rows.compactions.iter().flat_map(compaction_parts));
    parts.extend(rows.skipped.iter().map(|(place, why)| {
        PagePart::Line(vec![
            PageText::Quoted(place.clone()),
            PageText::Plain(" was not measured: ".to_owned()),
            PageText::Quoted(why.clone()),
        ])
    }));
    if !rows.without.is_empty() {
        parts.push(PagePart::Heading("Logs without a compaction"));
        let items = rows.without.iter().map(|(file, format)| {
            vec![
                PageText::Quoted(file.clone()),
                PageText::Plain(format!(" ({format})")),
            ]
        });
        parts.push(PagePart::List(items.collect()));
    }
    parts
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
            "compaction",
            "thread",
            "format",
            "messages replaced",
            "kept",
            "tokens before",
            "after",
            "change",
            "summary",
        ],
        rows.collect(),
    )
}

/// Returns the table of figures: one of the agents' summaries beside that of the embedded
/// summarizer.
fn figures_table(agent: &[&RetentionScores], extract: &[&RetentionScores]) -> PagePart {
    let measured = MetricScope::MEASURED.into_iter();
    let rows = measured.flat_map(MetricScope::metrics).map(|metric| {
        let agent = sum_values(&metric_values(agent, metric));
        let extract = sum_values(&metric_values(extract, metric));
        vec![
            PageText::Plain(metric.name.to_owned()),
            PageText::Plain(metric.scope.heading().to_owned()),
            PageText::Number(share_cell(agent)),
            PageText::Number(format!("{}/{}", agent.counts.kept, agent.counts.total)),
            PageText::Number(share_cell(extract)),
            PageText::Number(format!("{}/{}", extract.counts.kept, extract.counts.total)),
        ]
    });
    PagePart::Table(
        &["figure", "measured on", "agent", "kept", "extract", "kept"],
        rows.collect(),
    )
}

fn compaction_parts(compaction: &AuditedCompaction) -> Vec<PagePart> {
    let place = PageText::Quoted(compaction.place());
    let scores = match &compaction.outcome {
        Ok(scores) => scores,
        Err(error) => {
            return vec![PagePart::Line(vec![
                place,
                PageText::Plain(" was not measured: ".to_owned()),
                PageText::Quoted(error.clone()),
            ])];
        }
    };
    let lost = format!(
        ": {} of {} needed facts are lost.",
        group_count(scores.lost.len()),
        group_count(scores.agent.recall.total)
    );
    let mut parts = vec![
        PagePart::Line(vec![place, PageText::Plain(lost)]),
        figures_table(&[&scores.agent], &[&scores.extract]),
    ];
    if !scores.lost.is_empty() {
        let line = |line: Option<u64>| {
            PageText::Number(line.map_or_else(|| "-".to_owned(), |line| line.to_string()))
        };
        let rows = scores.lost.iter().map(|fact| {
            let kept = if fact.kept_by_extract {
                "keeps it"
            } else {
                "loses it"
            };
            vec![
                PageText::Quoted(fact.reference.clone()),
                PageText::Plain(format!("message {} ({})", fact.message, fact.role)),
                line(fact.line),
                line(fact.needed_on_line),
                PageText::Plain(kept.to_owned()),
            ]
        });
        parts.push(PagePart::Table(
            &["lost", "stood in", "line", "needed on line", "extract"],
            rows.collect(),
        ));
    }
    parts
}
