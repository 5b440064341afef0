//! The row of a record.

use crate::base::foreign_text::{HarmlessJson, harmless_json};
use crate::files::archive::path_below::ArchiveFilePath;
use crate::reporting::report::{TranscriptReport, TranscriptStatus};
use crate::running::stream::piece_reader::PieceKind;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{self, BufWriter, Write};

pub(crate) const ROW_VERSION: u32 = 1;

/// The row of a record. The fields and their order are a contract: see `docs/reference/rows.md`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct StreamRow {
    /// The version of the row.
    pub v: u32,
    /// The first line of the record in the stream, from 1.
    pub line: u64,
    /// The number of lines that the record takes.
    pub lines: u64,
    /// The kind of input that the record is.
    pub unit: PieceKind,
    /// What became of the record.
    pub status: TranscriptStatus,
    /// The thread id of its first conversation.
    pub thread_id: Option<String>,
    pub format: Option<String>,
    /// The record as it leaves. Absent if nothing is carried out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub record: Option<StoredBytes>,
    /// The archive files of what was removed. Absent if they are left out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub removed: Option<Vec<RemovedFile>>,
    /// What restores the input from the record, in order. Absent if nothing is carried out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub undo: Option<Vec<RowUndo>>,
    /// The entry of its first conversation in a report, without its place. Null for a blank line.
    pub report: Option<Value>,
    /// The entries of further conversations in the record.
    pub more_reports: Vec<Value>,
    /// The column of the error, if a single byte caused it.
    pub column: Option<u64>,
    pub error: Option<String>,
    /// True if a result still exceeds a limit.
    pub over_limit: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RemovedFile {
    /// The path below an archive directory.
    pub name: ArchiveFilePath,
    pub text: StoredBytes,
}

/// The inverse of an edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RowUndo {
    /// The offset of the new bytes in the record.
    pub at: u64,
    /// The number of new bytes.
    pub len: u64,
    /// The bytes that were there.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bytes: Option<StoredBytes>,
    /// The place of these bytes in the input, in their stead.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub input: Option<InputPlace>,
}

/// Bytes of an input that is kept elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct InputPlace {
    /// Their offset in the input.
    pub at: u64,
    /// Their number.
    pub len: u64,
    /// Their SHA-256, in hex.
    pub sha256: String,
}

/// The bytes of what a row holds from which on it is rendered while it is written.
const LONG_ROW: usize = 1 << 20;

/// A row as a line of JSON.
pub(crate) enum RenderedRow {
    Line(String),
    /// A long row, of which there is no second copy in memory.
    Long(Box<StreamRow>),
}

impl RenderedRow {
    /// Writes the line. Fails if it can't be written.
    pub(crate) fn write_to(&self, output: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Line(line) => output.write_all(line.as_bytes()),
            Self::Long(row) => {
                let mut buffer = BufWriter::new(&mut *output);
                serde_json::to_writer(HarmlessJson(&mut buffer), row)?;
                buffer.write_all(b"\n")?;
                buffer.flush()
            }
        }
    }
}

impl StreamRow {
    /// Renders the row as a line of JSON.
    pub(crate) fn render(self) -> RenderedRow {
        if self.stored_bytes() > LONG_ROW {
            return RenderedRow::Long(Box::new(self));
        }
        // Every field can be serialized.
        let json = serde_json::to_string(&self).unwrap_or_default();
        RenderedRow::Line(harmless_json(json) + "\n")
    }

    fn stored_bytes(&self) -> usize {
        let removed = self.removed.iter().flatten().map(|file| &file.text);
        let undo = self.undo.iter().flatten();
        let stored = removed.chain(undo.filter_map(|undo| undo.bytes.as_ref()));
        stored.chain(&self.record).map(StoredBytes::len).sum()
    }
}

/// The keys of an entry that say where the record stood. They are not in a row, because they depend
/// on the records around it.
const PLACE_KEYS: [&str; 3] = ["file", "line", "column"];

#[derive(Default)]
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

/// Bytes in JSON: a string, or an object with the key `base64` where they are no UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum StoredBytes {
    /// Bytes in UTF-8.
    Text(String),
    /// Any other bytes.
    Base64 {
        /// The bytes in the standard alphabet, with padding.
        base64: String,
    },
}

impl From<Vec<u8>> for StoredBytes {
    fn from(bytes: Vec<u8>) -> Self {
        String::from_utf8(bytes).map_or_else(
            |error| Self::Base64 { base64: STANDARD.encode(error.as_bytes()) },
            Self::Text,
        )
    }
}

impl StoredBytes {
    /// Returns the length in a row, but for escapes.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Text(text) | Self::Base64 { base64: text } => text.len(),
        }
    }

    /// Returns the bytes; none if they are no base64.
    pub(crate) fn into_bytes(self) -> Option<Vec<u8>> {
        match self {
            Self::Text(text) => Some(text.into_bytes()),
            Self::Base64 { base64 } => STANDARD.decode(base64).ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_come_back(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            let json = serde_json::to_string(&StoredBytes::from(bytes.clone())).unwrap();
            let stored: StoredBytes = serde_json::from_str(&json).unwrap();
            prop_assert_eq!(stored.into_bytes(), Some(bytes));
        }
    }
}
