//! A plan: the decision about one conversation, as plain serializable data.
//!
//! The planner makes a [`Plan`], [`apply`](crate::running::apply::apply) applies it, and reports
//! describe it. A dry run prints the same plan that a compaction applies. A plan holds everything
//! except the text of a summary, for which it leaves a [`Hole`].

mod decision;
mod edit;

pub(crate) use decision::Refusal;
pub use decision::{Fate, Plan, Reason, SkipCause};
pub(crate) use edit::overlay_edits;
pub use edit::{
    ClearedInputs, Edit, Eviction, Hole, PruneCause, Pruning, Stage, Summary, Truncation,
};
