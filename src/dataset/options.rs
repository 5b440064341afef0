//! The options of a data set.

use crate::dataset::split::SplitShares;
use crate::dataset::target::DatasetTarget;

/// The options of a data set.
pub(crate) struct DatasetOptions {
    pub(crate) target: &'static DatasetTarget,
    pub(crate) splits: SplitShares,
    /// The size in bytes that a shard does not exceed, unless a single row does.
    pub(crate) shard_bytes: u64,
    /// The seed of the order of the rows. None for the order of the input.
    pub(crate) shuffle: Option<u64>,
    pub(crate) duplicates: Duplicates,
    pub(crate) file_type: DataFileType,
}

impl DatasetOptions {
    /// Returns true if no row can be written before all are made.
    pub(super) fn writes_at_the_end(&self) -> bool {
        self.shuffle.is_some() || self.file_type != DataFileType::JsonLines
    }
}

/// The type of the files that hold the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DataFileType {
    JsonLines,
    #[cfg(feature = "parquet")]
    Parquet,
}

impl DataFileType {
    /// Returns the extension of the names of the files.
    pub(super) fn extension(self) -> &'static str {
        match self {
            Self::JsonLines => "jsonl",
            #[cfg(feature = "parquet")]
            Self::Parquet => "parquet",
        }
    }
}

/// What becomes of rows that an earlier one resembles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Duplicates {
    /// All rows are written.
    Kept,
    /// Rows that are the same as an earlier one are dropped.
    ExactDropped,
    /// Also rows are dropped whose text is nearly that of an earlier one.
    NearDropped,
}
