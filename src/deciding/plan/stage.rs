//! The stages of the planner.

use serde::{Deserialize, Serialize};

/// A stage of the planner. The variants are in the order in which the stages run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Moves large tool results into files.
    Evict,
    /// Shortens long string arguments of old calls.
    Truncate,
    /// Replaces old tool results by a placeholder.
    Prune,
    /// Replaces results that repeat further down by a reference.
    Dedup,
    /// Shortens long results in their structure.
    Cut,
    /// Replaces the messages before the cutoff by a summary.
    Summarize,
    /// Shrinks a conversation that still exceeds its limit, by edits of the other stages.
    Overflow,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Self; 7] = [
        Self::Evict,
        Self::Truncate,
        Self::Prune,
        Self::Dedup,
        Self::Cut,
        Self::Summarize,
        Self::Overflow,
    ];

    /// Returns the stage's name in plans, reports and options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Evict => "evict",
            Self::Truncate => "truncate",
            Self::Prune => "prune",
            Self::Dedup => "dedup",
            Self::Cut => "cut",
            Self::Summarize => "summarize",
            Self::Overflow => "overflow",
        }
    }
}
