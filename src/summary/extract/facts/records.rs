//! Reads the records in a result: the objects of JSON that have a key, each as columns.

use super::map_records::push_record;
use super::record_values::{NamedFigures, PARTS, RecordColumn, column_of_member};
use crate::summary::extract::lex::identifier_kinds::{CODE, kinds_of};
use crate::summary::extract::lex::json_tree::ResultTree;
use std::borrow::Cow;

/// Maximum number of columns of a record. A larger object is a document.
pub(super) const MOST_COLUMNS: usize = 40;
/// Maximum number of members of an object that only wraps a list of records.
const MOST_WRAPPER_MEMBERS: usize = 5;
/// Maximum number of records in a result.
pub(super) const MOST_RECORDS: usize = 60;
/// Maximum length in bytes of a value that can be the key of a record.
const LONGEST_KEY_VALUE: usize = 40;

/// A record: an object of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ResultRecord {
    pub(crate) columns: Vec<RecordColumn>,
    /// Index of the column that tells records apart.
    pub(crate) key: usize,
    /// The key of the record that holds this one in a map.
    pub(crate) holder: Option<String>,
}

impl ResultRecord {
    /// Returns the value that tells this record from others.
    pub(crate) fn key_text(&self) -> &str {
        &self.columns[self.key].text
    }

    pub(crate) fn column(&self, name: &str) -> Option<&RecordColumn> {
        self.columns.iter().find(|column| column.name == name)
    }
}

/// Returns the records of a result. Empty if it holds none. `arguments` are values of the call that
/// found them, for what the records lack.
pub(crate) fn records_of(tree: &ResultTree<'_>, arguments: &[RecordColumn]) -> Vec<ResultRecord> {
    let list = match tree {
        ResultTree::List(items) => items.as_slice(),
        ResultTree::Object(members) => match inner_list(members) {
            Some(items) => items,
            None => std::slice::from_ref(tree),
        },
        _ => return Vec::new(),
    };
    if list.len() > MOST_RECORDS {
        return Vec::new();
    }
    let mut records = Vec::new();
    for item in list {
        match record_of(item, arguments) {
            Some(record) => push_record(&mut records, record, item),
            // A list with anything else is no table.
            None => return Vec::new(),
        }
    }
    records
}

/// Returns the list of objects that an object without a key of its own wraps.
fn inner_list<'t, 'j>(
    members: &'t [(Cow<'j, str>, ResultTree<'j>)],
) -> Option<&'t [ResultTree<'j>]> {
    // An object with more than the list and a few figures about it is a record with a list in it.
    if members.len() > MOST_WRAPPER_MEMBERS {
        return None;
    }
    let mut list = None;
    for (name, value) in members {
        match value {
            ResultTree::List(items)
                if list.is_none()
                    && !items.is_empty()
                    && items
                        .iter()
                        .all(|item| matches!(item, ResultTree::Object(_))) =>
            {
                list = Some(items.as_slice());
            }
            ResultTree::Text(text) if !(is_key_value(text) && is_key_name(name)) => {}
            ResultTree::Word(_) => {}
            _ => return None,
        }
    }
    list
}

/// Returns the record that an object is, or a list of objects that belong together.
fn record_of(tree: &ResultTree<'_>, arguments: &[RecordColumn]) -> Option<ResultRecord> {
    let mut columns = Vec::new();
    match tree {
        ResultTree::Object(members) => {
            for (name, value) in members {
                columns.extend(column_of_member(name, value));
            }
        }
        ResultTree::List(items) => {
            let mut first = None;
            for item in items {
                let ResultTree::Object(members) = item else {
                    return None;
                };
                first.get_or_insert(members);
            }
            for (name, _) in first? {
                let texts = items.iter().filter_map(|item| match item {
                    ResultTree::Object(members) => members.iter().find(|(other, _)| other == name),
                    _ => None,
                });
                let mut merged: Option<RecordColumn> = None;
                for (_, value) in texts {
                    if let Some(column) = column_of_member(name, value) {
                        match &mut merged {
                            None => merged = Some(column),
                            Some(merged) => {
                                merged.figures =
                                    both_figures(merged.figures.take(), column.figures);
                                if merged.text != column.text {
                                    merged.text.push_str(PARTS);
                                    merged.text.push_str(&column.text);
                                }
                                merged.identifiers.extend(column.identifiers);
                            }
                        }
                    }
                }
                columns.extend(merged);
            }
        }
        _ => return None,
    }
    if columns.is_empty() || columns.len() > MOST_COLUMNS {
        return None;
    }
    let missing: Vec<RecordColumn> = arguments
        .iter()
        .filter(|argument| {
            !columns
                .iter()
                .any(|column| column.name == argument.name || column.text == argument.text)
        })
        .cloned()
        .collect();
    if key_column(&columns).is_some() {
        columns.extend(missing);
    } else {
        columns.splice(0..0, missing);
    }
    let key = key_column(&columns)?;
    Some(ResultRecord {
        columns,
        key,
        holder: None,
    })
}

/// Returns the figures of two objects with the same names.
fn both_figures(first: Option<NamedFigures>, other: Option<NamedFigures>) -> Option<NamedFigures> {
    let (mut first, other) = (first?, other?);
    if first.names != other.names {
        return None;
    }
    first.values.push_str(PARTS);
    first.values.push_str(&other.values);
    Some(first)
}

/// Returns the index of the column that tells records apart: the first id, number or code among
/// the values of the record itself.
fn key_column(columns: &[RecordColumn]) -> Option<usize> {
    let is_key = |column: &RecordColumn| !column.is_nested && is_key_value(&column.text);
    columns
        .iter()
        .position(|column| is_key(column) && is_key_name(&column.name))
        .or_else(|| {
            columns.iter().position(|column| {
                is_key(column) && kinds_of(&column.text).is_some_and(|kinds| kinds & CODE != 0)
            })
        })
}

fn is_key_value(text: &str) -> bool {
    text.len() >= 2
        && text.len() <= LONGEST_KEY_VALUE
        && text.bytes().any(|byte| byte.is_ascii_alphanumeric())
        && !text.replace(PARTS, "").contains(char::is_whitespace)
}

/// Returns true for a name like `order_id`, `flightNumber`, `sku`.
pub(crate) fn is_key_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["id", "number", "code", "key", "sku", "uuid", "no"]
        .iter()
        .any(|end| {
            name.strip_suffix(end).is_some_and(|before| {
                before.is_empty() || before.ends_with(['_', '-', ' ']) || *end != "no"
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::lex::json_tree::parse_json_tree;

    fn lines_of(json: &str) -> Vec<String> {
        records_of(&parse_json_tree(json).unwrap(), &[])
            .iter()
            .map(|record| {
                let columns: Vec<String> = record
                    .columns
                    .iter()
                    .map(|column| format!("{}={}", column.name, column.text))
                    .collect();
                format!("{} | {}", record.key_text(), columns.join(" | "))
            })
            .collect()
    }

    #[test]
    fn an_object_with_a_key_is_a_record() {
        let json = r#"{"order_id": "A-17", "total": 12.50, "paid": true, "note": null,
            "items": [{"sku": "X-71", "price": 4}, {"sku": "X-72", "price": 8}],
            "cards": {"card_771": {"id": "card_771", "limit": 90}}}"#;
        assert_eq!(
            lines_of(json),
            [
                "A-17 | order_id=A-17 | total=12.50 | paid=yes | items=X-71 price 4; X-72 8 | cards=card_771 limit 90"
            ]
        );
    }

    #[test]
    fn the_items_of_a_list_are_records() {
        for json in [
            r#"[{"id": "A1", "n": 5}, {"id": "B2", "n": 6}]"#,
            r#"{"status": "ok", "found": [{"id": "A1", "n": 5}, {"id": "B2", "n": 6}]}"#,
        ] {
            assert_eq!(lines_of(json), ["A1 | id=A1 | n=5", "B2 | id=B2 | n=6"]);
        }
        let legs = r#"[[{"from": "here", "to": "there"}, {"from": "there", "to": "home"}]]"#;
        assert!(
            lines_of(legs).is_empty(),
            "without a key there is no record"
        );
        let legs =
            r#"[[{"flight_number": "HAT1", "at": "x"}, {"flight_number": "HAT2", "at": "x"}]]"#;
        assert_eq!(
            lines_of(legs),
            ["HAT1 + HAT2 | flight_number=HAT1 + HAT2 | at=x"]
        );
    }

    #[test]
    fn prose_and_data_are_no_records() {
        for json in [
            r#"["a", "b"]"#,
            r#"{"text": "it went well"}"#,
            "[]",
            "{}",
            "[1, 2]",
        ] {
            assert!(lines_of(json).is_empty(), "{json}");
        }
    }
}
