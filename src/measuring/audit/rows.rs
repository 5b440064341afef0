//! The audited compactions of a run, as a table and as JSON.

use crate::base::foreign_text::{harmless_json, harmless_line};
use crate::base::names::names;
use crate::measuring::audit::measured::{AuditScores, AuditedCompaction};
use crate::measuring::evaluation::gate::RetentionGate;
use crate::reporting::report::figures::{
    FigureColumn, FigureTable, figures_json, metric_values, sum_values,
};
use crate::reporting::report::numbers::{count_nouns, group_count, percent_change};
use crate::reporting::report::terminal_text::{counters_line, plain_table, render_fitting};
use crate::reporting::report::wrap_words;
use crate::reporting::retention::RetentionScores;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Version of the JSON's shape.
const VERSION: u32 = 1;
/// The lost facts of a compaction that the table names.
const MAX_NAMED: usize = 20;
/// Said below a short table.
const SHORT: &str = "--full shows all figures, with intervals, and each compaction";
/// Said where compactions were found, and none could be measured.
const NONE_MEASURED: &str = "nothing could be measured:";
/// Said where no log holds a compaction.
const NO_COMPACTION: &str = "no compaction was found";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SummaryWriter {
    Agent,
    /// The embedded summarizer.
    Extract,
}

names!(pub(crate) SummaryWriter::name: Agent "agent", Extract "extract");

impl SummaryWriter {
    /// Both, in the order of reports.
    pub(crate) const ALL: [Self; 2] = [Self::Agent, Self::Extract];

    /// Returns its column in a table of figures.
    pub(crate) fn column(self, sessions: Vec<&RetentionScores>) -> FigureColumn<'_> {
        FigureColumn { name: self.name().to_owned(), counts: Vec::new(), sessions }
    }

    /// Returns the scores of its summary.
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

impl AuditScores {
    pub(crate) fn figure_table(&self, is_full: bool) -> FigureTable<'_> {
        FigureTable {
            counts: &[],
            columns: SummaryWriter::ALL
                .map(|writer| writer.column(vec![writer.scores(self)]))
                .into(),
            is_full,
        }
    }

    /// Says how much of what was needed is lost.
    pub(crate) fn lost_line(&self) -> String {
        match (self.lost.len(), self.agent.recall.total) {
            (_, 0) => "nothing that the summary replaced was needed later".to_owned(),
            (0, needed) => format!("the summary kept all {} needed facts", group_count(needed)),
            (lost, needed) => {
                format!("{} of {} needed facts are lost", group_count(lost), group_count(needed))
            }
        }
    }
}

impl AuditedCompaction {
    /// Returns file and line.
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
        self.compactions.iter().map(|compaction| compaction.counter).collect()
    }

    /// Returns a complaint if the agents' summaries together do not pass a gate.
    pub(crate) fn complaint(&self, gate: &RetentionGate) -> Option<String> {
        let scores = self.all_scores(SummaryWriter::Agent);
        let value = sum_values(&metric_values(&scores, gate.metric));
        gate.complaint(SummaryWriter::Agent.name(), value, || {
            match (self.compactions.len(), scores.len()) {
                (0, _) => Ok(NO_COMPACTION.to_owned()),
                (all, 0) => {
                    Ok(format!("none of {} could be measured", count_nouns(all, "compaction")))
                }
                (_, measured) => Err(count_nouns(measured, "compaction")),
            }
        })
    }

    /// Renders the compactions for a terminal of `width` columns, with `is_full` with all figures.
    pub(crate) fn render_table(&self, width: usize, is_full: bool) -> String {
        let mut text = String::new();
        if !self.compactions.is_empty() {
            text += &self.render_sizes(width);
            text += &counters_line(&self.counters());
            text += &self.render_figures(width, is_full);
        }
        for compaction in &self.compactions {
            text += &render_outcome(compaction, width);
        }
        for (place, why) in &self.skipped {
            let line = format!("{}: not measured: {why}", harmless_line(place));
            text += &format!("\n{}", wrap_words(&harmless_line(&line), width, 4));
        }
        if self.compactions.is_empty() && self.skipped.is_empty() {
            text += &format!("{NO_COMPACTION}\n");
        }
        text + &self.render_without(width)
    }

    /// Renders the line that counts the logs without a compaction, by their formats.
    fn render_without(&self, width: usize) -> String {
        let line = match self.without.as_slice() {
            [] => return String::new(),
            [(file, format)] => {
                format!("no compaction in {} ({format})", harmless_line(file))
            }
            all => {
                let mut formats: BTreeMap<&str, usize> = BTreeMap::new();
                for (_, format) in all {
                    *formats.entry(format).or_default() += 1;
                }
                let formats = formats.iter();
                let formats: Vec<String> = formats
                    .map(|(format, count)| format!("{} {format}", group_count(*count)))
                    .collect();
                let logs = count_nouns(all.len(), "log");
                format!("no compaction in {logs}: {} (--json names them)", formats.join(", "))
            }
        };
        wrap_words(&line, width, 4)
    }

    fn render_sizes(&self, width: usize) -> String {
        let mut table = plain_table(
            &[
                "compaction", "format", "replaced", "kept", "tokens before", "after", "change",
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

    fn render_figures(&self, width: usize, is_full: bool) -> String {
        let table = self.figure_table(is_full);
        if table.columns[0].sessions.is_empty() {
            return format!("\n{NONE_MEASURED}\n");
        }
        let mut text = String::new();
        if is_full && self.compactions.len() > 1 {
            for compaction in &self.compactions {
                let Ok(scores) = &compaction.outcome else {
                    continue;
                };
                let table = scores.figure_table(is_full).render(width);
                text += &format!("\n{}:\n{table}", harmless_line(&compaction.place()));
            }
            text += "\nAll compactions:";
        }
        text += &format!("\n{}\n{}", table.render(width), table.render_legend(width));
        if !is_full {
            text += &wrap_words(SHORT, width, 0);
        }
        text
    }

    /// Returns the figures over all compactions.
    pub(crate) fn figure_table(&self, is_full: bool) -> FigureTable<'_> {
        FigureTable {
            counts: &[],
            columns: SummaryWriter::ALL.map(|writer| writer.column(self.all_scores(writer))).into(),
            is_full,
        }
    }

    /// Returns the lost facts as text for an agent to read, or `None` if nothing was lost.
    pub(crate) fn lost_text(&self) -> Option<String> {
        let texts = self.compactions.iter().filter_map(lost_lines);
        let texts: Vec<String> = texts.collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }

    /// Renders the compactions as a JSON object.
    ///
    /// # Errors
    /// Fails if they can't be spelled as JSON.
    pub(crate) fn render_json(&self) -> Result<String, serde_json::Error> {
        let compactions: Vec<Value> = self.compactions.iter().map(compaction_json).collect();
        let without =
            self.without.iter().map(|(file, format)| json!({ "file": file, "format": format }));
        let skipped = self.skipped.iter().map(|(place, why)| json!({ "place": place, "why": why }));
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

/// Returns the lost facts of a compaction as text to paste into its session.
fn lost_lines(compaction: &AuditedCompaction) -> Option<String> {
    let scores = compaction.outcome.as_ref().ok()?;
    scores.lost.first()?;
    let mut text = format!(
        "Facts from earlier in this session that its summary ({}) left out:\n",
        harmless_line(&compaction.place())
    );
    for fact in &scores.lost {
        let reference = harmless_line(&fact.reference);
        let context = harmless_line(&fact.context);
        text += &match context.as_ref() == reference {
            true => format!("- {reference}\n"),
            false => format!("- {reference}: {context}\n"),
        };
    }
    Some(text)
}

/// Renders what a compaction lost, or why it was not measured.
fn render_outcome(compaction: &AuditedCompaction, width: usize) -> String {
    let place = harmless_line(&compaction.place()).into_owned();
    let line = |what: &str| format!("\n{}", wrap_words(&format!("{place}: {what}"), width, 4));
    let scores = match &compaction.outcome {
        Ok(scores) => scores,
        Err(error) => return line(&format!("not measured: {}", harmless_line(error))),
    };
    let mut text = line(&scores.lost_line());
    if scores.lost.is_empty() {
        return text;
    }
    let mut table = plain_table(&["lost", "was in", "line", "needed on line", "extract"], 2);
    for fact in scores.lost.iter().take(MAX_NAMED) {
        let line = |line: Option<u64>| line.map_or_else(|| "-".to_owned(), |line| line.to_string());
        table.add_row([
            harmless_line(&fact.reference).into_owned(),
            format!("message {} ({})", fact.message, fact.role),
            line(fact.line),
            line(fact.needed_on_line),
            fact.kept_by_extract_cell().to_owned(),
        ]);
    }
    text += &render_fitting(&table, 1, width);
    let unnamed = scores.lost.len().saturating_sub(MAX_NAMED);
    if unnamed > 0 {
        text += &format!("and {unnamed} more (--json names all, --lost FILE writes them)\n");
    }
    text
}

fn compaction_json(compaction: &AuditedCompaction) -> Value {
    let mut value = json!(compaction);
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
