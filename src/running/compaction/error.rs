//! The reasons why a conversation is written unchanged.

use crate::base::error::describe_with_causes;
use crate::deciding::planner::PlanError;
use crate::files::output::WriteError;
use crate::running::compaction::planned::{CompactionNotes, Planned};
use crate::running::conversation::{Panicked, UnplannableError};
use crate::summary::SummaryError;

/// The reason why a conversation is not compacted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CompactionError {
    /// No decision can be made about it.
    #[error(transparent)]
    Unplannable(#[from] UnplannableError),
    /// There is no summary.
    #[error(transparent)]
    Summary(#[from] SummaryError),
    /// There is a summary, but the conversation gets too long with it.
    #[error(transparent)]
    UnusableSummary(#[from] PlanError),
    /// Its log has no place for a compaction.
    #[error(
        "{format} can't be compacted in place: it has no record of a compaction; use --to openai (or anthropic, sharegpt, langchain)"
    )]
    NoPlaceInLog {
        /// The name of the log's format.
        format: &'static str,
    },
    /// The archive can't be written.
    #[error("{}", describe_with_causes(.0))]
    Archive(#[from] WriteError),
    /// A fault of this program.
    #[error(transparent)]
    Panicked(#[from] Panicked),
}

/// A compaction that failed after its plan: the conversation is written unchanged.
pub(crate) struct FailedCompaction<'c, 'u> {
    /// The plan as it was decided.
    pub planned: Planned<'c, 'u>,
    /// The notes that were taken until it failed.
    pub notes: CompactionNotes,
    /// The reason.
    pub error: CompactionError,
}
