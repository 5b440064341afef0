//! The figures of an evaluation by data set and policy, as a table and as JSON.

use crate::base::foreign_text::{harmless_json, harmless_line};
use crate::measuring::evaluation::gate::RetentionGate;
use crate::measuring::evaluation::session::{MarkedAnswer, SessionScores};
use crate::reporting::report::figures::{
    FigureColumn, FigureTable, figures_json, metric_values, sum_values,
};
use crate::reporting::report::{numbers::count_nouns, terminal_text::counters_line, wrap_words};
use crate::reporting::retention::RetentionScores;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Version of the JSON's shape.
const VERSION: u32 = 1;
/// The name of the row over all data.
const ALL_DATA: &str = "all";
/// Said below a short table.
const SHORT: &str = "--full shows all figures, with intervals, and each file";
/// The reason why questions have no figures.
const NO_QUESTION: &str = "no question can be asked of a transcript of the inputs";
/// The reason why a data set has no figures.
const NO_CUT: &str = "no transcript is long enough to be cut: 10 messages or more, an assistant message after the cut";

/// The sessions of a data set under a policy.
#[derive(Debug, Default, Clone)]
struct EvaluationRow {
    /// The sessions with a cut that was measured.
    sessions: Vec<SessionScores>,
    /// Cuts whose compaction failed.
    failed: u64,
}

impl EvaluationRow {
    fn scores(&self) -> Vec<&RetentionScores> {
        let sessions = self.sessions.iter();
        sessions.map(|session| &session.scores).collect()
    }

    fn cuts(&self) -> u64 {
        self.sessions.iter().map(|session| session.cuts).sum()
    }

    fn counters(&self) -> BTreeSet<&'static str> {
        self.sessions.iter().filter_map(|session| session.counter).collect()
    }

    /// Returns the reason why no cut was measured, if none was.
    fn unmeasured(&self, no_cut: &str) -> Option<String> {
        match (self.cuts(), self.failed) {
            (0, 0) => Some(no_cut.to_owned()),
            (0, failed) => {
                Some(format!("{failed} of {} failed", count_nouns(failed, "compaction")))
            }
            _ => None,
        }
    }

    /// Returns the mean tokens of a cut.
    fn tokens(&self) -> u64 {
        self.sessions.iter().map(|session| session.tokens).sum::<u64>() / self.cuts().max(1)
    }
}

#[derive(Debug)]
pub(crate) struct EvaluationRows {
    policies: Vec<String>,
    /// By data set, then by policy.
    data: BTreeMap<String, Vec<EvaluationRow>>,
    /// The answers to questions, in the order of the sessions. `None` if there are no questions.
    answers: Option<Vec<MarkedAnswer>>,
}

impl EvaluationRows {
    /// Begins without rows; `policies` are the names of the policies. With questions, sessions are
    /// cut only where they ask.
    pub(crate) fn new(policies: Vec<String>, has_questions: bool) -> Self {
        Self { policies, data: BTreeMap::new(), answers: has_questions.then(Vec::new) }
    }

    /// Adds a session of a data set. A session without a cut adds nothing, and one that was not
    /// measured has no scores.
    pub(crate) fn push_session(&mut self, data: &str, scores: &[SessionScores]) {
        if scores.is_empty() {
            return;
        }
        let rows = self
            .data
            .entry(data.to_owned())
            .or_insert_with(|| vec![EvaluationRow::default(); scores.len()]);
        for (row, kept) in rows.iter_mut().zip(scores) {
            row.failed += kept.failed;
            if kept.cuts > 0 {
                row.sessions.push(*kept);
            }
        }
    }

    /// Adds the answers to the questions on a session.
    pub(crate) fn push_answers(&mut self, answers: Vec<MarkedAnswer>) {
        if let Some(all) = &mut self.answers {
            all.extend(answers);
        }
    }

    /// Returns all rows in order: each data set, then, if there are several, all together.
    fn all_rows(&self) -> Vec<(&str, &str, EvaluationRow)> {
        let mut rows: Vec<(&str, &str, EvaluationRow)> = Vec::new();
        for (data, policies) in &self.data {
            rows.extend(
                self.policies
                    .iter()
                    .zip(policies)
                    .map(|(policy, row)| (data.as_str(), policy.as_str(), row.clone())),
            );
        }
        if self.data.len() != 1 {
            let total = self.policies.iter().zip(self.total());
            rows.extend(total.map(|(policy, row)| (ALL_DATA, policy.as_str(), row)));
        }
        rows
    }

    /// Returns the reason why nothing could be measured where no session was cut.
    fn no_cut(&self) -> &'static str {
        match self.answers {
            Some(_) => NO_QUESTION,
            None => NO_CUT,
        }
    }

    /// Returns a row for each policy: all data together.
    fn total(&self) -> Vec<EvaluationRow> {
        let sum = |number: usize| {
            let rows = || self.data.values().map(|rows| &rows[number]);
            EvaluationRow {
                sessions: rows().flat_map(|row| row.sessions.iter().copied()).collect(),
                failed: rows().map(|row| row.failed).sum(),
            }
        };
        (0..self.policies.len()).map(sum).collect()
    }

    /// Returns a complaint about each policy that does not pass a gate over all data, or whose
    /// figure could not be measured: that is no success.
    pub(crate) fn complaints(&self, gate: &RetentionGate) -> Vec<String> {
        let rows = self.policies.iter().zip(self.total());
        let complaints = rows.filter_map(|(policy, row)| {
            let value = sum_values(&metric_values(&row.scores(), gate.metric));
            gate.complaint(policy, value, || {
                row.unmeasured(self.no_cut()).ok_or_else(|| count_nouns(row.cuts(), "cut"))
            })
        });
        complaints.collect()
    }

    /// Renders the figures over all data for a terminal of `width` columns, and with `is_full` all
    /// figures, of each data set, too.
    pub(crate) fn render_table(&self, width: usize, is_full: bool) -> String {
        let total = self.total();
        if total.iter().all(|row| row.cuts() + row.failed == 0) {
            return self.no_cut().to_owned() + "\n";
        }
        let mut text = String::new();
        if is_full && self.data.len() > 1 {
            for (data, rows) in &self.data {
                let table = self.figure_table(rows, is_full).render(width);
                text += &format!("{}:\n{table}\n", harmless_line(data));
            }
        }
        let table = self.figure_table(&total, is_full);
        text += &format!("{}:\n{}", self.data_line(), table.render(width));
        let counters: BTreeSet<&str> = total.iter().flat_map(EvaluationRow::counters).collect();
        text += &format!("{}\n", counters_line(&counters));
        text += &table.render_legend(width);
        if !is_full {
            text += &wrap_words(SHORT, width, 0);
        }
        text.extend(self.policies.iter().zip(&total).filter_map(|(policy, row)| {
            Some(format!("{policy}: {}\n", row.unmeasured(self.no_cut())?))
        }));
        text
    }

    /// Returns the names of the data sets, or their number if there are several.
    fn data_line(&self) -> String {
        match self.data.first_key_value() {
            Some((data, _)) if self.data.len() == 1 => harmless_line(data).into_owned(),
            _ => count_nouns(self.data.len(), "file"),
        }
    }

    fn figure_table<'r>(&'r self, rows: &'r [EvaluationRow], is_full: bool) -> FigureTable<'r> {
        let columns = self.policies.iter().zip(rows);
        let columns = columns.map(|(policy, row)| FigureColumn {
            name: policy.clone(),
            counts: [row.sessions.len() as u64, row.cuts(), row.tokens()].to_vec(),
            sessions: row.scores(),
        });
        FigureTable {
            counts: &["transcripts", "cuts", "tokens of a summary"],
            columns: columns.collect(),
            is_full,
        }
    }

    /// Renders the figures as a JSON object. Fails if they can't be spelled as JSON.
    pub(crate) fn render_json(&self) -> Result<String, serde_json::Error> {
        let rows = self.all_rows().into_iter().map(|(data, policy, row)| {
            json!({
                "data": data,
                "policy": policy,
                "transcripts": row.sessions.len(),
                "cuts": row.cuts(),
                "failed": row.failed,
                "tokens": row.tokens(),
                "counters": row.counters(),
                "figures": figures_json(&row.scores()),
            })
        });
        let rows: Vec<Value> = rows.collect();
        let mut report = json!({ "version": VERSION, "rows": rows });
        if let Some(answers) = &self.answers {
            report["questions"] = json!(answers);
        }
        Ok(harmless_json(serde_json::to_string_pretty(&report)? + "\n"))
    }
}
