//! The parts of `report.json`.
//!
//! Entries are written as transcripts finish, so the report is never held in memory.

use crate::foreign_text::harmless_json;
use serde::Serialize;

/// The version of the schema of `report.json`.
pub(crate) const REPORT_VERSION: u32 = 1;

/// Returns everything before the first entry.
#[must_use]
pub(crate) fn report_opening() -> String {
    format!(
        "{{\n  \"version\": {REPORT_VERSION},\n  \"tool\": \"epitome {}\",\n  \"transcripts\": [",
        env!("CARGO_PKG_VERSION")
    )
}

/// Returns an entry as JSON on one line.
#[must_use]
pub(crate) fn report_entry(entry: &impl Serialize) -> Vec<u8> {
    // Every field of an entry can be serialized.
    harmless_json(serde_json::to_string(entry).unwrap_or_default()).into_bytes()
}

/// Returns the separator before an entry.
#[must_use]
pub(crate) fn entry_separator(is_first: bool) -> &'static [u8] {
    if is_first { b"\n    " } else { b",\n    " }
}

/// Returns everything after the last entry.
#[must_use]
pub(crate) fn report_closing(totals: &impl Serialize) -> String {
    let totals = harmless_json(serde_json::to_string(totals).unwrap_or_default());
    format!("\n  ],\n  \"totals\": {totals}\n}}\n")
}
