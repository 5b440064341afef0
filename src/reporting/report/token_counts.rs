//! Token counts of a transcript or of all, by role.

use crate::deciding::tokens::Ledger;
use crate::reading::transcript::view::TranscriptView;
use crate::reading::transcript::{Role, Transcript};
use crate::reporting::report::numbers::group_count;
use crate::reporting::report::table::{counters_line, plain_table, render_fitting};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::AddAssign;

/// The columns before those of the roles.
const FIRST_COLUMNS: [&str; 3] = ["messages", "tokens", "tool schemas"];

/// The counts of one transcript, or sums over several.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct TokenCounts {
    /// The number of messages.
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

    /// Returns the cells of a table row: messages, tokens, tool schemas, then a cell for each role.
    fn table_cells(&self) -> Vec<String> {
        let roles = Role::ALL.iter().map(|role| self.roles.get(role.name()).copied().unwrap_or(0));
        [self.messages, self.tokens, self.tools].into_iter().chain(roles).map(group_count).collect()
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
    let headings = FIRST_COLUMNS.into_iter().chain(Role::ALL.iter().map(|role| role.name()));
    let columns: Vec<(&str, String)> = headings
        .zip(totals.table_cells())
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
