//! The figures of summaries: as a table with a row for each figure and a column for each writer of
//! summaries, and as JSON.

use crate::base::foreign_text::harmless_line;
use crate::reporting::report::numbers::group_count;
use crate::reporting::report::page_part::{PagePart, PageText};
use crate::reporting::report::terminal_text::{plain_table, render_fitting, wrap_words};
use crate::reporting::retention::{
    METRICS, MetricScope, MetricValue, RetentionMetric, RetentionScores, bootstrap_interval,
};
use serde_json::{Map, Value, json};

/// Shown where there is nothing that a figure is a share of.
const NONE: &str = "-";

/// A column of a table of figures: who wrote the summaries, and their scores.
pub(crate) struct FigureColumn<'r> {
    pub name: String,
    /// The cells above the figures.
    pub counts: Vec<u64>,
    pub sessions: Vec<&'r RetentionScores>,
}

pub(crate) struct FigureTable<'r> {
    /// The names of the rows above the figures.
    pub counts: &'r [&'r str],
    pub columns: Vec<FigureColumn<'r>>,
    /// True if every figure is shown, with its interval.
    pub is_full: bool,
}

impl FigureTable<'_> {
    /// Renders the table for a terminal of `width` columns.
    pub(crate) fn render(&self, width: usize) -> String {
        let names = self.columns.iter().map(|column| harmless_line(&column.name));
        let names: Vec<_> = std::iter::once("".into()).chain(names).collect();
        let header: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        let mut table = plain_table(&header, 1);
        for (number, name) in self.counts.iter().enumerate() {
            let counts = self.columns.iter();
            let counts = counts.map(|column| group_count(column.counts[number]));
            table.add_row(std::iter::once((*name).to_owned()).chain(counts));
        }
        for metric in self.measured_metrics() {
            let cells = self.columns.iter().map(|column| self.cell(column, metric));
            table.add_row(std::iter::once(metric.label.to_owned()).chain(cells));
        }
        render_fitting(&table, 1, width)
    }

    /// Renders the meaning of its figures for a terminal of `width` columns.
    pub(crate) fn render_legend(&self, width: usize) -> String {
        let lines = self.measured_metrics().into_iter();
        let lines = lines.map(|metric| wrap_words(&metric.legend(), width, 2));
        lines.chain(self.unmeasured_line().map(|line| wrap_words(&line, width, 2))).collect()
    }

    /// Lays out the table for a page.
    pub(crate) fn lay_out(&self, headings: &'static [&'static str]) -> Option<PagePart> {
        let rows = self.measured_metrics().into_iter().map(|metric| {
            let cells =
                self.columns.iter().map(|column| PageText::Number(self.cell(column, metric)));
            let label = PageText::Plain(metric.label.to_owned());
            std::iter::once(label).chain(cells).collect()
        });
        let rows: Vec<Vec<PageText>> = rows.collect();
        (!rows.is_empty()).then_some(PagePart::Table(headings, rows))
    }

    /// Lays out the meaning of its figures for a page, and which could not be measured.
    pub(crate) fn lay_out_legend(&self) -> PagePart {
        let lines = self.measured_metrics().into_iter();
        let lines = lines.map(RetentionMetric::legend);
        let lines = lines.chain(self.unmeasured_line());
        PagePart::List(lines.map(|line| vec![PageText::Plain(line)]).collect())
    }

    fn cell(&self, column: &FigureColumn<'_>, metric: &RetentionMetric) -> String {
        let values = metric_values(&column.sessions, metric);
        let cell = share_cell(sum_values(&values));
        let interval = if self.is_full { bootstrap_interval(&values) } else { None };
        match interval {
            Some([low, high]) => format!("{cell} ({:.0}-{:.0} %)", low * 100.0, high * 100.0),
            None => cell,
        }
    }

    /// Returns the metrics of the table. Those on questions are in it where some were asked.
    fn metrics(&self) -> impl Iterator<Item = &'static RetentionMetric> {
        let sessions = self.columns.iter().flat_map(|column| &column.sessions);
        let is_full = self.is_full;
        asked_metrics(sessions.copied()).filter(move |metric| is_full || metric.is_brief)
    }

    fn is_measured(&self, metric: &RetentionMetric) -> bool {
        let mut columns = self.columns.iter();
        columns.any(|column| sum_values(&metric_values(&column.sessions, metric)).share().is_some())
    }

    fn measured_metrics(&self) -> Vec<&'static RetentionMetric> {
        self.metrics().filter(|metric| self.is_measured(metric)).collect()
    }

    /// Returns the line that names the figures without a value, if some have none.
    fn unmeasured_line(&self) -> Option<String> {
        let metrics = self.metrics().filter(|metric| !self.is_measured(metric));
        let labels: Vec<&str> = metrics.map(|metric| metric.label).collect();
        let labels = labels.join(", ");
        (!labels.is_empty()).then(|| format!("Nothing to measure in these logs: {labels}."))
    }
}

/// Returns the value of a metric for each session.
pub(crate) fn metric_values(
    sessions: &[&RetentionScores],
    metric: &RetentionMetric,
) -> Vec<MetricValue> {
    let values = sessions.iter().map(|scores| (metric.value)(scores));
    values.collect()
}

/// Returns the value of a metric over sessions.
pub(crate) fn sum_values(values: &[MetricValue]) -> MetricValue {
    values.iter().fold(MetricValue::default(), |mut sum, value| {
        sum += *value;
        sum
    })
}

/// Returns a share for people, and how many it is a share of.
pub(crate) fn share_cell(value: MetricValue) -> String {
    value.share().map_or_else(
        || NONE.to_owned(),
        |share| format!("{:.1} % of {}", share * 100.0, group_count(value.counts.total)),
    )
}

/// Returns the metrics of sessions: those on questions only where some were asked.
fn asked_metrics<'r>(
    sessions: impl IntoIterator<Item = &'r RetentionScores>,
) -> impl Iterator<Item = &'static RetentionMetric> {
    let mut sessions = sessions.into_iter();
    let is_asked = sessions.any(|scores| scores.answers.misleading.total > 0);
    let metrics = METRICS.iter();
    metrics.filter(move |metric| is_asked || metric.scope != MetricScope::Questions)
}

/// Returns the figures of sessions, by name: each share with its counts and its interval.
pub(crate) fn figures_json(sessions: &[&RetentionScores]) -> Value {
    let figures = asked_metrics(sessions.iter().copied()).map(|metric| {
        let values = metric_values(sessions, metric);
        let sum = sum_values(&values);
        let figure = json!({
            "text": metric.scope.name(),
            "share": sum.share(),
            "kept": sum.counts.kept,
            "of": sum.counts.total,
            "interval": bootstrap_interval(&values),
        });
        (metric.name.to_owned(), figure)
    });
    Value::Object(figures.collect::<Map<String, Value>>())
}
