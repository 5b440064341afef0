//! Makes records of the objects in a map from ids to objects: the variants of a product.

use super::record_values::{RecordColumn, column_of_member, is_id_name};
use super::records::{MOST_COLUMNS, MOST_RECORDS, ResultRecord};
use crate::summary::extract::lex::clip::CLIP_MARK;
use crate::summary::extract::lex::json_tree::ResultTree;
use std::borrow::Cow;

/// Adds a record. The objects of a map that is too long for a column become records of their own, with the key
/// and the name of the record that holds them.
pub(super) fn push_record(
    records: &mut Vec<ResultRecord>,
    mut record: ResultRecord,
    tree: &ResultTree<'_>,
) {
    let ResultTree::Object(members) = tree else {
        return records.push(record);
    };
    let mut held = Vec::new();
    for (name, value) in members {
        let is_cut =
            |column: &RecordColumn| column.name == *name && column.text.ends_with(CLIP_MARK);
        if let Some(entries) = map_entries(value)
            && let Some(at) = record.columns.iter().position(is_cut)
            && at != record.key
        {
            let owner = owner_columns(&record);
            let entries = entries.iter();
            let entries = entries.filter_map(|(id, entry)| record_of_entry(id, entry, &owner));
            held.extend(entries.map(|entry| ResultRecord {
                holder: Some(record.key_text().to_owned()),
                ..entry
            }));
            record.columns.remove(at);
            record.key -= usize::from(at < record.key);
        }
    }
    records.push(record);
    records.extend(held);
}

/// Returns the entries of a map from ids to objects. Returns `None` for any other value.
fn map_entries<'t, 'j>(value: &'t ResultTree<'j>) -> Option<&'t [(Cow<'j, str>, ResultTree<'j>)]> {
    let ResultTree::Object(members) = value else {
        return None;
    };
    let is_entry = |(name, value): &(Cow<'_, str>, ResultTree<'_>)| {
        is_id_name(name) && matches!(value, ResultTree::Object(_))
    };
    // Of a part nobody knows that it is one.
    (members.len() <= MOST_RECORDS && members.iter().all(is_entry)).then_some(members.as_slice())
}

/// Returns the columns that tell whose entries a map holds: the key of the record, and its name.
fn owner_columns(record: &ResultRecord) -> Vec<RecordColumn> {
    let names = record.columns.iter().enumerate();
    let telling =
        names.filter(|(at, column)| *at == record.key || OWNER_NAMES.contains(&&*column.name));
    telling.map(|(_, column)| column.clone()).collect()
}

/// Names of members that hold the name of what a record is about.
const OWNER_NAMES: [&str; 2] = ["name", "title"];

/// Returns the record of an entry of a map. The id that the entry repeats, or that it stands under, is its key.
fn record_of_entry(
    id: &str,
    entry: &ResultTree<'_>,
    owner: &[RecordColumn],
) -> Option<ResultRecord> {
    let ResultTree::Object(members) = entry else {
        return None;
    };
    let mut columns: Vec<RecordColumn> = Vec::new();
    for (name, value) in members {
        columns.extend(column_of_member(name, value));
    }
    let key = match columns.iter().position(|column| column.text == id) {
        Some(key) => key,
        None => {
            columns.insert(0, RecordColumn::of_text("id", id));
            0
        }
    };
    columns.extend(owner.iter().cloned());
    (columns.len() <= MOST_COLUMNS).then_some(ResultRecord {
        columns,
        key,
        holder: None,
    })
}

#[cfg(test)]
mod tests {
    use crate::summary::extract::facts::records::records_of;
    use crate::summary::extract::lex::json_tree::parse_json_tree;

    /// Returns the records of a product with so many variants, each as a line.
    fn records_with(count: usize) -> Vec<String> {
        let variants: Vec<String> = (0..count)
            .map(|number| {
                let id = 7_101_000 + number;
                format!(r#""{id}": {{"item_id": "{id}", "options": {{"color": "green", "size": "{number} inch"}}, "price": {number}.5}}"#)
            })
            .collect();
        let json = format!(
            r#"{{"name": "Pump", "product_id": "4760268", "variants": {{{}}}}}"#,
            variants.join(", ")
        );
        let records = records_of(&parse_json_tree(&json).unwrap(), &[]);
        let columns = |record: &super::ResultRecord| {
            let columns = record.columns.iter();
            let columns = columns.map(|column| format!("{}={}", column.name, column.text));
            columns.collect::<Vec<_>>().join(" ")
        };
        records
            .iter()
            .map(|record| format!("{}: {}", record.key_text(), columns(record)))
            .collect()
    }

    #[test]
    fn the_entries_of_a_long_map_are_records_of_their_own() {
        let few = records_with(2);
        assert_eq!(few.len(), 1);
        assert!(few[0].contains("variants=7101000"), "{few:?}");
        let many = records_with(30);
        assert_eq!(many.len(), 31);
        assert_eq!(many[0], "4760268: name=Pump product_id=4760268");
        assert_eq!(
            many[30],
            "7101029: item_id=7101029 options=green 29 inch price=29.5 name=Pump product_id=4760268"
        );
    }
}
