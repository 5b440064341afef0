//! The published cases, and what each expects.

use crate::promises::reader::without_lone_surrogates;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Expected field, and what `report.json` calls it.
pub(crate) const FIELDS: [(&str, &str); 7] = [
    ("summarized", "summarized"),
    ("cutoff_index", "cutoff_index"),
    ("total_tokens", "total_tokens"),
    ("tokens_sent", "tokens_after"),
    ("truncated_args", "truncated_args"),
    ("evicted", "evicted"),
    ("status", "status"),
];

/// Fields of a replayed model call.
pub(crate) const CALL_FIELDS: [&str; 7] =
    ["at", "summarized", "cutoff_index", "total_tokens", "tokens_sent", "n_sent", "truncated_args"];

pub(crate) const NULL: Value = Value::Null;

/// One case: its line of the file as it is spelled, and read.
pub(crate) struct Case {
    pub(crate) raw: String,
    pub(crate) read: Value,
}

pub(crate) fn parse(json: &str) -> Value {
    serde_json::from_str(&without_lone_surrogates(json))
        .unwrap_or_else(|error| panic!("{error}: {json}"))
}

pub(crate) fn load(name: &str) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/conformance").join(name);
    let text =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| Case { raw: line.to_owned(), read: parse(line) })
        .collect()
}

pub(crate) fn expectations(name: &str) -> BTreeMap<String, Value> {
    load(name)
        .into_iter()
        .map(|case| (text(&case.read["name"]), case.read["expected"].clone()))
        .collect()
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
