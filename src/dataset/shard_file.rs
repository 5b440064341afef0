//! A shard of a split while it is written, and the rows that wait for the end of the run.

use crate::dataset::options::{DataFileType, DatasetOptions};
#[cfg(feature = "parquet")]
use crate::dataset::parquet_rows::ParquetShard;
use crate::dataset::target::Feature;
use crate::files::output::{
    NamedFile, OutputSpool, OutputTree, StagedFile, StagedName, WriteError,
};
use std::io::{self, Write};
use twox_hash::XxHash3_128;

/// The form of the shards of a data set.
pub(super) struct ShardForm<'f> {
    pub(super) file_type: DataFileType,
    /// The size in bytes that a shard does not exceed, unless a single row does.
    pub(super) most_bytes: u64,
    /// The columns. Lines of JSON need none.
    #[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "lines need none"))]
    pub(super) features: &'f [Feature],
}

impl<'f> ShardForm<'f> {
    pub(super) fn new(options: &DatasetOptions, features: &'f [Feature]) -> Self {
        Self { file_type: options.file_type, most_bytes: options.shard_bytes, features }
    }
}

/// A shard of a split while it is written.
pub(super) enum ShardFile {
    Lines {
        file: StagedFile,
        bytes: u64,
    },
    #[cfg(feature = "parquet")]
    Parquet(Box<ParquetShard<StagedFile>>),
}

impl ShardFile {
    pub(super) fn create(
        name: &str,
        form: &ShardForm<'_>,
        tree: &OutputTree,
    ) -> Result<Self, WriteError> {
        let file = tree.create_result(name)?;
        Ok(match form.file_type {
            DataFileType::JsonLines => Self::Lines { file, bytes: 0 },
            #[cfg(feature = "parquet")]
            DataFileType::Parquet => {
                let path = file.path().to_path_buf();
                let shard = ParquetShard::new(file, form.features);
                Self::Parquet(Box::new(shard.map_err(WriteError::of_file(&path))?))
            }
        })
    }

    /// Returns true if there is no room for a row of so many bytes behind the others.
    pub(super) fn is_full(&self, row_bytes: u64, form: &ShardForm<'_>) -> bool {
        let bytes = match self {
            Self::Lines { bytes, .. } => *bytes,
            #[cfg(feature = "parquet")]
            Self::Parquet(shard) => shard.size(),
        };
        bytes > 0 && bytes + row_bytes > form.most_bytes
    }

    /// Appends a row with its line end.
    pub(super) fn push(&mut self, row: &[u8]) -> Result<(), WriteError> {
        let written = match self {
            Self::Lines { file, bytes } => {
                *bytes += row.len() as u64;
                file.write_all(row)
            }
            #[cfg(feature = "parquet")]
            Self::Parquet(shard) => shard.push(row),
        };
        written.map_err(|error| self.write_error(error))
    }

    fn write_error(&self, error: io::Error) -> WriteError {
        let file = match self {
            Self::Lines { file, .. } => file,
            #[cfg(feature = "parquet")]
            Self::Parquet(shard) => shard.file(),
        };
        WriteError::of_file(file.path())(error)
    }

    pub(super) fn finish(self) -> Result<StagedName, WriteError> {
        match self {
            Self::Lines { file, .. } => file.finish(),
            #[cfg(feature = "parquet")]
            Self::Parquet(shard) => {
                let path = shard.file().path().to_path_buf();
                let file = shard.finish().map_err(WriteError::of_file(&path))?;
                file.finish()
            }
        }
    }
}

struct RowPlace {
    /// The hash that the rows are sorted by.
    key: u64,
    offset: u64,
    bytes: u64,
}

/// Rows in an order that a seed gives, or in their own.
pub(super) struct RowStore {
    seed: Option<u64>,
    spool: OutputSpool,
    places: Vec<RowPlace>,
    end: u64,
}

impl RowStore {
    pub(super) fn new(seed: Option<u64>, spool: OutputSpool) -> Self {
        Self { seed, spool, places: Vec::new(), end: 0 }
    }

    pub(super) fn push(&mut self, row: &[u8]) -> io::Result<()> {
        let number = (self.places.len() as u64).to_le_bytes();
        let key = self.seed.map_or(0, |seed| XxHash3_128::oneshot_with_seed(seed, &number) as u64);
        let bytes = row.len() as u64;
        self.places.push(RowPlace { key, offset: self.end, bytes });
        self.end += bytes;
        self.spool.push(row)
    }

    /// Returns the number of rows.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Puts the rows into their order.
    pub(super) fn shuffle(&mut self) {
        self.places.sort_unstable_by_key(|place| (place.key, place.offset));
    }

    /// Returns the row that is at `index` in the order.
    pub(super) fn row(&mut self, index: usize) -> io::Result<Vec<u8>> {
        let RowPlace { offset, bytes, .. } = self.places[index];
        self.spool.read_range(offset, bytes)
    }
}
