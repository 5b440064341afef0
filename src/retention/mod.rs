//! How much of what the future needed does a compaction keep? Measured without
//! a model: a logged session goes on past the cut, so what the assistant came
//! back to is known (spec: summary, "Metric").
//!
//! A needed reference is an identifier that the assistant itself writes after
//! the cut, that nobody else wrote again before it did, that occurs in what was
//! compacted, and that stands neither in the system prompt nor in the messages
//! next to the cut. The compacted transcript is its only carrier.

mod bootstrap;
mod cut;
mod identifiers;
mod needs;
mod passage;
mod scores;

pub use bootstrap::{ConfidenceInterval, bootstrap_interval};
pub use cut::{SEEN_TAIL, SessionCut, session_cuts};
pub use needs::FutureNeeds;
pub use passage::{Passage, PassageCall};
pub use scores::{KeptRatio, METRICS, RetentionMetric, RetentionScores};
