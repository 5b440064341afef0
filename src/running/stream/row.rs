//! The row of a record.

use crate::base::foreign_text::{HarmlessJson, harmless_json};
use crate::files::archive::path_below::ArchiveFilePath;
use crate::reporting::report::TranscriptStatus;
use crate::running::stream::piece_reader::PieceKind;
use crate::running::stream::stored_bytes::StoredBytes;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{self, BufWriter, Write};

/// The version of the row.
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
    /// The name of its format.
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
    /// The first error.
    pub error: Option<String>,
    /// True if a result still exceeds a limit.
    pub over_limit: bool,
}

/// An archive file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RemovedFile {
    /// The path below an archive directory.
    pub name: ArchiveFilePath,
    /// The contents.
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
    /// Writes the line.
    ///
    /// # Errors
    /// Fails if it can't be written.
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
