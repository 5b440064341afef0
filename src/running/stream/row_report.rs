//! The entry of a conversation in a row: that of a report without its place.

use crate::reporting::report::{TranscriptReport, TranscriptStatus};
use serde_json::Value;

/// The keys of an entry that say where the record stood. They are not in a row, because they depend
/// on the records around it.
const PLACE_KEYS: [&str; 3] = ["file", "line", "column"];

/// A conversation in a row.
pub(super) struct RowReport {
    pub(super) status: TranscriptStatus,
    pub(super) thread_id: Option<String>,
    pub(super) format: Option<&'static str>,
    pub(super) column: Option<u64>,
    pub(super) error: Option<String>,
    pub(super) over_limit: bool,
    pub(super) entry: Value,
}

impl RowReport {
    /// Makes the entry of a compaction or of a plan.
    pub(super) fn from_transcript(report: &TranscriptReport, over_limit: bool) -> Self {
        let mut entry = serde_json::to_value(report).unwrap_or_default();
        remove_place(&mut entry);
        Self {
            status: report.status,
            thread_id: report.thread_id.clone(),
            format: report.format,
            column: report.column,
            error: report.error.clone(),
            over_limit,
            entry,
        }
    }
}

/// Removes the place of a record from an entry.
pub(super) fn remove_place(entry: &mut Value) {
    if let Some(object) = entry.as_object_mut() {
        for key in PLACE_KEYS {
            object.shift_remove(key);
        }
    }
}
