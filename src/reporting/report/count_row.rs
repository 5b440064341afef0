//! The row of a transcript in the output of `count`.

use crate::base::foreign_text::{harmless_json, harmless_line, shorten_value};
use crate::reporting::report::comparison::Comparison;
use crate::reporting::report::numbers::group_digits;
use crate::reporting::report::reported_usage::ReportedUsage;
use crate::reporting::report::token_counts::TokenCounts;
use serde_json::{Value, json};

/// A transcript that was counted.
pub(crate) struct CountRow<'r> {
    /// The thread id.
    pub thread_id: &'r str,
    /// The input file.
    pub file: &'r str,
    /// The line where its first record begins.
    pub line: u64,
    /// The model.
    pub model: Option<&'r str>,
    /// The input limit of the model, in tokens.
    pub input_limit: Option<u64>,
    /// The name of the counter.
    pub counter: &'static str,
    /// The counts.
    pub counts: &'r TokenCounts,
    /// The usage that the log reports.
    pub usage: Option<ReportedUsage>,
    /// The counts of another counter, if there is one.
    pub compared: Option<&'r Comparison>,
}

impl CountRow<'_> {
    /// Returns the row as JSON; with the key `compared` where counters are compared.
    pub(crate) fn to_json(&self, is_comparison: bool) -> Value {
        let mut row = json!({
            "thread_id": self.thread_id,
            "file": self.file,
            "line": self.line,
            "model": self.model,
            "input_limit": self.input_limit,
            "counter": self.counter,
            "counts": self.counts,
        });
        if let Some(usage) = self.usage {
            row["usage"] = json!(usage);
        }
        if is_comparison {
            let compared = self
                .compared
                .map(|other| json!({ "counter": other.against, "tokens": other.compared }));
            row["compared"] = compared.into();
        }
        row
    }

    /// Renders the row as a line of JSON.
    pub(crate) fn render_json(&self, is_comparison: bool) -> String {
        harmless_json(format!("{}\n", self.to_json(is_comparison)))
    }

    /// Renders the row for people. It names the counter where transcripts may have several, and
    /// says so where the exact counter of the model that was asked for does not exist.
    pub(crate) fn render_text(&self, names_counter: bool, lacks_exact_counter: bool) -> String {
        let tokens = group_count(self.counts.tokens);
        let counter =
            if names_counter { format!("by {:<13} ", self.counter) } else { String::new() };
        let mut row = format!(
            "{tokens:>11} tokens {counter}{:>6} messages  {}:{}  {}",
            self.counts.messages,
            harmless_line(self.file),
            self.line,
            shorten_value(self.thread_id).escape_debug(),
        );
        if let Some(compared) = self.compared {
            row += &format!("  {}", compared.table_cell());
        } else if lacks_exact_counter {
            row += "  no exact counter is known for its model";
        }
        if let Some(usage) = self.usage {
            row += &format!(
                "  the log reports {} for {} of them (ratio {})",
                group_digits(i64::try_from(usage.reported).unwrap_or(i64::MAX)),
                group_count(usage.counted),
                usage.ratio,
            );
        }
        row + "\n"
    }
}

fn group_count(tokens: usize) -> String {
    group_digits(i64::try_from(tokens).unwrap_or(i64::MAX))
}
