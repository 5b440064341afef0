//! The audited compactions of a run, as a table and as JSON.

use crate::audit::measured::{AuditScores, AuditedCompaction};
use crate::evaluation::figures::{
    FigureRow, figures_json, metric_values, render_figure_tables, sum_values,
};
use crate::evaluation::gate::RetentionGate;
use crate::foreign_text::{harmless_json, harmless_line};
use crate::report::numbers::{group_count, percent_change};
use crate::report::table::{counters_line, plain_table, render_fitting, trim_line_ends};
use crate::retention::RetentionScores;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Version of the JSON's shape.
const VERSION: u32 = 1;
/// The lost facts of a compaction that the table names.
const MAX_NAMED: usize = 20;
/// Said where no log holds a compaction.
const NO_COMPACTION: &str = "no compaction was found";

/// The writer of a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SummaryWriter {
    /// The agent.
    Agent,
    /// The embedded summarizer.
    Extract,
}

impl SummaryWriter {
    /// Both, in the order of reports.
    pub(crate) const ALL: [Self; 2] = [Self::Agent, Self::Extract];

    /// Returns the name in reports.
    #[must_use]
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Extract => "extract",
        }
    }

    /// Returns the scores of its summary.
    #[must_use]
    pub(crate) fn scores(self, scores: &AuditScores) -> &RetentionScores {
        match self {
            Self::Agent => &scores.agent,
            Self::Extract => &scores.extract,
        }
    }
}

/// The audited compactions of a run.
#[derive(Debug, Default)]
pub(crate) struct AuditRows {
    /// The compactions, in input order.
    pub compactions: Vec<AuditedCompaction>,
    /// The places of compactions that say nothing, and why.
    pub skipped: Vec<(String, String)>,
    /// The names of the files without a compaction, and their formats.
    pub without: Vec<(String, &'static str)>,
}

impl AuditedCompaction {
    /// Returns file and line.
    #[must_use]
    pub(crate) fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }
}

impl AuditRows {
    /// Returns the scores of all compactions that were measured.
    pub(crate) fn all_scores(&self, writer: SummaryWriter) -> Vec<&RetentionScores> {
        let outcomes = self.compactions.iter();
        outcomes
            .filter_map(|compaction| compaction.outcome.as_ref().ok())
            .map(|scores| writer.scores(scores))
            .collect()
    }

    /// Returns the names of the token counters.
    pub(crate) fn counters(&self) -> BTreeSet<&'static str> {
        self.compactions
            .iter()
            .map(|compaction| compaction.counter)
            .collect()
    }

    /// Returns a complaint if the agents' summaries together do not pass a gate.
    pub(crate) fn complaint(&self, gate: &RetentionGate) -> Option<String> {
        let scores = self.all_scores(SummaryWriter::Agent);
        let value = sum_values(&metric_values(&scores, gate.metric));
        gate.complaint(SummaryWriter::Agent.name(), value, || {
            match (self.compactions.len(), scores.len()) {
                (0, _) => Ok(NO_COMPACTION.to_owned()),
                (all, 0) => Ok(format!("none of {all} compactions could be measured")),
                (_, measured) => Err(format!("{measured} compactions")),
            }
        })
    }

    /// Renders the compactions for a terminal of `width` columns.
    #[must_use]
    pub(crate) fn render_table(&self, width: usize) -> String {
        let mut text = String::new();
        if !self.compactions.is_empty() {
            text += &self.render_sizes(width);
            text += &format!("\n{}", self.render_figures(width));
            text += &counters_line(&self.counters());
        }
        for compaction in &self.compactions {
            text += &render_outcome(compaction);
        }
        for (place, why) in &self.skipped {
            text += &format!(
                "\n{}: not measured: {}\n",
                harmless_line(place),
                harmless_line(why)
            );
        }
        if self.compactions.is_empty() && self.skipped.is_empty() {
            text += &format!("{NO_COMPACTION}\n");
        }
        for (file, format) in &self.without {
            text += &format!(
                "{}: no compaction in this log ({format})\n",
                harmless_line(file)
            );
        }
        text
    }

    fn render_sizes(&self, width: usize) -> String {
        let mut table = plain_table(
            &[
                "compaction",
                "format",
                "replaced",
                "kept",
                "tokens before",
                "after",
                "change",
                "summary",
            ],
            2,
        );
        for compaction in &self.compactions {
            let [before, after] = [compaction.tokens_before, compaction.tokens_after];
            table.add_row([
                harmless_line(&compaction.place()).into_owned(),
                compaction.format.to_owned(),
                group_count(compaction.summarized_messages),
                group_count(compaction.kept_messages),
                group_count(before),
                group_count(after),
                percent_change(before as u64, after as u64),
                group_count(compaction.summary_tokens),
            ]);
        }
        render_fitting(&table, 2, width)
    }

    fn render_figures(&self, width: usize) -> String {
        let mut rows = Vec::new();
        for compaction in &self.compactions {
            let Ok(scores) = &compaction.outcome else {
                continue;
            };
            rows.extend(SummaryWriter::ALL.map(|writer| FigureRow {
                cells: vec![
                    harmless_line(&compaction.place()).into_owned(),
                    writer.name().to_owned(),
                ],
                sessions: vec![writer.scores(scores)],
            }));
        }
        if rows.len() > SummaryWriter::ALL.len() {
            rows.extend(SummaryWriter::ALL.map(|writer| FigureRow {
                cells: vec!["all".to_owned(), writer.name().to_owned()],
                sessions: self.all_scores(writer),
            }));
        }
        render_figure_tables(&["compaction", "summary by"], 2, &rows, width)
    }

    /// Renders the compactions as a JSON object.
    ///
    /// # Errors
    /// Fails if they can't be spelled as JSON.
    pub(crate) fn render_json(&self) -> Result<String, serde_json::Error> {
        let compactions: Vec<Value> = self.compactions.iter().map(compaction_json).collect();
        let without = self
            .without
            .iter()
            .map(|(file, format)| json!({ "file": file, "format": format }));
        let skipped = self
            .skipped
            .iter()
            .map(|(place, why)| json!({ "place": place, "why": why }));
        let [agent, extract] = SummaryWriter::ALL.map(|writer| self.all_scores(writer));
        let value = json!({
            "version": VERSION,
            "compactions": compactions,
            "skipped": skipped.collect::<Vec<Value>>(),
            "without_compaction": without.collect::<Vec<Value>>(),
            "totals": {
                "compactions": self.compactions.len(),
                "measured": agent.len(),
                "tokens_before": sum(self, |compaction| compaction.tokens_before),
                "tokens_after": sum(self, |compaction| compaction.tokens_after),
                "counters": self.counters(),
                "agent": figures_json(&agent),
                "extract": figures_json(&extract),
            },
        });
        Ok(harmless_json(serde_json::to_string_pretty(&value)? + "\n"))
    }
}

fn sum(rows: &AuditRows, tokens: fn(&AuditedCompaction) -> usize) -> usize {
    rows.compactions.iter().map(tokens).sum()
}

/// Renders what a compaction lost, or why it was not measured.
fn render_outcome(compaction: &AuditedCompaction) -> String {
    let place = harmless_line(&compaction.place()).into_owned();
    let scores = match &compaction.outcome {
        Ok(scores) => scores,
        Err(error) => return format!("\n{place}: not measured: {}\n", harmless_line(error)),
    };
    if scores.lost.is_empty() {
        return format!("\n{place}: the summary kept all that was needed later\n");
    }
    let needed = scores.agent.recall.total;
    let mut text = format!(
        "\n{place}: {} of {} needed facts are lost\n",
        group_count(scores.lost.len()),
        group_count(needed)
    );
    let mut table = plain_table(
        &["lost", "stood in", "line", "needed on line", "extract"],
        2,
    );
    for fact in scores.lost.iter().take(MAX_NAMED) {
        let line = |line: Option<u64>| line.map_or_else(|| "-".to_owned(), |line| line.to_string());
        let kept = if fact.kept_by_extract {
            "keeps it"
        } else {
            "loses it"
        };
        table.add_row([
            harmless_line(&fact.reference).into_owned(),
            format!("message {} ({})", fact.message, fact.role),
            line(fact.line),
            line(fact.needed_on_line),
            kept.to_owned(),
        ]);
    }
    text += &trim_line_ends(&table.to_string());
    let unnamed = scores.lost.len().saturating_sub(MAX_NAMED);
    if unnamed > 0 {
        text += &format!("and {unnamed} more (--json names all)\n");
    }
    text
}

fn compaction_json(compaction: &AuditedCompaction) -> Value {
    let mut value = json!({
        "file": compaction.file,
        "line": compaction.line,
        "thread_id": compaction.thread_id,
        "format": compaction.format,
        "counter": compaction.counter,
        "tokens_before": compaction.tokens_before,
        "tokens_after": compaction.tokens_after,
        "summary_tokens": compaction.summary_tokens,
        "summarized_messages": compaction.summarized_messages,
        "kept_messages": compaction.kept_messages,
    });
    match &compaction.outcome {
        Ok(scores) => {
            value["agent"] = figures_json(&[&scores.agent]);
            value["extract"] = figures_json(&[&scores.extract]);
            value["lost"] = json!(scores.lost);
        }
        Err(error) => value["not_measured"] = json!(error),
    }
    value
}
