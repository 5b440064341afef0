//! Reading of rows that were made before.

use crate::files::output::WriteError;
use crate::running::stream::piece_reader::PieceKind;
use crate::running::stream::row::{ROW_VERSION, StreamRow};
use std::io::BufRead;

/// The reason why a line is no row that can be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StreamRowError {
    #[error("can't be read")]
    Read(#[source] std::io::Error),
    #[error("is not a row of epitome stream: {0}")]
    NoRow(#[source] serde_json::Error),
    #[error("is a row of version {0}, and this program reads version {ROW_VERSION}")]
    UnknownVersion(u32),
    #[error("has no record: it is a row of `stream plan` or `stream count`")]
    NoRecord,
    #[error("does not hold what restores it (--undo reference or none): the input itself holds it")]
    NoUndo,
    #[error("is damaged: its record is not as long as what restores it says")]
    Misplaced,
    #[error("is damaged: it holds a text that is not base64")]
    NoBase64,
    #[error(
        "is a row of --document, which holds a whole file: write the value of `record` into a file"
    )]
    Document,
    #[error("can't be unpacked")]
    Write(#[source] WriteError),
    #[error("has no archive files of what was removed (--removed none)")]
    NoRemoved,
}

/// The bytes of a row, and what restores them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RowBytes {
    /// The record, with its line end.
    pub record: Vec<u8>,
    /// The edits to undo, in order.
    pub undo: Vec<UndoBytes>,
}

/// The inverse of an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UndoBytes {
    /// The offset of the new bytes in the record.
    pub at: usize,
    /// The number of new bytes.
    pub len: usize,
    /// The bytes that were there.
    pub bytes: Vec<u8>,
}

impl StreamRow {
    /// Takes the record, with its line end, and what restores it. Fails if the row does not hold
    /// them, or holds a whole file.
    pub(crate) fn take_bytes(&mut self) -> Result<RowBytes, StreamRowError> {
        if self.unit == PieceKind::Document {
            return Err(StreamRowError::Document);
        }
        let record = self.record.take().ok_or(StreamRowError::NoRecord)?;
        let mut record = record.into_bytes().ok_or(StreamRowError::NoBase64)?;
        if self.unit == PieceKind::Line {
            record.push(b'\n');
        }
        let mut undo = Vec::new();
        let mut least = 0;
        for entry in self.undo.take().ok_or(StreamRowError::NoUndo)? {
            let bytes = entry.bytes.ok_or(StreamRowError::NoUndo)?;
            let at = usize::try_from(entry.at).map_err(|_| StreamRowError::Misplaced)?;
            let len = usize::try_from(entry.len).map_err(|_| StreamRowError::Misplaced)?;
            let end = at.checked_add(len).filter(|end| *end <= record.len());
            if at < least {
                return Err(StreamRowError::Misplaced);
            }
            least = end.ok_or(StreamRowError::Misplaced)?;
            undo.push(UndoBytes {
                at,
                len,
                bytes: bytes.into_bytes().ok_or(StreamRowError::NoBase64)?,
            });
        }
        Ok(RowBytes { record, undo })
    }
}

impl RowBytes {
    /// Returns the input, byte for byte.
    pub(crate) fn restore(&self) -> Vec<u8> {
        let mut input = Vec::with_capacity(self.record.len());
        let mut at = 0;
        for undo in &self.undo {
            input.extend_from_slice(&self.record[at..undo.at]);
            input.extend_from_slice(&undo.bytes);
            at = undo.at + undo.len;
        }
        input.extend_from_slice(&self.record[at..]);
        input
    }
}

pub(crate) struct RowReader<R> {
    lines: R,
    /// The number of the last line, from 1.
    pub(crate) line: u64,
}

impl<R: BufRead> RowReader<R> {
    /// Begins at the first line.
    pub(crate) fn new(lines: R) -> Self {
        Self { lines, line: 0 }
    }

    /// Returns the next row, or none at the end. Blank lines are skipped. Fails if the line can't
    /// be read, or is no row of this version.
    pub(crate) fn next_row(&mut self) -> Result<Option<StreamRow>, StreamRowError> {
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = self.lines.read_until(b'\n', &mut line);
            if read.map_err(StreamRowError::Read)? == 0 {
                return Ok(None);
            }
            self.line += 1;
            if !line.trim_ascii().is_empty() {
                break;
            }
        }
        let row: StreamRow = serde_json::from_slice(&line).map_err(StreamRowError::NoRow)?;
        match row.v {
            ROW_VERSION => Ok(Some(row)),
            version => Err(StreamRowError::UnknownVersion(version)),
        }
    }
}
