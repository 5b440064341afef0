//! Chooses the columns of a table of records: those that tell its records apart or that the agent
//! may need, as far as a row has room for them.

use super::record_tables::KnownRecord;
use super::record_values::{ITEM_END, PARTS, RecordColumn, is_timestamp};
use super::records::ResultRecord;
use super::references::References;
use crate::summary::extract::lex::identifier_kinds::{CODE, is_link, is_long_number, kinds_of};
use crate::summary::extract::lexicon::argument_names::{PERSONAL_COLUMNS, STATE_COLUMNS};
use hashbrown::HashMap;
use std::cmp::Reverse;

/// Minimum room in bytes for the beginning of a long value.
const LEAST_CLIPPED: usize = 48;
/// Number of rows from which on the names of the columns are written once.
pub(crate) const LEAST_TABLE: usize = 2;
/// Bytes of a token in a row, about.
const BYTES_PER_TOKEN: usize = 3;
/// The worth of a short value besides its references, in ten thousandths. It often says in words
/// what a record is: `economy`, `delivered`.
const SHORT_WORTH: i32 = 200;
/// The worth of a list or an object with figures: prices, items.
const LIST_WORTH: i32 = 300;
/// The worth of each item of a list that has a name and an id: `Kettle 9472539378 1.5L`.
const ITEM_WORTH: i32 = 1400;
/// The worth of a code besides the chance that it is needed.
const CODE_WORTH: i32 = 400;
/// The worth of the state of a record: what may still be done with it hangs on that.
const STATE_WORTH: i32 = 400;
const LONGEST_SHORT: usize = 20;
/// The worth of a moment at most. Nobody names one again to the second.
const TIMESTAMP_WORTH: i32 = 40;
/// The worth by its tokens below which a column is left out, in ten thousandths.
const LEAST_DENSITY: i32 = 60;
/// The chance of a reference from which on a value that all records share is worth showing.
const LEAST_CHANCE: i32 = 100;

/// Maximum number of columns of a table that are considered.
const MOST_COLUMNS: usize = 60;

/// A column that a table shows.
#[derive(Debug, Clone)]
pub(super) struct ShownColumn {
    pub(super) name: String,
    /// Maximum length of its values in bytes.
    pub(super) limit: usize,
    /// The names of its figures, if they stand in the heading.
    pub(super) figures: Option<String>,
}

/// A column of the records of a table.
struct ColumnWorth<'k> {
    name: &'k str,
    is_key: bool,
    /// What its values are worth, in ten thousandths, and their length in bytes.
    worth: i32,
    length: usize,
    longest: usize,
    /// It holds the address of a page.
    is_link: bool,
    /// The names of its figures, if all rows have the same.
    figures: Option<&'k str>,
}

impl ColumnWorth<'_> {
    /// Returns the worth of a token of the column.
    fn density(&self) -> i32 {
        let tokens = i32::try_from(self.length / BYTES_PER_TOKEN).unwrap_or(i32::MAX);
        self.worth / tokens.max(1)
    }
}

/// Returns the columns that a table shows. The key goes first, the others stand in the order of the
/// records.
pub(super) fn shown_columns(
    rows: &[&KnownRecord<'_>],
    references: &References<'_>,
    row_room: usize,
) -> Vec<ShownColumn> {
    let is_table = rows.len() >= LEAST_TABLE;
    let mut columns = weigh_columns(rows, references, is_table);
    if is_table {
        columns.retain(|column| column.is_key || !is_constant(rows, column.name));
    }
    columns.sort_by_key(|column| !column.is_key);
    let mut order: Vec<usize> = (0..columns.len()).collect();
    order.sort_by_key(|&at| (!columns[at].is_key, Reverse(columns[at].density())));
    // Where what a call made can be looked at, is what the user asks for.
    let is_made = matches!(rows, [only] if !only.changes.is_empty());
    let mut left = row_room;
    let mut limits = vec![0; columns.len()];
    for at in order {
        let column = &columns[at];
        // In a table the names stand in the heading, once for all rows.
        let cost = column.longest + 1 + if is_table { 0 } else { column.name.len() + 2 };
        if column.is_key {
            limits[at] = column.longest;
        } else if column.density() < LEAST_DENSITY && !(is_made && column.is_link) {
            continue;
        } else if cost <= left || left >= LEAST_CLIPPED {
            // Of a long value the first part says more than none.
            limits[at] = column.longest.min(left);
        }
        left = left.saturating_sub(cost.min(limits[at] + 1));
    }
    columns
        .iter()
        .zip(limits)
        .filter(|(_, limit)| *limit > 0)
        .map(|(column, limit)| ShownColumn {
            name: column.name.to_owned(),
            limit,
            figures: column.figures.map(str::to_owned),
        })
        .collect()
}

/// Returns all columns of some records, in the order of the records.
fn weigh_columns<'k>(
    rows: &[&'k KnownRecord<'_>],
    references: &References<'_>,
    is_table: bool,
) -> Vec<ColumnWorth<'k>> {
    let mut columns: Vec<ColumnWorth<'k>> = Vec::new();
    let mut same_figures: HashMap<&str, bool> = HashMap::new();
    for known in rows {
        for (at, column) in known.record.columns.iter().enumerate() {
            // Ids that stand in a longer list say nothing new.
            let repeated = repeated_ids(&known.record, at);
            let mut worth: i32 = column
                .identifiers
                .iter()
                .filter(|text| !repeated.contains(&text.as_str()))
                .map(|text| {
                    let is_code = kinds_of(text).is_some_and(|kinds| kinds & CODE != 0);
                    references.chance_of(text) + if is_code { CODE_WORTH } else { 0 }
                })
                .sum();
            // Records that belong together have a value each.
            let parts = i32::try_from(column.text.split(PARTS).count()).unwrap_or(1);
            let longest_part = column.text.split(PARTS).map(str::len).max().unwrap_or(0);
            if column.text.split(PARTS).all(is_timestamp) {
                worth = worth.min(TIMESTAMP_WORTH);
            }
            if column.is_nested && column.text.bytes().any(|byte| byte.is_ascii_digit()) {
                worth += LIST_WORTH * parts;
                worth += ITEM_WORTH * named_items(&column.text);
            } else if (!column.is_nested || known.record.holder.is_some())
                && longest_part <= LONGEST_SHORT
                && !stands_elsewhere(&known.record, at)
            {
                worth += SHORT_WORTH * parts;
            }
            if STATE_COLUMNS.contains(&column.name.as_str()) {
                worth += STATE_WORTH * parts;
            }
            if is_personal(&column.name) {
                worth = 0;
            }
            let is_key = at == known.record.key;
            let figures = column.figures.as_ref().filter(|_| {
                let name = column.name.as_str();
                let same = same_figures.entry(name);
                is_table && *same.or_insert_with(|| have_same_figures(rows, name))
            });
            let text = figures.map_or(column.text.as_str(), |figures| &figures.values);
            let length = text.len() + 1;
            let has_room = columns.len() < MOST_COLUMNS;
            match columns.iter_mut().find(|other| other.name == column.name) {
                Some(other) => {
                    other.worth = other.worth.saturating_add(worth);
                    other.length += length;
                    other.longest = other.longest.max(text.len());
                    other.is_key |= is_key;
                }
                None if has_room => columns.push(ColumnWorth {
                    name: &column.name,
                    is_key,
                    worth,
                    length,
                    longest: text.len(),
                    is_link: is_link(text),
                    figures: figures.map(|figures| figures.names.as_str()),
                }),
                None => {}
            }
        }
    }
    columns
}

/// Returns true if all records that have a column have figures of the same names in it.
fn have_same_figures(rows: &[&KnownRecord<'_>], name: &str) -> bool {
    let mut columns = rows.iter().filter_map(|known| known.record.column(name));
    let names_of = |column: &RecordColumn| column.figures.as_ref().map(|it| it.names.clone());
    let Some(first) = columns.next().and_then(names_of) else {
        return false;
    };
    columns.all(|column| {
        column
            .figures
            .as_ref()
            .is_some_and(|figures| figures.names == first)
    })
}

/// Returns true for a column that says where somebody lives or is reached, or when a record was
/// made or changed. No later call asks for it.
fn is_personal(name: &str) -> bool {
    PERSONAL_COLUMNS
        .iter()
        .any(|personal| name.eq_ignore_ascii_case(personal))
}

/// Returns true if a nested column of a record repeats the value of a column.
fn stands_elsewhere(record: &ResultRecord, at: usize) -> bool {
    let text = record.columns[at].text.as_str();
    record
        .columns
        .iter()
        .any(|other| other.is_nested && other.text.split([' ', ';', ',']).any(|part| part == text))
}

/// Returns the identifiers of a column that a longer list of the record repeats, if these are several.
fn repeated_ids(record: &ResultRecord, at: usize) -> Vec<&str> {
    let column = &record.columns[at];
    let longer = record.columns.iter().filter(|other| {
        other.is_nested && column.is_nested && other.text.len() > column.text.len()
    });
    let held = longer.map(|other| {
        let ids = column.identifiers.iter().map(String::as_str);
        let held = ids.filter(|id| other.identifiers.iter().any(|own| own == id));
        held.collect::<Vec<&str>>()
    });
    held.max_by_key(Vec::len)
        .filter(|held| held.len() >= LEAST_REPEATED)
        .unwrap_or_default()
}

/// Minimum number of identifiers that one list repeats of another.
const LEAST_REPEATED: usize = 2;

/// Returns the number of items of a list that begin with a name and have an id.
fn named_items(list: &str) -> i32 {
    let is_named = |item: &&str| {
        let mut words = item.split_whitespace();
        let has_name = words.next().is_some_and(|word| {
            word.len() > 1 && word.chars().all(|c| c.is_alphabetic() || c == '-')
        });
        has_name && words.any(is_long_number)
    };
    let items = list.split(ITEM_END).filter(is_named).count();
    i32::try_from(items).unwrap_or(i32::MAX)
}

/// Returns true if all records have the same value in a column, or none.
fn is_constant(rows: &[&KnownRecord<'_>], name: &str) -> bool {
    let mut values = rows
        .iter()
        .map(|known| known.record.column(name).map(|column| &column.text));
    let first = values.next();
    values.all(|value| Some(value) == first)
}

/// Returns true for a flag: rules often ask for one, also for that which all records share.
fn is_flag(value: &str) -> bool {
    FLAGS.iter().any(|flag| value.eq_ignore_ascii_case(flag))
}

/// The values of flags.
const FLAGS: [&str; 4] = ["yes", "no", "true", "false"];

/// Returns the values that all rows share and that the agent may need, in brackets.
pub(super) fn constant_values(
    rows: &[&KnownRecord<'_>],
    columns: &[ShownColumn],
    references: &References<'_>,
) -> String {
    let Some(first) = rows.first() else {
        return String::new();
    };
    let constants: Vec<String> = first
        .record
        .columns
        .iter()
        .filter(|column| {
            !column.is_nested
                && !columns.iter().any(|shown| shown.name == column.name)
                && (is_flag(&column.text)
                    || (column.identifiers.iter())
                        .any(|text| references.chance_of(text) >= LEAST_CHANCE))
                && is_constant(rows, &column.name)
        })
        .map(|column| format!("{} {}", column.name, column.text))
        .collect();
    if constants.is_empty() {
        String::new()
    } else {
        format!(" ({})", constants.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::facts::records::records_of;
    use crate::summary::extract::lex::json_tree::parse_json_tree;

    #[test]
    fn what_a_list_repeats_says_nothing_new() {
        let json = r#"{"trip_id": "T-17", "origin": "SEA", "cabin": "economy",
            "legs": [{"from": "SEA", "to": "JFK", "flight": "HAT230"}]}"#;
        let record = &records_of(&parse_json_tree(json).unwrap(), &[])[0];
        let repeated: Vec<bool> = (0..record.columns.len())
            .map(|at| stands_elsewhere(record, at))
            .collect();
        assert_eq!(repeated, [false, true, false, false]);
    }

    #[test]
    fn a_list_of_named_items_counts_and_the_ids_that_another_list_repeats_do_not() {
        let json = r#"{"order_id": "A-17", "sent": [{"box": "B-900", "ids": ["74536053", "24924655"]}],
            "items": [{"name": "Lamp", "id": "74536053", "price": 8.5}, {"name": "Bag", "id": "24924655"}]}"#;
        let record = &records_of(&parse_json_tree(json).unwrap(), &[])[0];
        assert_eq!(named_items(&record.columns[2].text), 2);
        assert_eq!(named_items("HAT230 SEA 74536053; 2024-05-01 74536054"), 0);
        assert_eq!(repeated_ids(record, 1), ["74536053", "24924655"]);
        assert!(repeated_ids(record, 2).is_empty());
    }
}
