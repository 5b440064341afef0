//! Token counts of a transcript or of all: by role, beside the usage that the log reports, and as a
//! row of `count`.

use crate::base::foreign_text::{harmless_json, harmless_line, shorten_value};
use crate::deciding::tokens::Ledger;
use crate::reading::transcript::{Role, Transcript, view::TranscriptView};
use crate::reporting::report::terminal_text::{counters_line, plain_table, render_fitting};
use crate::reporting::report::{
    comparison::Comparison,
    numbers::{group_count, noun},
};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::AddAssign;

/// The columns before those of the roles.
const FIRST_COLUMNS: [&str; 3] = ["messages", "tokens", "tool schemas"];

/// The counts of one transcript, or sums over several.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct TokenCounts {
    pub messages: usize,
    /// The tokens of a model call with all messages, scaled by the usage that the log reports.
    pub tokens: usize,
    /// The tokens of the tool schemas.
    pub tools: usize,
    /// The tokens of the messages, by role.
    pub roles: BTreeMap<&'static str, usize>,
}

impl TokenCounts {
    /// Returns the counts of one transcript.
    pub(crate) fn from_ledger(transcript: &Transcript<'_>, ledger: &Ledger<'_>) -> Self {
        let (tokens, tools) = (&ledger.messages, ledger.tools);
        let call = ledger.call_tokens(TranscriptView::logged(transcript), 0..tokens.len(), None);
        let mut roles = BTreeMap::new();
        for (message, tokens) in transcript.messages.iter().zip(tokens) {
            *roles.entry(message.role.name()).or_insert(0) += tokens;
        }
        Self { messages: tokens.len(), tokens: call, tools, roles }
    }
}

impl AddAssign<&Self> for TokenCounts {
    fn add_assign(&mut self, other: &Self) {
        self.messages += other.messages;
        self.tokens += other.tokens;
        self.tools += other.tools;
        for (role, tokens) in &other.roles {
            *self.roles.entry(role).or_insert(0) += tokens;
        }
    }
}

/// Renders totals as a table for a terminal of `width` columns, with a line that names the counters.
///
/// Columns of roles that don't occur are left out.
pub(crate) fn render_counts(
    totals: &TokenCounts,
    counters: &BTreeSet<&str>,
    width: usize,
) -> String {
    let roles = Role::ALL.iter().map(|role| totals.roles.get(role.name()).copied().unwrap_or(0));
    let counts = [totals.messages, totals.tokens, totals.tools].into_iter().chain(roles);
    let headings = FIRST_COLUMNS.into_iter().chain(Role::ALL.iter().map(|role| role.name()));
    let columns: Vec<(&str, String)> = headings
        .zip(counts.map(group_count))
        .enumerate()
        .filter(|(column, (_, cell))| *column < 2 || cell != "0")
        .map(|(_, column)| column)
        .collect();
    let names: Vec<&str> =
        std::iter::once("").chain(columns.iter().map(|(heading, _)| *heading)).collect();
    let mut table = plain_table(&names, 1);
    table.add_row(
        std::iter::once("total".to_owned()).chain(columns.into_iter().map(|(_, cell)| cell)),
    );
    render_fitting(&table, 1, width) + &counters_line(counters)
}

/// A transcript that was counted.
#[derive(Serialize)]
pub(crate) struct CountRow<'r> {
    pub thread_id: &'r str,
    pub file: &'r str,
    /// The line where its first record begins.
    pub line: u64,
    pub model: Option<&'r str>,
    /// The input limit of the model, in tokens.
    pub input_limit: Option<u64>,
    pub counter: &'static str,
    pub counts: &'r TokenCounts,
    /// The usage that the log reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<ReportedUsage>,
    /// The counts of another counter, if there is one.
    #[serde(skip)]
    pub compared: Option<&'r Comparison>,
}

impl CountRow<'_> {
    /// Returns the row as JSON; with the key `compared` where counters are compared.
    pub(crate) fn to_json(&self, is_comparison: bool) -> Value {
        let mut row = json!(self);
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
            "{tokens:>11} {:<6} {counter}{:>6} {:<8}  {}:{}  {}",
            noun(self.counts.tokens, "token"),
            self.counts.messages,
            noun(self.counts.messages, "message"),
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
                group_count(usage.reported),
                group_count(usage.counted),
                usage.ratio,
            );
        }
        row + "\n"
    }
}

/// The tokens of the last model call for which the log reports usage, reported and counted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ReportedUsage {
    /// The index of the assistant message that the usage belongs to.
    pub message: usize,
    /// Input and output tokens as reported.
    pub reported: u64,
    /// Tokens as counted: the tool schemas and all messages up to and including `message`.
    pub counted: usize,
    /// `reported` divided by `counted`.
    pub ratio: f64,
}

impl ReportedUsage {
    /// Compares the usage in a transcript with its counts, in tokens by message and for the tool
    /// schemas.
    ///
    /// Returns `None` if no usage is reported. Also returns `None` if the transcript holds an
    /// earlier summary, because the usage may then be that of a longer list of messages.
    pub(crate) fn from_transcript(
        transcript: &Transcript<'_>,
        messages: &[usize],
        tools: usize,
    ) -> Option<Self> {
        if transcript.messages.iter().any(|message| message.earlier_summary) {
            return None;
        }
        let (message, reported) = (0..messages.len())
            .rev()
            .find_map(|index| Some((index, transcript.messages[index].reported_tokens()?)))?;
        let counted = tools + messages[..=message].iter().sum::<usize>();
        #[expect(clippy::cast_precision_loss, reason = "a ratio of token counts, far below 2^53")]
        let ratio = (reported as f64 / counted.max(1) as f64 * 1000.0).round() / 1000.0;
        Some(Self { message, reported, counted, ratio })
    }
}
