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
