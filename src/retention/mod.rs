//! Measures how many of the identifiers that a session needs later survive a
//! compaction.
//!
//! A logged session is compacted at a point in its middle, the cut. The messages
//! after the cut show which earlier identifiers the assistant needed, so no model
//! has to judge.
//!
//! A needed reference is an identifier that
//!
//! - the assistant writes after the cut,
//! - nobody else wrote again between the cut and that point,
//! - occurs in the compacted messages, and
//! - occurs neither in the system prompt nor in the messages next to the cut.
//!
//! Only the compacted text can carry such a reference past the cut. See `docs/reference/summaries.md`.

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
