//! Collects the records of a conversation, each with its newest state and with the calls that
//! changed it.

use super::call_effects::CallWeight;
use super::call_form::CallForm;
use super::exchanges::Exchange;
use super::question_answers::asks_user;
use super::record_values::RecordColumn;
use super::records::{ResultRecord, records_of};
use crate::summary::extract::lex::argument_leaves::{LeafValue, visit_leaves};
use crate::summary::extract::lex::json_tree::parse_json_tree;
use crate::summary::extract::lexicon::argument_names::QUIET_KEYS;
use hashbrown::{HashMap, HashSet};
use std::borrow::Cow;

/// Maximum length in bytes of an argument that describes the records it finds.
const LONGEST_ARGUMENT: usize = 30;
/// Maximum length in bytes of a result that does not tell what kind of results a conversation has, if
/// its call changed nothing: a calculator's number, an error of a few words.
const LONGEST_PASSING: usize = 60;

/// A record as the summary may show it.
#[derive(Debug)]
pub(super) struct KnownRecord<'r> {
    pub(super) record: ResultRecord,
    /// The name of the tool that showed it.
    pub(super) tool: &'r str,
    /// Index of the message of the call that showed its newest state.
    pub(super) message: usize,
    /// The calls that changed it, newest first.
    pub(super) changes: Vec<String>,
    /// Number of records in the result.
    pub(super) company: usize,
}

impl KnownRecord<'_> {
    pub(super) fn key_name(&self) -> &str {
        &self.record.columns[self.record.key].name
    }
}

/// The records of a conversation.
#[derive(Debug, Default)]
pub(crate) struct RecordTables<'r> {
    pub(super) records: Vec<KnownRecord<'r>>,
    /// The names of the calls that changed something else, newest first, by the ids in their
    /// arguments.
    pub(super) changed: HashMap<String, Vec<&'r str>>,
    /// Indices of the exchanges that the records tell.
    pub(crate) told: HashSet<usize>,
    /// Older results were not read. They may hold more records.
    pub(crate) is_cut: bool,
    /// Number of results that hold records, and of others that are long enough to count.
    record_results: usize,
    other_results: usize,
}

impl<'r> RecordTables<'r> {
    /// Collects the records of the newest results, at most `most` of them.
    pub(crate) fn collect(exchanges: &[Exchange<'r>], most: usize) -> Self {
        let mut tables = Self::default();
        // The newest state comes first, and older states of the same record are passed over.
        let mut seen: HashMap<String, usize> = HashMap::new();
        let newest_first = exchanges.iter().enumerate().rev();
        let with_result =
            newest_first.filter_map(|(index, exchange)| Some((index, exchange, exchange.result?)));
        let result_count = exchanges.iter().filter(|call| call.result.is_some());
        tables.is_cut = result_count.count() > most;
        for (index, exchange, result) in with_result.take(most) {
            if tables.records.len() >= most {
                tables.is_cut = true;
                break;
            }
            let weight = exchange.weight();
            let worked = weight == CallWeight::Changes && !exchange.failed;
            let is_passing = result.len() <= LONGEST_PASSING && !worked;
            let CallForm::Tool(call) = exchange.call else {
                tables.other_results += usize::from(!is_passing);
                continue;
            };
            let records = match parse_json_tree(result) {
                Some(tree) if !exchange.failed && !asks_user(exchange.call) => {
                    records_of(&tree, &argument_columns(exchange, weight))
                }
                _ => Vec::new(),
            };
            if records.is_empty() {
                tables.other_results += usize::from(!is_passing);
                if weight == CallWeight::Changes && !exchange.failed {
                    for id in argument_ids(exchange) {
                        tables.changed.entry(id).or_default().push(call.name);
                    }
                }
                continue;
            }
            tables.record_results += 1;
            tables.told.insert(index);
            let held = records.iter().filter(|record| record.holder.is_some());
            let (held, all) = (held.count(), records.len());
            for record in records {
                let company = if record.holder.is_some() {
                    held
                } else {
                    all - held
                };
                let is_single = company == 1;
                let key = record.key_text().to_owned();
                // What was asked for by itself since holds its newer state.
                if record.holder.is_some() && seen.contains_key(&identity_of(&record, true)) {
                    continue;
                }
                let identity = identity_of(&record, is_single);
                let at = *seen.entry(identity).or_insert_with(|| {
                    tables.records.push(KnownRecord {
                        record,
                        tool: call.name,
                        message: exchange.message,
                        changes: Vec::new(),
                        company,
                    });
                    tables.records.len() - 1
                });
                // Calls without a record of their own came after this one.
                let names = tables.changed.remove(&key).unwrap_or_default();
                let known = &mut tables.records[at];
                known.changes.extend(names.into_iter().map(str::to_owned));
                if weight == CallWeight::Changes {
                    known.changes.push(call.name.to_string());
                } else {
                    known.tool = call.name;
                }
            }
        }
        tables.tell_lookups(exchanges);
        tables
    }

    /// Drops the records of which a record in the messages that stay, `kept` by their keys, has all columns: its
    /// state is newer.
    pub(crate) fn drop_kept(&mut self, kept: &HashMap<String, ResultRecord>) {
        self.records.retain(|known| {
            let newer = kept.get(known.record.key_text());
            !newer.is_some_and(|newer| {
                let mut columns = known.record.columns.iter();
                newer.columns[newer.key].name == known.key_name()
                    && columns.all(|column| newer.column(&column.name).is_some())
            })
        });
    }

    /// Takes note of the calls that only looked up the key of a record: its row tells what they found.
    fn tell_lookups(&mut self, exchanges: &[Exchange<'_>]) {
        let told = self.lookups_in(exchanges);
        self.told.extend(told);
    }

    /// Returns the indices of the calls that found nothing but the key of a record.
    fn lookups_in(&self, exchanges: &[Exchange<'_>]) -> Vec<usize> {
        let keys = self.keys();
        let finds_key = |exchange: &Exchange<'_>| {
            let found = exchange
                .result
                .map(|result| result.trim().trim_matches('"'));
            exchange.weight() == CallWeight::Looks
                && !exchange.failed
                && found.is_some_and(|found| keys.contains(found))
        };
        let calls = exchanges.iter().enumerate();
        let lookups = calls.filter(|(_, exchange)| finds_key(exchange));
        lookups.map(|(index, _)| index).collect()
    }

    /// Returns the values that tell the records apart.
    pub(super) fn keys(&self) -> HashSet<&str> {
        let records = self.records.iter();
        records.map(|known| known.record.key_text()).collect()
    }

    /// Returns the names of the calls that changed what has this id and is no record, newest first.
    pub(super) fn changes_of(&self, id: &str) -> &[&'r str] {
        self.changed.get(id).map_or(&[], Vec::as_slice)
    }

    /// Returns true if most results hold records. They are counted, not measured: one long list does
    /// not make the results of a coding session records.
    pub(crate) fn is_tabular(&self) -> bool {
        self.record_results > self.other_results
    }
}

/// Returns what tells a record from others. Records of a list are the same only if they were found
/// by the same arguments.
fn identity_of(record: &ResultRecord, is_single: bool) -> String {
    let column = &record.columns[record.key];
    let mut identity = format!("{}={}", column.name, column.text);
    if !is_single {
        for column in record
            .columns
            .iter()
            .filter(|column| !column.is_nested)
            .take(6)
        {
            identity.push('|');
            identity.push_str(&column.text);
        }
    }
    identity
}

/// Returns the short arguments of a call that looks, as columns of the records that it found.
fn argument_columns(exchange: &Exchange<'_>, weight: CallWeight) -> Vec<RecordColumn> {
    let mut columns = Vec::new();
    let CallForm::Tool(call) = exchange.call else {
        return columns;
    };
    if weight == CallWeight::Changes {
        return columns;
    }
    visit_leaves(call.arguments, &mut |key, leaf| {
        let Some(value) = decode_short(leaf) else {
            return;
        };
        if value.len() <= LONGEST_ARGUMENT
            && value.chars().any(char::is_alphanumeric)
            && !value.contains(char::is_whitespace)
            && !value.contains(['<', '#'])
            && !key.name.is_empty()
            && !key.name.contains(['<', '\n', '\r'])
            && !QUIET_KEYS.contains(&key.name)
        {
            columns.push(RecordColumn::of_text(key.name, &value));
        }
    });
    columns
}

/// Returns an argument as text if it can be short.
fn decode_short(leaf: LeafValue<'_>) -> Option<Cow<'_, str>> {
    leaf.decode_start(LONGEST_ARGUMENT + 1)
}

/// Returns the short arguments of a call without blanks.
fn argument_ids(exchange: &Exchange<'_>) -> Vec<String> {
    let CallForm::Tool(call) = exchange.call else {
        return Vec::new();
    };
    let mut ids = Vec::new();
    visit_leaves(call.arguments, &mut |_, leaf| {
        if let LeafValue::String(_) = leaf
            && let Some(value) = decode_short(leaf)
            && value.len() <= LONGEST_ARGUMENT
            && value.bytes().any(|byte| byte.is_ascii_digit())
        {
            ids.push(value.into_owned());
        }
    });
    ids
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::facts::call_form::CalledTool;
    use crate::summary::extract::facts::exchanges::Exchanges;

    /// Returns true if calls with these names and results make a conversation of records.
    fn is_tabular(calls: &[(&str, &str)]) -> bool {
        let mut exchanges = Exchanges::default();
        for (number, (name, result)) in calls.iter().enumerate() {
            let call = CalledTool {
                name,
                arguments: "{}",
            };
            let index = exchanges.push_call(number, CallForm::Tool(call));
            exchanges.set_result(index, result, false);
        }
        RecordTables::collect(&exchanges.all, 40).is_tabular()
    }

    #[test]
    fn results_are_counted_but_for_short_ones_that_changed_nothing() {
        let order = ("get_order", r#"{"order_id": "A-17", "state": "open"}"#);
        assert!(is_tabular(&[
            order,
            ("calculate", "17.5"),
            ("calculate", "3")
        ]));
        // One long record among files that were written is no conversation of records.
        let note = "x".repeat(900);
        let long = format!(r#"{{"order_id": "A-17", "note": "{note}"}}"#);
        let (long, written) = (("get_order", &*long), ("write_file", "{}"));
        assert!(is_tabular(&[long]));
        assert!(!is_tabular(&[long, written, written]));
    }
}
