//! Token counts per transcript and in total, by role.

use crate::report::table::{counters_line, group_digits, plain_table};
use crate::tokens::Ledger;
use crate::transcript::overlay::Overlay;
use crate::transcript::view::TranscriptView;
use crate::transcript::{Role, Transcript};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::AddAssign;

/// Counts of one transcript, or of all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TokenCounts {
    /// Messages.
    pub messages: usize,
    /// Tokens of a model call with them, scaled by usage that the log reports.
    pub tokens: usize,
    /// Tokens of the tool schemas.
    pub tools: usize,
    /// Tokens of the messages, by role.
    pub roles: BTreeMap<&'static str, usize>,
}

impl TokenCounts {
    /// Of one transcript.
    #[must_use]
    pub fn from_ledger(transcript: &Transcript<'_>, ledger: &Ledger<'_>) -> Self {
        let (tokens, tools) = (&ledger.messages, ledger.tools);
        let none = Overlay::default();
        let call = ledger.call_tokens(
            TranscriptView {
                transcript,
                overlay: &none,
            },
            0..tokens.len(),
            None,
        );
        let mut roles = BTreeMap::new();
        for (message, tokens) in transcript.messages.iter().zip(tokens) {
            *roles.entry(message.role.name()).or_insert(0) += tokens;
        }
        Self {
            messages: tokens.len(),
            tokens: call,
            tools,
            roles,
        }
    }

    /// The cells of a row.
    #[must_use]
    pub fn cells(&self) -> Vec<String> {
        let roles = Role::ALL
            .iter()
            .map(|role| self.roles.get(role.name()).copied().unwrap_or(0));
        let numbers = [self.messages, self.tokens, self.tools]
            .into_iter()
            .chain(roles);
        numbers
            .map(|number| group_digits(i64::try_from(number).unwrap_or(i64::MAX)))
            .collect()
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

/// The heading of the table.
fn header() -> Vec<&'static str> {
    ["", "messages", "tokens", "tool schemas"]
        .into_iter()
        .chain(Role::ALL.iter().map(|role| role.name()))
        .collect()
}

/// The totals as a table, and who counted; columns of roles that do not occur are left out.
#[must_use]
pub fn render_counts(totals: &TokenCounts, counters: &BTreeSet<&str>) -> String {
    let (header, cells) = (header(), totals.cells());
    let shown: Vec<usize> = (0..cells.len())
        .filter(|&column| column < 2 || cells[column] != "0")
        .collect();
    let names: Vec<&str> = std::iter::once("")
        .chain(shown.iter().map(|&column| header[column + 1]))
        .collect();
    let mut table = plain_table(&names, 1);
    table.add_row(
        std::iter::once("total".to_owned())
            .chain(shown.iter().map(|&column| cells[column].clone())),
    );
    table
        .lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect::<String>()
        + &counters_line(counters)
}
