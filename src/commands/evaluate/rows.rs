//! The figures, by data set and policy: a table and JSON.

use super::measure::Kept;
use crate::report::table::plain;
use crate::retention::{Interval, METRICS, Metric, Ratio, interval};
use anyhow::Result;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Version of the JSON's shape.
const VERSION: u32 = 1;
/// The name of the row over all data.
const ALL: &str = "all";

/// The sessions of one data set under one policy.
#[derive(Debug, Default, Clone)]
struct Row {
    sessions: Vec<Kept>,
}

impl Row {
    fn ratios(&self, metric: &Metric) -> Vec<Ratio> {
        self.sessions.iter().map(|session| (metric.of)(&session.scores)).collect()
    }

    fn ratio(&self, metric: &Metric) -> Ratio {
        let mut sum = Ratio::default();
        self.ratios(metric).into_iter().for_each(|ratio| sum += ratio);
        sum
    }

    fn cuts(&self) -> u64 {
        self.sessions.iter().map(|session| session.cuts).sum()
    }

    /// Mean tokens a cut.
    fn tokens(&self) -> u64 {
        self.sessions.iter().map(|session| session.tokens).sum::<u64>() / self.cuts().max(1)
    }
}

/// All rows of an evaluation.
#[derive(Debug)]
pub(super) struct Rows {
    policies: Vec<String>,
    /// By data set, then by policy.
    data: BTreeMap<String, Vec<Row>>,
}

impl Rows {
    pub(super) fn new(policies: Vec<String>) -> Self {
        Self { policies, data: BTreeMap::new() }
    }

    /// Adds a session of a data set; one without a cut has nothing to tell.
    pub(super) fn add(&mut self, data: &str, scores: &[Kept]) {
        let rows = self.data.entry(data.to_owned()).or_insert_with(|| vec![Row::default(); scores.len()]);
        for (row, kept) in rows.iter_mut().zip(scores) {
            if kept.cuts > 0 {
                row.sessions.push(*kept);
            }
        }
    }

    /// All rows in order: each data set, then (if there are several) all together.
    fn all(&self) -> Vec<(&str, &str, Row)> {
        let mut rows: Vec<(&str, &str, Row)> = Vec::new();
        for (data, own) in &self.data {
            rows.extend(self.policies.iter().zip(own).map(|(policy, row)| (data.as_str(), policy.as_str(), row.clone())));
        }
        if self.data.len() != 1 {
            rows.extend(self.total());
        }
        rows
    }

    fn total(&self) -> Vec<(&str, &str, Row)> {
        let sum = |number: usize| Row { sessions: self.data.values().flat_map(|rows| rows[number].sessions.iter().copied()).collect() };
        self.policies.iter().enumerate().map(|(number, policy)| (ALL, policy.as_str(), sum(number))).collect()
    }

    /// What to say of each policy whose figure is below `share` over all data. Where nothing was needed, nothing was lost.
    pub(super) fn below(&self, metric: &Metric, share: f64) -> Vec<String> {
        let mut complaints = Vec::new();
        for (_, policy, row) in self.total() {
            if let Some(got) = row.ratio(metric).share().filter(|got| *got < share) {
                complaints.push(format!("{policy}: {} is {got:.3}, less than {share}", metric.name));
            }
        }
        complaints
    }

    /// The figures as a table.
    pub(super) fn table(&self) -> String {
        let mut header = vec!["data", "policy", "cuts", "tokens"];
        for metric in METRICS {
            header.push(metric.name);
            if metric.name == "recall" {
                header.push("95 %");
            }
        }
        let mut table = plain(&header, 2);
        for (data, policy, row) in self.all() {
            let mut cells = vec![data.to_owned(), policy.to_owned(), row.cuts().to_string(), row.tokens().to_string()];
            for metric in METRICS {
                cells.push(row.ratio(metric).share().map_or_else(|| "-".to_owned(), |share| format!("{share:.3}")));
                if metric.name == "recall" {
                    cells.push(interval(&row.ratios(metric)).map_or_else(|| "-".to_owned(), |[low, high]| format!("{low:.2}-{high:.2}")));
                }
            }
            table.add_row(cells);
        }
        let mut text: String = table.to_string().lines().map(|line| format!("{}\n", line.trim_end())).collect();
        if self.total().iter().all(|(_, _, row)| row.cuts() == 0) {
            text.push_str("no transcript is long enough to be cut: 10 messages or more, an assistant message after the cut\n");
        }
        text
    }

    /// The figures as one JSON object.
    pub(super) fn json(&self) -> Result<String> {
        let row = |(data, policy, row): (&str, &str, Row)| {
            let figures: Map<String, Value> = METRICS.iter().map(|metric| (metric.name.to_owned(), figure(&row, metric))).collect();
            json!({ "data": data, "policy": policy, "transcripts": row.sessions.len(), "cuts": row.cuts(), "tokens": row.tokens(), "figures": figures })
        };
        let rows: Vec<Value> = self.all().into_iter().map(row).collect();
        Ok(serde_json::to_string_pretty(&json!({ "version": VERSION, "rows": rows }))? + "\n")
    }
}

/// A share with what it is made of and its interval.
fn figure(row: &Row, metric: &Metric) -> Value {
    let ratio = row.ratio(metric);
    let interval: Option<Interval> = interval(&row.ratios(metric));
    json!({ "share": ratio.share(), "kept": ratio.kept, "of": ratio.of, "interval": interval })
}
