//! Measures how much of what a session needs later a compaction keeps.
//!
//! No model is involved: a logged session continues after the cut, so the
//! identifiers that the assistant came back to are known.
//!
//! A needed reference is an identifier that
//!
//! - the assistant writes after the cut,
//! - nobody else wrote again between the cut and that point,
//! - occurs in the compacted messages, and
//! - occurs neither in the system prompt nor in the messages next to the cut.
//!
//! So the compacted text is its only carrier. See `docs/reference/summaries.md`.

mod bootstrap;
mod cut;
mod identifiers;
mod needs;
mod passage;
mod ratio;
mod scores;

pub(crate) use bootstrap::{ConfidenceInterval, bootstrap_interval};
pub(crate) use cut::{SEEN_TAIL, SessionCut, session_cuts};
pub(crate) use needs::FutureNeeds;
pub(crate) use passage::Passage;
pub(crate) use ratio::KeptRatio;
pub(crate) use scores::{METRICS, RetentionMetric, RetentionScores};
