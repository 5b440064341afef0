//! The policy: what the user asked for, as data, and its pure evaluation.
//! Settings fill it in once; nothing after that reads an option.

mod amount;
mod definition;
mod model;
mod overflow;
mod presets;
mod stages;
mod summarizer;
mod threshold;
mod thresholds;

pub(crate) use amount::{Amount, Clause, Keep, Trigger};
pub(crate) use definition::Policy;
pub(crate) use model::{CachePlace, CallPrice, Dialect, ModelPolicy};
pub(crate) use overflow::OverflowPolicy;
pub(crate) use presets::{PRESETS, Preset};
pub(crate) use stages::{ArchivePolicy, Evict, OnGrowth, Prune, Truncate};
pub(crate) use summarizer::{OnFailure, SummarizerKind, SummarizerPolicy, SummaryTemplate};
pub(crate) use threshold::{ContextSize, KeepCount, MissingLimit, Threshold};
pub(crate) use thresholds::Thresholds;
