//! The reasons why a summary can't be planned or used.

use crate::deciding::plan::SkipCause;
use crate::deciding::policy::KeepCount;
use thiserror::Error;

/// The reason why a conversation is not summarized although a rule asks for it.
#[derive(Debug, Clone, PartialEq, Error)]
pub(crate) enum PlanError {
    /// The keep rule leaves no message before the cutoff.
    #[error(
        "keep {keep} leaves nothing to summarise: it covers all, or would part a call from its results"
    )]
    NothingBeforeCutoff { keep: KeepCount },
    /// The first message that is no system message is pinned, and can't come before a summary.
    #[error("message {message} is pinned, and this format can't keep a message before a summary")]
    PinnedFirst { message: usize },
    /// All messages before the cutoff are system messages, which are never summarized.
    #[error("only system messages lie before the cutoff")]
    OnlySystemMessages,
    /// All messages before the cutoff belong to an earlier summary.
    #[error(
        "only an earlier summary lies before the cutoff; a summary of a summary alone loses and saves nothing"
    )]
    OnlyEarlierSummary,
    /// The messages before the cutoff are hardly larger than the frame of a summary.
    #[error(
        "not worth it: {replaced} tokens would go, the summary's frame alone costs {frame} (on_growth)"
    )]
    FrameTooLarge { replaced: usize, frame: usize },
    /// The text of the summary makes the conversation larger than it was.
    #[error(
        "the summary came out too long: {tokens} tokens with it, {total_tokens} without (on_growth)"
    )]
    SummaryGrows { tokens: usize, total_tokens: usize },
    /// With the text of the summary the conversation exceeds the limit that it was shrunk to.
    #[error(
        "the summary came out too long: {tokens} tokens with it, more than the limit of {limit}"
    )]
    SummaryOverLimit { tokens: usize, limit: u64 },
}

impl PlanError {
    /// Returns the kind of reason why nothing is summarized.
    pub(super) fn skip_cause(&self) -> SkipCause {
        match self {
            Self::NothingBeforeCutoff { .. }
            | Self::PinnedFirst { .. }
            | Self::OnlySystemMessages => SkipCause::NothingToRemove,
            Self::OnlyEarlierSummary | Self::FrameTooLarge { .. } | Self::SummaryGrows { .. } => {
                SkipCause::NotWorthIt
            }
            Self::SummaryOverLimit { .. } => SkipCause::CannotFit,
        }
    }
}
