//! `report.json`, piece by piece: entries are written as they come, so that
//! the report of many transcripts never lies in memory.

use crate::report::VERSION;
use serde::Serialize;

/// What stands before the first entry.
#[must_use]
pub fn report_opening() -> String {
    format!(
        "{{\n  \"version\": {VERSION},\n  \"tool\": \"epitome {}\",\n  \"transcripts\": [",
        env!("CARGO_PKG_VERSION")
    )
}

/// What most entries have room in, in bytes.
const USUAL_ENTRY: usize = 1024;

/// One entry, as it stands between those before and behind it.
#[must_use]
pub fn report_entry(entry: &impl Serialize) -> Vec<u8> {
    let mut json = Vec::with_capacity(USUAL_ENTRY);
    // Memory takes all there is to write, and all of an entry has a form.
    let _ = serde_json::to_writer(&mut json, entry);
    json
}

/// What stands before an entry; `first` says whether it is the first.
#[must_use]
pub fn entry_separator(first: bool) -> &'static [u8] {
    if first { b"\n    " } else { b",\n    " }
}

/// What stands behind the last entry.
#[must_use]
pub fn report_closing(totals: &impl Serialize) -> String {
    let totals = serde_json::to_string(totals).unwrap_or_default();
    format!("\n  ],\n  \"totals\": {totals}\n}}\n")
}
