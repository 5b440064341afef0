//! The parts of `report.json`.
//!
//! Entries are written as transcripts finish, so the report is never held in memory.

use serde::Serialize;

/// The version of the schema of `report.json`.
pub(crate) const REPORT_VERSION: u32 = 1;

/// The capacity for a serialized entry, in bytes. Most entries fit.
const USUAL_ENTRY_BYTES: usize = 1024;

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
    let mut json = Vec::with_capacity(USUAL_ENTRY_BYTES);
    // Writing to memory doesn't fail, and every field of an entry can be serialized.
    let _ = serde_json::to_writer(&mut json, entry);
    json
}

/// Returns the separator before an entry.
#[must_use]
pub(crate) fn entry_separator(is_first: bool) -> &'static [u8] {
    if is_first { b"\n    " } else { b",\n    " }
}

/// Returns everything after the last entry.
#[must_use]
pub(crate) fn report_closing(totals: &impl Serialize) -> String {
    let totals = serde_json::to_string(totals).unwrap_or_default();
    format!("\n  ],\n  \"totals\": {totals}\n}}\n")
}
