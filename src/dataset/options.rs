//! The options of a data set, and its splits: every thread goes into one, by the hash of its id.

use crate::dataset::target::DatasetTarget;
use std::str::FromStr;
use twox_hash::XxHash3_128;

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

/// The name of the only split, if none are asked for.
const ONLY_SPLIT: &str = "train";
/// The error up to which shares add up to 1.
const TOLERANCE: f64 = 1e-6;

/// The splits of a data set, with the share of threads in each.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SplitShares {
    shares: Vec<(String, f64)>,
}

impl Default for SplitShares {
    fn default() -> Self {
        Self { shares: vec![(ONLY_SPLIT.to_owned(), 1.0)] }
    }
}

impl FromStr for SplitShares {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut shares: Vec<(String, f64)> = Vec::new();
        for part in text.split(',') {
            let (name, share) = part
                .split_once('=')
                .ok_or_else(|| format!("{part:?} is not NAME=SHARE: write train=0.98,test=0.02"))?;
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if name.is_empty() || !name.chars().all(is_name) {
                return Err(format!("{name:?} can't name a split: use letters, digits and '_'"));
            }
            if shares.iter().any(|(known, _)| known.eq_ignore_ascii_case(name)) {
                return Err(format!("the split {name} is given twice"));
            }
            let value: Option<f64> = share.parse().ok();
            let value = value
                .filter(|value| *value > 0.0 && *value <= 1.0)
                .ok_or_else(|| format!("the share {share:?} is not a number above 0, up to 1"))?;
            shares.push((name.to_owned(), value));
        }
        let sum: f64 = shares.iter().map(|(_, share)| share).sum();
        if (sum - 1.0).abs() > TOLERANCE {
            return Err(format!("the shares add up to {sum:.6}, not to 1"));
        }
        Ok(Self { shares })
    }
}

impl SplitShares {
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.shares.iter().map(|(name, _)| name.as_str())
    }

    /// Returns the index of the split of a thread. The same id always gives the same split.
    pub(super) fn split_of(&self, thread_id: &str) -> usize {
        // 53 bits make a number from 0 to 1 without rounding.
        let hash = XxHash3_128::oneshot(thread_id.as_bytes()) as u64 >> 11;
        let position = hash as f64 / (1_u64 << 53) as f64;
        let mut end = 0.0;
        let found = self.shares.iter().position(|(_, share)| {
            end += share;
            position < end
        });
        found.unwrap_or(self.shares.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_checked() {
        for (text, problem) in [
            ("train", "\"train\" is not NAME=SHARE: write train=0.98,test=0.02"),
            ("a b=1", "\"a b\" can't name a split: use letters, digits and '_'"),
            ("a=0.5,A=0.5", "the split A is given twice"),
            ("a=0,b=1", "the share \"0\" is not a number above 0, up to 1"),
            ("a=nan,b=1", "the share \"nan\" is not a number above 0, up to 1"),
            ("a=0.5,b=0.4", "the shares add up to 0.900000, not to 1"),
        ] {
            let error = text.parse::<SplitShares>().unwrap_err();
            assert_eq!(error, problem);
        }
    }

    #[test]
    fn threads_spread_by_their_shares() {
        let splits: SplitShares = "train=0.9,test=0.1".parse().unwrap();
        let in_test =
            (0..10_000).filter(|number| splits.split_of(&format!("thread-{number}")) == 1).count();
        assert!((900..1100).contains(&in_test), "{in_test}");
        assert_eq!(splits.split_of("a"), splits.split_of("a"));
    }
}
