//! Writes the records of a conversation as rows, with the headings that they need.

use super::call_effects::{CallWeight, weight_of_name};
use super::call_lines::is_shell_name;
use super::current_records::{CURRENT_WORTH, CurrentValues, SettledMaps, values_of};
use super::fact::{Fact, FactKind};
use super::places::{IN_SPEECH, IN_USER_TEXT};
use super::record_columns::{LEAST_TABLE, ShownColumn, constant_values, shown_columns};
use super::record_tables::{KnownRecord, RecordTables};
use super::record_values::{PARTS, is_creation};
use super::references::References;
use super::short_lists::{holds_balances, short_list};
use crate::summary::extract::lex::clip::clip_line;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::identifier_kinds::is_link;
use crate::summary::extract::lexicon::argument_names::{CLOSED_STATES, STATE_COLUMNS};
use hashbrown::{HashMap, HashSet};

/// The room in bytes of the columns of a row, and its maximum length.
const ROW_ROOM: usize = 500;
const LONGEST_ROW: usize = 520;
/// The most that a short row has of the whole row, in hundredths.
const MOST_OF_SHORT: usize = 85;
/// What a record is worth less that nothing more can be done with.
const CLOSED_LOSS: i32 = 1500;
/// What an item of a list is worth more that another record speaks of.
const JOINED_WORTH: i32 = 6000;
/// Maximum length in bytes of the name of a tool.
const LONGEST_TOOL: usize = 64;
/// The most columns of a record that says nothing beside prose and code unless a call changed it.
const FEW_COLUMNS: usize = 3;

/// Returns true for the only record of its kind that a call looked at: a few fields, or what a shell printed.
fn is_passing_record(rows: &[&KnownRecord<'_>]) -> bool {
    let [known] = rows else {
        return false;
    };
    known.changes.is_empty()
        && (is_shell_name(known.tool) || known.record.columns.len() <= FEW_COLUMNS)
}

impl RecordTables<'_> {
    /// Writes the rows as facts, and the headings that they need.
    pub(crate) fn facts(
        &self,
        references: &References<'_>,
        message_count: usize,
        begin: usize,
    ) -> (Vec<Fact>, Vec<String>) {
        let mut headings = Vec::new();
        let mut facts = Vec::new();
        let single = self.values_of_single();
        let settled = SettledMaps::of(&self.records, references);
        for rows in self.tables() {
            if !self.is_tabular() && is_passing_record(&rows) {
                continue;
            }
            // The tool that looks says best what the records are.
            let tool = rows
                .iter()
                .map(|known| known.tool)
                .min_by_key(|tool| weight_of_name(tool) != CallWeight::Looks)
                .unwrap_or_default();
            let tool = fold_line(tool, LONGEST_TOOL);
            let columns = shown_columns(&rows, references, ROW_ROOM);
            let is_table = rows.len() >= LEAST_TABLE;
            let heading = headings.len();
            headings.push(if is_table {
                let constant = constant_values(&rows, &columns, references);
                format!("{tool}{constant}: {}", names_of(&columns))
            } else {
                format!("{tool}:")
            });
            // In prose and code a record is one fact among others.
            let current = if self.is_tabular() {
                CurrentValues::of(&rows, references)
            } else {
                CurrentValues::default()
            };
            let most_current = current.most_current(&rows, references);
            for known in &rows {
                let is_single = known.company == 1;
                let made = creation_of(known, references, is_table);
                let text = write_row(known, &columns, is_table, None) + &made;
                // What was made elsewhere is found again only by its address.
                let is_made = !self.is_tabular() && shows_address(known);
                let whole = Fact {
                    kind: FactKind::Record,
                    text,
                    worth: row_worth(known, references, message_count, begin)
                        + if is_made { CURRENT_WORTH } else { 0 }
                        + current.worth_of(known)
                        - if is_closed(known) { CLOSED_LOSS } else { 0 }
                        + joined_worth(known, &single)
                        - settled.loss_of(known, references),
                    order: known.message,
                    heading: Some(heading),
                    is_pinned: is_made || most_current == Some(known.message),
                    longer: None,
                };
                let short = (is_table || self.is_tabular())
                    .then(|| write_row(known, &columns, is_table, Some(references)) + &made);
                let short = short
                    .filter(|short| short.len() * 100 <= whole.text.len() * MOST_OF_SHORT)
                    .map(|text| Fact {
                        kind: FactKind::ShortRecord,
                        text,
                        is_pinned: is_single && is_table,
                        longer: None,
                        ..whole.clone()
                    });
                // Without long lists, a row is short as it is.
                let is_thin = is_single && short.is_none() && current.worth_of(known) > 0;
                facts.push(Fact {
                    is_pinned: whole.is_pinned || is_thin,
                    longer: None,
                    ..whole
                });
                facts.extend(short);
            }
        }
        (facts, headings)
    }

    /// Returns the values of the records that were asked for one by one, without their keys. Empty where
    /// results are prose and code.
    fn values_of_single(&self) -> HashSet<&str> {
        if !self.is_tabular() {
            return HashSet::new();
        }
        let single = self.records.iter().filter(|known| known.company == 1);
        let values = single.flat_map(|known| {
            let key = known.record.key_text();
            values_of(known).filter(move |value| *value != key)
        });
        values.collect()
    }

    /// Returns the records by the names of their keys, in the order of the first record of each.
    fn tables(&self) -> Vec<Vec<&KnownRecord<'_>>> {
        let mut tables: Vec<Vec<&KnownRecord<'_>>> = Vec::new();
        let mut index: HashMap<(&str, bool), usize> = HashMap::new();
        for known in &self.records {
            // The entries of a map have other columns than what was asked for by itself.
            let kind = (known.key_name(), known.record.holder.is_some());
            let at = *index.entry(kind).or_insert(tables.len());
            if at == tables.len() {
                tables.push(Vec::new());
            }
            tables[at].push(known);
        }
        tables
    }
}

/// Returns true for a record that nothing more can be done with.
fn is_closed(known: &KnownRecord<'_>) -> bool {
    let columns = known.record.columns.iter();
    let mut states = columns.filter(|column| STATE_COLUMNS.contains(&column.name.as_str()));
    states.any(|state| CLOSED_STATES.contains(&state.text.as_str()))
}

/// Returns true for a record that a call made and that holds the address of a page.
fn shows_address(known: &KnownRecord<'_>) -> bool {
    let mut columns = known.record.columns.iter();
    !known.changes.is_empty() && columns.any(|column| is_link(&column.text))
}

fn names_of(columns: &[ShownColumn]) -> String {
    let names: Vec<String> = columns
        .iter()
        .map(|column| match &column.figures {
            Some(figures) => format!("{} {figures}", column.name),
            None => column.name.clone(),
        })
        .collect();
    names.join("|")
}

/// Writes a record. In a table the names of the columns stand in the heading, and those of the key and
/// of lists also before their values. With `references`, only those that may be needed stand for a long
/// list.
fn write_row(
    known: &KnownRecord<'_>,
    columns: &[ShownColumn],
    is_table: bool,
    references: Option<&References<'_>>,
) -> String {
    let mut row = String::new();
    for (number, shown) in columns.iter().enumerate() {
        let column = known.record.column(&shown.name);
        // A table of many records has no room for that.
        let shortened = column.filter(|column| is_table || !holds_balances(column));
        let short = shortened.and_then(|column| short_list(column, references?));
        let text = column
            .map(|column| match &column.figures {
                Some(figures) if shown.figures.is_some() => figures.values.as_str(),
                _ => short.as_deref().unwrap_or(&column.text),
            })
            .and_then(|text| clip_line(text, shown.limit))
            .unwrap_or_default();
        if is_table {
            row.push_str(if number == 0 { "" } else { "|" });
            // A row with many columns is read by the names of its key and of its lists.
            let is_list = shown.figures.is_none() && column.is_some_and(|column| column.is_nested);
            if (number == 0 || is_list) && !text.is_empty() {
                row.push_str(&shown.name);
                row.push(' ');
            }
            row.push_str(&text);
        } else if let Some(column) = column {
            row.push_str(if number == 0 { "" } else { ", " });
            row.push_str(&shown.name);
            row.push_str(if column.is_nested { " (" } else { ": " });
            row.push_str(&text);
            row.push_str(if column.is_nested { ")" } else { "" });
        }
    }
    let row = clip_line(row.trim_end_matches([' ', '|']), LONGEST_ROW)
        .map_or_else(String::new, |row| row.into_owned());
    let changes: Vec<&str> = known.changes.iter().map(String::as_str).collect();
    row + &changes_mark(&changes)
}

/// Returns what an item of a list is worth more because a record that was asked for holds its key: the
/// flight that is booked among all flights.
fn joined_worth(known: &KnownRecord<'_>, single: &HashSet<&str>) -> i32 {
    if known.company > 1 && single.contains(known.record.key_text()) {
        JOINED_WORTH
    } else {
        0
    }
}

/// Returns when a record was made that the user named, as the end of its row: what may still be done with
/// it often hangs on that. Empty for others.
fn creation_of(known: &KnownRecord<'_>, references: &References<'_>, is_table: bool) -> String {
    let made = known
        .record
        .columns
        .iter()
        .find(|column| is_creation(&column.name));
    // With little room, the values that calls need go first.
    let is_named = !references.owners.is_empty()
        && references.places_of(known.record.key_text()) & IN_USER_TEXT != 0;
    match made.filter(|_| is_named) {
        Some(made) if is_table => format!("|{} {}", made.name, made.text),
        Some(made) => format!(", {}: {}", made.name, made.text),
        None => String::new(),
    }
}

/// Returns the calls that changed a record, newest first, as they stand behind its row: oldest first, in brackets.
pub(super) fn changes_mark(changes: &[&str]) -> String {
    let mut names: Vec<&str> = changes.iter().rev().copied().collect();
    names.dedup();
    if names.is_empty() {
        String::new()
    } else {
        format!(" [{}]", names.join(", "))
    }
}

/// Returns the worth of a row: new ones, those that calls changed and those that somebody named
/// first, and those of a finished conversation last.
fn row_worth(
    known: &KnownRecord<'_>,
    references: &References<'_>,
    message_count: usize,
    begin: usize,
) -> i32 {
    let recency = (known.message + 1) * 1500 / message_count.max(1);
    let is_named = known
        .record
        .key_text()
        .split(PARTS)
        .any(|part| references.places_of(part) & IN_SPEECH != 0);
    let finished = if known.message < begin { 2500 } else { 0 };
    i32::try_from(recency).unwrap_or(i32::MAX)
        + if is_named { 1000 } else { 0 }
        // A record that was asked for says more than each of a long list.
        + match known.company {
            1 => 1200,
            2..=3 => 400,
            _ => 0,
        }
        + if known.changes.is_empty() { 0 } else { 700 }
        - finished
}
