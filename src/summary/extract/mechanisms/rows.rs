//! Tables of records: which columns are told, and how a row reads.

use crate::summary::extract::prelude::*;
use std::collections::HashMap;
use std::fmt::Write;

/// The longest cell in bytes.
const LONGEST_CELL: usize = 220;
/// The mean length of a row in bytes up to which columns are told.
const ROW_LENGTH: usize = 320;
/// Cells up to this length are told in any case: a status, a yes or no.
const SHORT_CELL: usize = 12;
/// A table with more columns leaves out those whose names are worth less than this, in millionths for a
/// byte.
const FEW_COLUMNS: usize = 5;
const LEAST_WORTH: i64 = 1500;
/// What a name in the kept messages is worth, in millionths.
const KEPT_WORTH: i64 = 150_000;
/// The longest value that is told in the heading because all rows have it, in bytes.
const LONGEST_SHARED: usize = 40;
/// The shortest and the longest text that is told of a column beside the row, and how many are.
const LEAST_MORE: usize = 20;
const LONGEST_MORE: usize = 400;
const MOST_MORE: usize = 3;
/// The deepest values of a cell that are told.
const DEEPEST_CELL: usize = 1;
/// The most items of a list in a cell.
const MOST_ITEMS: usize = 12;

/// A record with its newest state.
#[derive(Debug, Clone)]
pub(crate) struct RowRecord {
    /// The columns with their text.
    pub cells: Vec<(String, String)>,
    /// The index of the message that tells it.
    pub message: usize,
    /// The number of records in the same result.
    pub siblings: usize,
    /// The tool that changed it last.
    pub changed_by: Option<String>,
}

/// Records of one kind.
#[derive(Debug)]
pub(crate) struct Table {
    /// The column of their id, else the tool.
    pub name: String,
    /// The first column is an id.
    pub has_key: bool,
    /// The records, oldest first.
    pub records: Vec<RowRecord>,
}

/// Returns the cells of a record. `key` is its key in a map.
pub(crate) fn flatten(value: &JsonValue<'_>, key: Option<&str>) -> Vec<(String, String)> {
    let mut cells = Vec::new();
    if let Some(key) = key {
        cells.push(("id".to_owned(), key.to_owned()));
    }
    match value {
        JsonValue::Object(members) => {
            for (name, value) in members {
                let text = cell_text(value, 0);
                if !text.is_empty() && key != Some(text.as_str()) {
                    cells.push((name.to_string(), text));
                }
            }
        }
        JsonValue::List(parts) => {
            // The parts of one thing, such as the legs of a journey.
            for part in parts {
                for (name, text) in flatten(part, None) {
                    match cells.iter_mut().find(|(known, _)| *known == name) {
                        Some((_, cell)) if *cell != text => {
                            let _ = write!(cell, " {text}");
                        }
                        Some(_) => {}
                        None => cells.push((name, text)),
                    }
                }
            }
        }
        _ => {}
    }
    cells
}

/// Returns a value on a part of a line.
fn cell_text(value: &JsonValue<'_>, depth: usize) -> String {
    if depth > DEEPEST_CELL && value.as_text().is_none() {
        return String::new();
    }
    match value {
        JsonValue::Text(text) => fold_line(text).into_owned(),
        JsonValue::Plain(text) => (*text).to_owned(),
        JsonValue::Null => String::new(),
        JsonValue::Object(members) => {
            let is_map = members.iter().all(|(_, value)| is_object(value));
            let parts = members.iter().take(MOST_ITEMS).map(|(key, value)| {
                let text = cell_text(value, 0);
                if is_map && !text.contains(key.as_ref()) { format!("{key} {text}") } else { text }
            });
            join_texts(parts, is_map)
        }
        JsonValue::List(items) => {
            let texts = items.iter().take(MOST_ITEMS);
            let texts = texts.map(|item| cell_text(item, depth + 1));
            join_texts(texts, items.iter().any(is_object))
        }
    }
}

fn is_object(value: &JsonValue<'_>) -> bool {
    matches!(value, JsonValue::Object(_))
}

fn join_texts(texts: impl Iterator<Item = String>, are_long: bool) -> String {
    let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
    texts.join(if are_long { "; " } else { " " })
}

impl RowRecord {
    /// Returns the place of the cell that is the record's own id.
    pub(crate) fn own_key(&self) -> Option<usize> {
        let is_key = |(name, value): &(String, String)| {
            let name = name.to_ascii_lowercase();
            let is_id = matches!(name.as_str(), "id" | "key" | "code");
            let is_key = is_id || name.ends_with("_id") || name.ends_with("number");
            is_key && value.len() >= 3 && !value.contains(' ')
        };
        self.cells.iter().position(is_key)
    }

    fn cell(&self, column: &str) -> &str {
        let mut cells = self.cells.iter();
        let cell = cells.find(|(name, _)| name == column);
        cell.map_or("", |(_, text)| text)
    }

    /// Returns what the row leaves out, each column behind the record's key.
    pub(crate) fn more(&self, columns: &ShownColumns) -> Vec<String> {
        let key = clip_text(&self.cells[0].1, LONGEST_CELL);
        let left = self.cells.iter().skip(1);
        let left = left.filter(|(name, _)| !columns.told.contains(name));
        let long = left.filter(|(_, text)| text.len() >= LEAST_MORE);
        long.take(MOST_MORE)
            .map(|(name, text)| format!("{key} {name}: {}", clip_text(text, LONGEST_MORE)))
            .collect()
    }

    pub(crate) fn render(&self, columns: &ShownColumns) -> String {
        let cell = |column: &String| {
            let text = clip_text(self.cell(column), LONGEST_CELL);
            // A single record names its columns itself.
            if columns.is_single { format!("{column} {text}") } else { text.into_owned() }
        };
        let cells: Vec<String> = columns.told.iter().map(cell).collect();
        let mut row = cells.join(if columns.is_single { ", " } else { "|" });
        if let Some(tool) = &self.changed_by {
            let _ = write!(row, " [{tool}]");
        }
        row
    }
}

#[derive(Debug, Default)]
pub(crate) struct ShownColumns {
    /// Those that rows tell.
    pub told: Vec<String>,
    /// True if there is one row.
    pub is_single: bool,
    /// Those that have the same text in all rows.
    pub shared: Vec<(String, String)>,
}

/// A column while they are chosen.
struct ColumnValue {
    name: String,
    mean_length: usize,
    /// What its names are worth for each byte.
    worth: i64,
    /// False for short words: a status, a yes or no.
    has_names: bool,
}

impl Table {
    /// Leaves the newest state of each record. Older states fill what newer ones don't say.
    pub(crate) fn merge_states(&mut self) {
        let mut merged: Vec<Option<RowRecord>> = Vec::with_capacity(self.records.len());
        // The place of the newest state, by the cells that identify a record.
        let mut places: HashMap<Vec<(String, String)>, usize> = HashMap::new();
        for mut record in std::mem::take(&mut self.records) {
            let key = match self.has_key {
                true => record.cells[..1].to_vec(),
                false => record.cells.clone(),
            };
            let same = places.insert(key, merged.len());
            if let Some(before) = same.and_then(|place| merged[place].take()) {
                for (name, text) in before.cells {
                    if !record.cells.iter().any(|(known, _)| *known == name) {
                        record.cells.push((name, text));
                    }
                }
                record.changed_by = record.changed_by.or(before.changed_by);
            }
            merged.push(Some(record));
        }
        let merged = merged.into_iter().flatten().collect();
        self.records = merged;
    }

    /// Chooses the columns that promise most, until a mean row is long.
    pub(crate) fn choose_columns(&self, reading: &Reading<'_>, values: &[i64]) -> ShownColumns {
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in self.records.iter().flat_map(|record| &record.cells) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        let mut columns =
            ShownColumns { is_single: self.records.len() == 1, ..ShownColumns::default() };
        let mut left = Vec::new();
        for name in names {
            let first = self.records[0].cell(name);
            let is_shared = self.records.len() > 1
                && self.records.iter().all(|record| record.cell(name) == first);
            if is_shared {
                if first.len() <= LONGEST_SHARED {
                    columns.shared.push((name.to_owned(), first.to_owned()));
                }
            } else {
                left.push(self.column_value(name, reading, values));
            }
        }
        let mut room = ROW_LENGTH;
        let mut order: Vec<usize> = (0..left.len()).collect();
        let last = |at: usize| std::cmp::Reverse(left[at].worth);
        order.sort_by_key(|&at| (at > 0, left[at].has_names, last(at)));
        let is_wide = left.len() > FEW_COLUMNS;
        let mut told = vec![false; left.len()];
        for at in order {
            let column = &left[at];
            let is_dull = at > 0 && is_wide && column.has_names && column.worth < LEAST_WORTH;
            if column.mean_length <= room && !is_dull {
                room -= column.mean_length;
                told[at] = true;
            }
        }
        let told = left.into_iter().zip(told).filter(|(_, told)| *told);
        columns.told = told.map(|(column, _)| column.name).collect();
        columns
    }

    fn column_value(&self, name: &str, reading: &Reading<'_>, values: &[i64]) -> ColumnValue {
        let (mut length, mut sum, mut has_names) = (0, 0, false);
        for record in &self.records {
            let text = clip_text(record.cell(name), LONGEST_CELL);
            length += text.len() + 1;
            has_names |= text.len() > SHORT_CELL;
            visit_names(&text, &mut |token, _| {
                has_names = true;
                // What the kept messages speak of tells which record they mean.
                sum += if reading.glossary.says_kept(token.symbol) {
                    KEPT_WORTH
                } else {
                    let place = reading.glossary.name_place(token.symbol);
                    place.map_or(0, |place| values[place])
                };
            });
        }
        let has_argument = |call: &Call<'_>| {
            let mut members = call.members().iter();
            members.any(|(key, _)| key.eq_ignore_ascii_case(name))
        };
        let is_argument = reading.session.calls.iter().any(has_argument);
        let worth = sum / length.max(1) as i64 + if is_argument { 1000 } else { 0 };
        ColumnValue {
            name: name.to_owned(),
            mean_length: length / self.records.len().max(1),
            worth,
            has_names,
        }
    }

    /// Returns the line above the rows: the tool, the columns and what all rows share.
    pub(crate) fn heading(&self, columns: &ShownColumns) -> String {
        if columns.is_single {
            return self.name.clone();
        }
        let mut heading = if self.has_key { String::new() } else { format!("{}: ", self.name) };
        heading.push_str(&columns.told.join("|"));
        if !columns.shared.is_empty() {
            let shared = columns.shared.iter();
            let shared: Vec<String> = shared.map(|(name, text)| format!("{name} {text}")).collect();
            let _ = write!(heading, " (all: {})", shared.join(", "));
        }
        heading
    }
}
