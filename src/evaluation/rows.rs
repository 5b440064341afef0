//! The figures of an evaluation by data set and policy, as a table and as JSON.

use crate::evaluation::answers::MarkedAnswer;
use crate::evaluation::figures::{
    FigureRow, figures_json, metric_values, render_figure_tables, sum_values,
};
use crate::evaluation::gate::RetentionGate;
use crate::evaluation::session::SessionScores;
use crate::foreign_text::harmless_json;
use crate::report::table::counters_line;
use crate::retention::RetentionScores;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Version of the JSON's shape.
const VERSION: u32 = 1;
/// The name of the row over all data.
const ALL_DATA: &str = "all";
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

    /// Returns the names of the counters.
    fn counters(&self) -> BTreeSet<&'static str> {
        self.sessions
            .iter()
            .filter_map(|session| session.counter)
            .collect()
    }

    /// Returns the reason why no cut was measured, if none was.
    fn unmeasured(&self, no_cut: &str) -> Option<String> {
        match (self.cuts(), self.failed) {
            (0, 0) => Some(no_cut.to_owned()),
            (0, failed) => Some(format!("all {failed} compactions failed")),
            _ => None,
        }
    }

    /// Returns the mean tokens of a cut.
    fn tokens(&self) -> u64 {
        self.sessions
            .iter()
            .map(|session| session.tokens)
            .sum::<u64>()
            / self.cuts().max(1)
    }
}

/// All rows of an evaluation.
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
    #[must_use]
    pub(crate) fn new(policies: Vec<String>, has_questions: bool) -> Self {
        Self {
            policies,
            data: BTreeMap::new(),
            answers: has_questions.then(Vec::new),
        }
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
            rows.extend(self.total());
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

    fn total(&self) -> Vec<(&str, &str, EvaluationRow)> {
        let sum = |number: usize| {
            let rows = || self.data.values().map(|rows| &rows[number]);
            EvaluationRow {
                sessions: rows()
                    .flat_map(|row| row.sessions.iter().copied())
                    .collect(),
                failed: rows().map(|row| row.failed).sum(),
            }
        };
        self.policies
            .iter()
            .enumerate()
            .map(|(number, policy)| (ALL_DATA, policy.as_str(), sum(number)))
            .collect()
    }

    /// Returns a complaint about each policy that does not pass a gate over all data, or whose
    /// figure could not be measured: that is no success.
    #[must_use]
    pub(crate) fn complaints(&self, gate: &RetentionGate) -> Vec<String> {
        let complaints = self.total().into_iter().filter_map(|(_, policy, row)| {
            let value = sum_values(&metric_values(&row.scores(), gate.metric));
            gate.complaint(policy, value, || {
                row.unmeasured(self.no_cut())
                    .ok_or_else(|| format!("{} cuts", row.cuts()))
            })
        });
        complaints.collect()
    }

    /// Renders the figures as a table for a terminal of `width` columns.
    #[must_use]
    pub(crate) fn render_table(&self, width: usize) -> String {
        let rows = self.all_rows();
        let rows: Vec<FigureRow<'_>> = rows
            .iter()
            .map(|(data, policy, row)| FigureRow {
                cells: vec![
                    (*data).to_owned(),
                    (*policy).to_owned(),
                    row.cuts().to_string(),
                    row.tokens().to_string(),
                ],
                sessions: row.scores(),
            })
            .collect();
        let leading = ["data", "policy", "cuts", "tokens"];
        let mut text = render_figure_tables(&leading, 2, &rows, width);
        let total = self.total();
        let counters: BTreeSet<&str> = total
            .iter()
            .flat_map(|(_, _, row)| row.counters())
            .collect();
        text += &counters_line(&counters);
        if total.iter().all(|(_, _, row)| row.cuts() + row.failed == 0) {
            return text + self.no_cut() + "\n";
        }
        text.extend(total.iter().filter_map(|(_, policy, row)| {
            Some(format!("{policy}: {}\n", row.unmeasured(self.no_cut())?))
        }));
        text
    }

    /// Renders the figures as a JSON object.
    ///
    /// # Errors
    /// Fails if they can't be spelled as JSON.
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
            report["questions"] = answers.iter().map(answer_json).collect();
        }
        Ok(harmless_json(serde_json::to_string_pretty(&report)? + "\n"))
    }
}

fn answer_json(answer: &MarkedAnswer) -> Value {
    json!({
        "line": answer.line,
        "cut": answer.cut,
        "question": answer.question,
        "policy": answer.policy,
        "mark": answer.mark.share,
        "misleads": answer.mark.misleads,
    })
}
