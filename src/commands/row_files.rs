//! Files of rows, as `unpack` and `restore` read them.

use crate::files::input::{Compression, InputEntry, InputError, open_decompressed};
use crate::running::stream::{RowReader, StreamRow, StreamRowError};
use std::io::{BufReader, Read};

/// The reason why a file of rows can't be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum RowFileError {
    /// The file can't be opened.
    #[error("{name}")]
    Open { name: String, source: InputError },
    /// A row can't be used.
    #[error("{name}:{line}: the line {error}")]
    Row { name: String, line: u64, error: StreamRowError },
}

/// A file of rows.
pub(super) struct RowFile {
    name: String,
    rows: RowReader<BufReader<Box<dyn Read + Send>>>,
    /// The compression of the file.
    pub(super) compression: Compression,
}

impl RowFile {
    /// Opens a file.
    pub(super) fn open(entry: &InputEntry) -> Result<Self, RowFileError> {
        let opened = open_decompressed(entry);
        let (reader, compression) =
            opened.map_err(|source| RowFileError::Open { name: entry.name.clone(), source })?;
        Ok(Self {
            name: entry.name.clone(),
            rows: RowReader::new(BufReader::new(reader)),
            compression,
        })
    }

    /// Returns the next row, or none at the end.
    pub(super) fn next_row(&mut self) -> Result<Option<StreamRow>, RowFileError> {
        let row = self.rows.next_row();
        row.map_err(|error| self.error(error))
    }

    /// Places an error about the last row.
    pub(super) fn error(&self, error: StreamRowError) -> RowFileError {
        RowFileError::Row { name: self.name.clone(), line: self.rows.line, error }
    }
}
