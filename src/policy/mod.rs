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

pub use amount::{Amount, Clause, Keep, Trigger};
pub use definition::Policy;
pub use model::{CachePlace, CallPrice, Dialect, ModelPolicy};
pub use overflow::OverflowPolicy;
pub use presets::{PRESETS, Preset};
pub use stages::{ArchivePolicy, Evict, OnGrowth, Prune, Summarize, Truncate};
pub use summarizer::{OnFailure, SummarizerKind, SummarizerPolicy, SummaryTemplate};
pub use threshold::{ContextSize, KeepCount, MissingLimit, ModelRoom, Threshold};
pub use thresholds::Thresholds;
