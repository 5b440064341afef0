//! Reasons why there is no summary. `Display` gives the text that reports hold.

use std::path::PathBuf;
use thiserror::Error;

/// The reason why a summary is missing. The transcript then stays unchanged, or another summarizer
/// is used.
#[derive(Debug, Clone, PartialEq, Error)]
pub(crate) enum SummaryError {
    #[error("the summary is empty")]
    Empty,
    /// The summary has more code points than the conversation.
    #[error("the summary is longer than what it replaces: {length} characters for {replaced}")]
    TooLong { length: usize, replaced: usize },
    #[error("the summary lacks the heading {0:?}")]
    MissingHeading(String),
    #[error(
        "the answer was cut off at its length limit; a larger summarizer.max_output_tokens may help"
    )]
    CutOff,
    #[error("the answer was withheld by a content filter")]
    Withheld,
    /// The model refused without a reason.
    #[error("the model refused")]
    Refused,
    /// The model refused and said why.
    #[error("the model refused: {0}")]
    RefusedBecause(String),
    /// The server ended the answer early, for this reason.
    #[error("the server cut the answer off: {0}")]
    BrokenOff(String),
    #[error("the model called a tool instead of writing a summary")]
    ToolCalled,
    /// The answer has content of another kind than text.
    #[error("the answer is not text")]
    NotText,
    /// The request got no answer, or an error as its answer.
    #[error("{0}")]
    RequestFailed(String),
    /// The conversation exceeds the model's input limit, even with its middle cut out.
    #[error("{0}; also with the middle of the conversation cut out")]
    InputTooLong(String),
    /// No request was sent.
    #[error("not asked: {0}")]
    NotAsked(NotAskedReason),
    /// The summarizer program failed.
    #[error("the summarizer {} {failure}", program.display())]
    Command { program: PathBuf, failure: String },
    /// The result files hold no result for the request with this id.
    #[error("no result for its request (custom_id {0})")]
    MissingResult(String),
    /// The result can't be read again.
    #[error("{0}")]
    UnreadableResult(String),
    /// The line at this place is no longer the result that it was.
    #[error("{0} has changed meanwhile")]
    ChangedResult(String),
    /// The result has a structure that no interface defines.
    #[error("unknown result format")]
    UnknownResultForm,
    #[error("internal error: asking the model panicked; please report it")]
    Panicked,
}

impl SummaryError {
    /// Replaces every quoted text by `mask(text)`.
    pub(crate) fn masked(self, mask: impl Fn(&str) -> String) -> Self {
        match self {
            Self::MissingHeading(text) => Self::MissingHeading(mask(&text)),
            Self::RefusedBecause(text) => Self::RefusedBecause(mask(&text)),
            Self::BrokenOff(text) => Self::BrokenOff(mask(&text)),
            Self::RequestFailed(text) => Self::RequestFailed(mask(&text)),
            Self::InputTooLong(text) => Self::InputTooLong(mask(&text)),
            Self::NotAsked(NotAskedReason::RunFailed(text)) => {
                Self::NotAsked(NotAskedReason::RunFailed(mask(&text)))
            }
            other => other,
        }
    }
}

/// The reason why no request was sent.
#[derive(Debug, Clone, PartialEq, Error)]
pub(crate) enum NotAskedReason {
    /// The run has made all calls that it may make.
    #[error("the limit of {limit} calls is reached (summarizer.max_calls)")]
    CallLimit { limit: u64 },
    /// The call could exceed the cost that the run may have.
    #[error(
        "with this call, of about ${dollars:.4}, the run could cost more than ${limit} (summarizer.max_cost)"
    )]
    CostLimit { dollars: f64, limit: f64 },
    /// A signal ended the run.
    #[error("the run was interrupted")]
    Interrupted,
    /// The run stops because no call can succeed, for this reason.
    #[error("{0}")]
    RunFailed(String),
}
