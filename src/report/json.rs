//! `report.json`, piece by piece: entries are written as they come, so that
//! the report of many transcripts never lies in memory.

use crate::report::VERSION;
use serde::Serialize;

/// What stands before the first entry.
#[must_use]
pub fn opening() -> String {
    format!("{{\n  \"version\": {VERSION},\n  \"tool\": \"epitome {}\",\n  \"transcripts\": [", env!("CARGO_PKG_VERSION"))
}

/// One entry; `first` says whether another stands before it.
#[must_use]
pub fn entry(entry: &impl Serialize, first: bool) -> String {
    let json = serde_json::to_string(entry).unwrap_or_default();
    format!("{}\n    {json}", if first { "" } else { "," })
}

/// What stands behind the last entry.
#[must_use]
pub fn closing(totals: &impl Serialize) -> String {
    let totals = serde_json::to_string(totals).unwrap_or_default();
    format!("\n  ],\n  \"totals\": {totals}\n}}\n")
}
