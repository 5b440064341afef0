//! Shares with their counts: of all items together, and averaged over cuts, so that few large cuts
//! don't decide; and the marks of answers.

use crate::base::sums::add_fields;
use serde::{Serialize, Serializer};
use std::ops::AddAssign;

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
        Self { kept: self.kept.min(limit), total: self.total.min(limit) }
    }

    /// Returns the share of kept items, from 0 to 1. Returns `None` if there are no items.
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    pub(crate) fn share(self) -> Option<f64> {
        (self.total > 0).then(|| self.kept as f64 / self.total as f64)
    }
}

add_fields!(KeptRatio: kept, total);

/// The counts of several cuts, and the sum of their shares.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct MeanRatio {
    /// The counts of all cuts together.
    pub counts: KeptRatio,
    /// The sum of the shares of the cuts.
    pub shares: f64,
    /// The number of cuts that have a share.
    pub cuts: u64,
}

/// The shape of a mean in reports.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SerializedMean {
    /// The number of kept items.
    kept: u64,
    /// The number of all items.
    of: u64,
    /// The mean of the shares of the cuts. Null if no cut has any.
    mean: Option<f64>,
}

#[cfg(test)]
impl schemars::JsonSchema for MeanRatio {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "MeanRatio".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        SerializedMean::json_schema(generator)
    }
}

impl MeanRatio {
    /// Returns the mean over one cut.
    pub(super) fn from_cut(counts: KeptRatio) -> Self {
        Self {
            counts,
            shares: counts.share().unwrap_or_default(),
            cuts: u64::from(counts.total > 0),
        }
    }

    /// Returns the mean of the shares of the cuts. Returns `None` if no cut has any.
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    pub(crate) fn mean(self) -> Option<f64> {
        (self.cuts > 0).then(|| self.shares / self.cuts as f64)
    }
}

add_fields!(MeanRatio: counts, shares, cuts);

impl Serialize for MeanRatio {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        SerializedMean { kept: self.counts.kept, of: self.counts.total, mean: self.mean() }
            .serialize(serializer)
    }
}

/// What a part of an answer is worth beside its share: half an answer helps a reader less than half.
const PART_WORTH: f64 = 0.8;

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Mark {
    /// From 0, nothing of it is there, to 1, all is.
    #[serde(rename = "mark")]
    pub share: f64,
    /// True if the summary says what is stale or refused.
    pub misleads: bool,
}

impl Mark {
    /// Creates the mark for so many halves of groups, of which `enough` whole ones are all.
    #[expect(clippy::cast_precision_loss, reason = "groups are few")]
    pub(super) fn new(halves: usize, enough: usize, misleads: bool) -> Self {
        let share = if halves >= 2 * enough {
            1.0
        } else {
            PART_WORTH * (halves as f64 / 2.0) / enough as f64
        };
        Self { share, misleads }
    }
}

/// The marks of several answers together.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct AnswerScores {
    /// The sum of the marks; `counts` are whole answers.
    pub answered: MeanRatio,
    /// Answers that mislead.
    pub misleading: KeptRatio,
}

impl AddAssign<Mark> for AnswerScores {
    fn add_assign(&mut self, mark: Mark) {
        self.answered += MeanRatio {
            counts: KeptRatio::from_kept([mark.share >= 1.0].into_iter()),
            shares: mark.share,
            cuts: 1,
        };
        self.misleading += KeptRatio::from_kept([mark.misleads].into_iter());
    }
}

add_fields!(AnswerScores: answered, misleading);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cut_weighs_the_same() {
        let mut mean = MeanRatio::from_cut(KeptRatio { kept: 1, total: 2 });
        mean += MeanRatio::from_cut(KeptRatio { kept: 0, total: 98 });
        mean += MeanRatio::from_cut(KeptRatio::default());
        assert_eq!(mean.mean(), Some(0.25));
        assert_eq!(serde_json::to_string(&mean).unwrap(), r#"{"kept":1,"of":100,"mean":0.25}"#);
        assert_eq!(MeanRatio::default().mean(), None);
    }
}
