//! A share with its counts, so that shares can be added.

use crate::base::sums::add_fields;
use serde::Serialize;

/// The number of kept items out of all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct KeptRatio {
    /// The number of kept items.
    pub kept: u64,
    /// The number of all items.
    #[serde(rename = "of")]
    pub total: u64,
}

impl KeptRatio {
    /// Counts the items and those that are true.
    pub(super) fn from_kept(kept: impl Iterator<Item = bool>) -> Self {
        kept.fold(Self::default(), |ratio, kept| Self {
            kept: ratio.kept + u64::from(kept),
            total: ratio.total + 1,
        })
    }

    /// Returns the ratio with both counts limited to `limit`.
    pub(super) fn capped(self, limit: u64) -> Self {
        Self {
            kept: self.kept.min(limit),
            total: self.total.min(limit),
        }
    }

    /// Returns the share of kept items, from 0 to 1. Returns `None` if there are no items.
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    pub(crate) fn share(self) -> Option<f64> {
        (self.total > 0).then(|| self.kept as f64 / self.total as f64)
    }
}

add_fields!(KeptRatio: kept, total);
