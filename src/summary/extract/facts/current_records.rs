//! Tells which records the agent is at work on, and among which entries the choice was made.

use super::places::IN_CALL;
use super::record_tables::KnownRecord;
use super::references::References;
use hashbrown::{HashMap, HashSet};

/// What a row is worth more for each value in it that the messages which stay name, and the number of
/// values that count.
pub(crate) const CURRENT_WORTH: i32 = 8000;
const MOST_CURRENT: usize = 4;
/// The part of the values of a record, one in so many, below which the messages that stay tell little of it: then
/// it stands before all others.
const LEAST_UNTOLD: usize = 6;
/// What an entry of a map is worth less that was not chosen.
const SETTLED_LOSS: i32 = 40_000;

/// The values that the messages which stay name and that tell the rows of a table apart.
#[derive(Default)]
pub(super) struct CurrentValues<'k> {
    values: HashSet<&'k str>,
}

impl<'k> CurrentValues<'k> {
    /// Collects the values of a table that at most half of its rows have.
    pub(super) fn of(rows: &[&'k KnownRecord<'_>], references: &References<'_>) -> Self {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for known in rows {
            // A record that names a value twice counts once.
            let values: HashSet<&str> = values_of(known).collect();
            for value in values {
                *counts.entry(value).or_default() += 1;
            }
        }
        let is_kept = |value: &str| {
            let at = references.index_of(value);
            at.is_some_and(|at| references.all[at].is_told)
        };
        let telling = counts
            .into_iter()
            .filter(|(value, count)| count * 2 <= rows.len() && is_kept(value));
        Self {
            values: telling.map(|(value, _)| value).collect(),
        }
    }

    /// Returns the message of the row that the agent is at work on most, the newest of several. Returns `None` if
    /// it is one of a list, if the messages that stay tell most of it, or if there is none.
    pub(super) fn most_current(
        &self,
        rows: &[&KnownRecord<'_>],
        references: &References<'_>,
    ) -> Option<usize> {
        let is_told = |value: &&str| {
            let at = references.index_of(value);
            at.is_some_and(|at| references.all[at].is_told)
        };
        let says_more = |known: &KnownRecord<'_>| {
            let told = values_of(known).filter(is_told).count();
            told * LEAST_UNTOLD < values_of(known).count()
        };
        let single = (rows.iter()).filter(|known| known.company == 1 && says_more(known));
        let worths = single.map(|known| (self.worth_of(known), known.message));
        let (worth, message) = worths.max()?;
        (worth > 0).then_some(message)
    }

    /// Returns what a row is worth more because the agent is at work on what it holds.
    pub(super) fn worth_of(&self, known: &KnownRecord<'_>) -> i32 {
        let held: HashSet<&str> = values_of(known)
            .filter(|value| self.values.contains(value))
            .collect();
        i32::try_from(held.len().min(MOST_CURRENT)).unwrap_or(0) * CURRENT_WORTH
    }
}

/// Returns the identifiers of a record.
pub(super) fn values_of<'k>(known: &'k KnownRecord<'_>) -> impl Iterator<Item = &'k str> {
    let columns = known.record.columns.iter();
    columns.flat_map(|column| column.identifiers.iter().map(String::as_str))
}

/// The records of which a map holds entries, one of which a call or the messages that stay name: the choice
/// among them was made.
pub(super) struct SettledMaps<'k> {
    holders: HashSet<&'k str>,
}

impl<'k> SettledMaps<'k> {
    pub(super) fn of(records: &'k [KnownRecord<'_>], references: &References<'_>) -> Self {
        let chosen = records.iter().filter(|known| is_chosen(known, references));
        let holders = chosen.filter_map(|known| known.record.holder.as_deref());
        Self {
            holders: holders.collect(),
        }
    }

    /// Returns what an entry is worth less that was not chosen where another one was.
    pub(super) fn loss_of(&self, known: &KnownRecord<'_>, references: &References<'_>) -> i32 {
        let holder = known.record.holder.as_deref();
        let is_settled = holder.is_some_and(|holder| self.holders.contains(holder));
        if is_settled && !is_chosen(known, references) {
            SETTLED_LOSS
        } else {
            0
        }
    }
}

/// Returns true for an entry that a call or the messages that stay name.
fn is_chosen(known: &KnownRecord<'_>, references: &References<'_>) -> bool {
    let at = references.index_of(known.record.key_text());
    known.record.holder.is_some()
        && at.is_some_and(|at| {
            let reference = &references.all[at];
            reference.is_told || reference.places & IN_CALL != 0
        })
}
