//! Data sets for fine-tuning: samples of a replay as the rows that a trainer takes, and the files
//! that hold them.
//!
//! A target is a file in `targets/` and a line in [`DATASET_TARGETS`]. It gets a chat that was
//! converted and checked, and knows no source format.

mod card;
mod chat_turns;
mod columns;
mod drops;
mod options;
#[cfg(feature = "parquet")]
mod parquet_rows;
mod row_maker;
mod sample_media;
mod seen_rows;
mod shard_file;
mod sketch;
mod sums;
mod target;
mod targets;
mod thread_rows;
mod training_mask;
mod writer;

pub(crate) use card::CardFacts;
pub(crate) use columns::{ColumnUse, RowColumns};
pub(crate) use drops::{DROPPED_FILE, DropReason};
pub(crate) use options::{DataFileType, DatasetOptions, Duplicates, SplitShares};
pub(crate) use row_maker::{RowMaker, SampleAnswers};
pub(crate) use sums::DatasetSums;
pub(crate) use target::DatasetTarget;
pub(crate) use targets::DATASET_TARGETS;
pub(crate) use thread_rows::{MadeSample, ThreadRows};
pub(crate) use training_mask::{TrainingMask, find_values, is_excluded, is_zero};
pub(crate) use writer::DatasetWriter;
