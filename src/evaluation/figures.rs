//! The figures of summaries as tables and as JSON. A table shows what they look at: the summary
//! with the messages beside it, or the summary alone.

use crate::report::table::{plain_table, render_fitting};
use crate::retention::{
    MetricScope, MetricValue, RetentionMetric, RetentionScores, bootstrap_interval,
};
use comfy_table::Table;
use serde_json::{Map, Value, json};

/// The figures that are shown with their interval.
const WITH_INTERVAL: [&str; 2] = ["recall", "answered"];

/// A row of a table of figures: the cells before them, and the scores of each session.
pub(crate) struct FigureRow<'r> {
    /// The cells before the figures.
    pub cells: Vec<String>,
    /// The scores, by session.
    pub sessions: Vec<&'r RetentionScores>,
}

impl FigureRow<'_> {
    fn values(&self, metric: &RetentionMetric) -> Vec<MetricValue> {
        metric_values(&self.sessions, metric)
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
    values
        .iter()
        .fold(MetricValue::default(), |mut sum, value| {
            sum += *value;
            sum
        })
}

/// Renders the figures of rows as a table for each scope. `leading` are the headings of the cells
/// before the figures; those from `numeric_from` on are numbers.
pub(crate) fn render_figure_tables(
    leading: &[&str],
    numeric_from: usize,
    rows: &[FigureRow<'_>],
    width: usize,
) -> String {
    let sessions = rows.iter().flat_map(|row| row.sessions.iter().copied());
    let tables = scopes(sessions).map(|scope| {
        let table = figure_table(scope, leading, numeric_from, rows);
        let table = render_fitting(&table, numeric_from, width);
        format!("{}:\n{table}", scope.heading())
    });
    tables.collect::<Vec<_>>().join("\n")
}

/// Returns the scopes of sessions: questions are one only where some were asked.
fn scopes<'r>(
    sessions: impl IntoIterator<Item = &'r RetentionScores>,
) -> impl Iterator<Item = MetricScope> {
    let mut sessions = sessions.into_iter();
    let is_asked = sessions.any(|scores| scores.answers.misleading.total > 0);
    let questions = is_asked.then_some(MetricScope::Questions);
    MetricScope::MEASURED.into_iter().chain(questions)
}

fn figure_table(
    scope: MetricScope,
    leading: &[&str],
    numeric_from: usize,
    rows: &[FigureRow<'_>],
) -> Table {
    let mut header = leading.to_vec();
    for metric in scope.metrics() {
        header.push(metric.name);
        header.extend(WITH_INTERVAL.contains(&metric.name).then_some("95 %"));
    }
    let mut table = plain_table(&header, numeric_from);
    for row in rows {
        let mut cells = row.cells.clone();
        for metric in scope.metrics() {
            let values = row.values(metric);
            cells.push(share_cell(sum_values(&values)));
            if WITH_INTERVAL.contains(&metric.name) {
                let interval = bootstrap_interval(&values);
                cells.push(interval.map_or_else(
                    || "-".to_owned(),
                    |[low, high]| format!("{low:.2}-{high:.2}"),
                ));
            }
        }
        table.add_row(cells);
    }
    table
}

/// Returns a share for people. `-` is none.
#[must_use]
pub(crate) fn share_cell(value: MetricValue) -> String {
    value
        .share()
        .map_or_else(|| "-".to_owned(), |share| format!("{share:.3}"))
}

/// Returns the figures of sessions, by name: each share with its counts and its interval.
#[must_use]
pub(crate) fn figures_json(sessions: &[&RetentionScores]) -> Value {
    let figures = scopes(sessions.iter().copied())
        .flat_map(MetricScope::metrics)
        .map(|metric| {
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
