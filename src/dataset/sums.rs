//! The figures of a data set.

use crate::dataset::drops::DropReason;
use serde::Serialize;
use std::collections::BTreeMap;

pub(super) const DATA_FOLDER: &str = "data";

/// The sums over the rows of a split.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct SplitSums {
    pub(crate) split: String,
    pub(crate) samples: u64,
    pub(crate) answers: u64,
    pub(crate) messages: u64,
    pub(crate) tokens: u64,
    /// Tokens of the longest sample.
    pub(crate) longest: usize,
    pub(crate) bytes: u64,
    /// The files, in order.
    pub(crate) files: Vec<String>,
}

/// The sums over a data set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct DatasetSums {
    pub(crate) target: &'static str,
    pub(crate) splits: Vec<SplitSums>,
    /// The number of samples that are not written, by reason.
    pub(crate) dropped: BTreeMap<DropReason, u64>,
    /// The number of samples whose last answers are not written, as they are too long.
    pub(crate) shortened: u64,
    /// The number of answers that would have been trained on and are not written.
    pub(crate) answers_dropped: u64,
}

impl DatasetSums {
    /// Returns true if no sample was written.
    pub(crate) fn is_empty(&self) -> bool {
        self.splits.iter().all(|split| split.samples == 0)
    }

    /// Returns true if anything was dropped.
    pub(crate) fn has_drops(&self) -> bool {
        self.shortened > 0 || !self.dropped.is_empty()
    }
}
