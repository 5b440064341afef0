//! Records: JSON results as tables. A record has one row with its newest state; what a call changed
//! is noted there.

use super::rows::{RowRecord, Table, flatten};
use crate::summary::extract::lexicon::QUIET_ARGUMENTS;
use crate::summary::extract::prelude::*;

/// The most records that are read of a result, and the most rows that are offered of a table.
const MOST_OF_RESULT: usize = 30;
const MOST_ROWS: usize = 40;
/// A table with more rows tells only the chosen columns.
const MOST_WITH_MORE: usize = 8;
/// The longest argument that is told with a record, in bytes.
const LONGEST_ARGUMENT: usize = 40;
/// A map of this many objects holds records under their keys.
const LEAST_OF_MAP: usize = 3;
/// The most members of an object beside the list that it wraps.
const MOST_BESIDE_LIST: usize = 4;

/// Offers the rows of all tables.
pub(crate) fn offer<'s>(reading: &'s Reading<'s>, values: &[i64], lines: &mut Vec<Candidate<'s>>) {
    let mut tables: Vec<Table> = Vec::new();
    for call in &reading.session.calls {
        if let Some(result) = &call.result
            && let Some(json) = &result.json
            && !result.failed
        {
            collect_records(call, json, &mut tables);
        }
    }
    for (group, table) in tables.iter_mut().enumerate() {
        table.merge_states();
        let columns = table.choose_columns(reading, values);
        let heading = table.heading(&columns);
        let start = table.records.len().saturating_sub(MOST_ROWS);
        for (number, record) in table.records[start..].iter().enumerate() {
            let signs = Signs {
                number,
                of: table.records.len(),
                siblings: record.siblings,
                changes: record.changed_by.is_some(),
                ..Signs::default()
            };
            let text = Cow::Owned(record.render(&columns));
            let line = Candidate::new(Kind::Row, (record.message, 4 * number), text, signs.clone());
            lines.push(line.under(group, Cow::Owned(heading.clone())));
            if table.records.len() > MOST_WITH_MORE {
                continue;
            }
            for (place, text) in record.more(&columns).into_iter().enumerate() {
                let at = (record.message, 4 * number + place + 1);
                let line = Candidate::new(Kind::Row, at, Cow::Owned(text), signs.clone());
                lines.push(line.under(group, Cow::Owned(heading.clone())));
            }
        }
    }
}

/// Adds the records of a result to the table of their kind: that of their own id, else of the tool.
fn collect_records(call: &Call<'_>, json: &JsonValue<'_>, tables: &mut Vec<Table>) {
    let Some(found) = find_records(json) else {
        return;
    };
    let siblings = found.len();
    for (key, value) in found.into_iter().take(MOST_OF_RESULT) {
        let mut record = RowRecord {
            cells: flatten(value, key),
            message: call.result.as_ref().map_or(call.message, |result| result.message),
            siblings,
            changed_by: (call.effect == Effect::Change).then(|| call.tool.to_string()),
        };
        if record.cells.is_empty() {
            continue;
        }
        let own = (siblings == 1).then(|| record.own_key()).flatten();
        if let Some(place) = own {
            let cell = record.cells.remove(place);
            record.cells.insert(0, cell);
        }
        record.add_arguments(call);
        let name = match own {
            Some(_) => record.cells[0].0.clone(),
            None => call.tool.to_string(),
        };
        match tables.iter_mut().find(|table| table.name == name) {
            Some(table) => table.records.push(record),
            None => tables.push(Table { name, has_key: own.is_some(), records: vec![record] }),
        }
    }
}

/// Returns the records of a result, each with its key in a map.
fn find_records<'j>(json: &'j JsonValue<'_>) -> Option<Vec<(Option<&'j str>, &'j JsonValue<'j>)>> {
    let is_object =
        |value: &JsonValue<'_>| matches!(value, JsonValue::Object(members) if !members.is_empty());
    match json {
        JsonValue::Object(members) => {
            let is_map =
                members.len() >= LEAST_OF_MAP && members.iter().all(|(_, value)| is_object(value));
            if is_map {
                let records = members.iter().map(|(key, value)| (Some(key.as_ref()), value));
                return Some(records.collect());
            }
            let list = members.iter().find_map(|(_, value)| match value {
                JsonValue::List(items) if items.len() > 1 => Some(items),
                _ => None,
            });
            let rest = members.iter().filter(|(_, value)| value.as_text().is_none());
            let wraps_list = rest.count() == 1 && members.len() <= MOST_BESIDE_LIST;
            match list.filter(|items| wraps_list && items.iter().all(is_object)) {
                Some(items) => Some(items.iter().map(|item| (None, item)).collect()),
                None => (members.len() > 1).then(|| vec![(None, json)]),
            }
        }
        JsonValue::List(items) => {
            let is_record = |value: &JsonValue<'_>| {
                is_object(value)
                    || matches!(value, JsonValue::List(parts) if !parts.is_empty() && parts.iter().all(is_object))
            };
            (!items.is_empty() && items.iter().all(is_record))
                .then(|| items.iter().map(|item| (None, item)).collect())
        }
        _ => None,
    }
}

impl RowRecord {
    /// Adds the short arguments of the call that the record does not say itself.
    fn add_arguments(&mut self, call: &Call<'_>) {
        for (key, value) in call.members() {
            let Some(text) = value.as_text() else {
                continue;
            };
            let mut cells = self.cells.iter();
            let is_said = cells.any(|(name, cell)| name == key || cell == text);
            let is_short = !text.is_empty() && text.len() <= LONGEST_ARGUMENT;
            if !is_said && is_short && !QUIET_ARGUMENTS.contains(&key.as_ref()) {
                let cell = (key.to_string(), fold_line(text).into_owned());
                self.cells.push(cell);
            }
        }
    }
}
