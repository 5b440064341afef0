//! The interface of summarizers. A summarizer fills the hole that a plan leaves;
//! it takes no part in the decision or in the rewrite.

use crate::deciding::policy::SummaryTemplate;
use crate::reading::transcript::view::ViewedTurn;
use crate::reporting::report::SummaryUsage;
use crate::summary::error::SummaryError;
use crate::summary::prompt::SummaryPrompt;

/// The number of bytes at the beginning and at the end of a long text that a summarizer without a
/// prompt reads. Later turns name what is there (a file, a listing): `evaluate` on the metric's
/// data sets gave no higher recall with 64 KB, at several times the cost.
pub(crate) const LONG_TEXT_END_BYTES: usize = 4 * 1024;
/// The number of bytes of kept messages that such a summarizer reads, the nearest messages first
/// and the system prompt last. With 4 KB `evaluate` gave the same recall on tau-bench and SWE-agent sessions,
/// but .515 instead of .561 on a long coding session.
pub(crate) const KEPT_TEXT_BYTES: usize = 16 * 1024;

/// The input of a summarizer.
pub(crate) struct SummaryRequest<'r> {
    /// The id of the conversation.
    pub thread_id: &'r str,
    /// The messages to summarise, after trimming and without system messages. Of long results both
    /// ends, of at least [`LONG_TEXT_END_BYTES`] bytes each.
    pub turns: &'r [ViewedTurn<'r>],
    /// The messages that stay beside the summary: those after the summarised ones, then the system
    /// prompt, up to at least [`KEPT_TEXT_BYTES`] bytes. Of long messages both ends.
    pub kept: &'r [ViewedTurn<'r>],
    /// The sections of the summary.
    pub template: SummaryTemplate,
    /// The maximum length of the summary in tokens of the policy's counter. At least 1.
    pub budget: usize,
    /// Counts the tokens of a text with the policy's counter.
    pub count: &'r dyn Fn(&str) -> usize,
    /// Builds the prompt for a model. Only called if it is needed.
    pub prompt: &'r dyn Fn() -> SummaryPrompt,
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SummaryAnswer {
    /// The summary as the summarizer wrote it.
    pub text: Result<String, SummaryError>,
    /// The calls and tokens that it took, if a model was asked.
    pub asked: Option<SummaryUsage>,
}

/// An answer that may still be worked on.
pub(crate) enum PendingAnswer<'p> {
    /// The answer.
    Ready(SummaryAnswer),
    /// Waits for the answer.
    Later(Box<dyn FnOnce() -> SummaryAnswer + Send + 'p>),
}

impl PendingAnswer<'_> {
    /// Returns the answer, after waiting for it if needed.
    pub(crate) fn wait(self) -> SummaryAnswer {
        match self {
            Self::Ready(answer) => answer,
            Self::Later(wait) => wait(),
        }
    }
}

/// A writer of summaries.
pub(crate) trait Summarizer: Send + Sync {
    /// Writes a summary. Fails if there is no summary. The transcript then stays unchanged.
    fn summarize(&self, request: &SummaryRequest<'_>) -> Result<String, SummaryError>;

    /// Begins to write a summary, without waiting for others to finish it.
    fn begin<'s>(&'s self, request: &SummaryRequest<'_>) -> PendingAnswer<'s> {
        PendingAnswer::Ready(SummaryAnswer { text: self.summarize(request), asked: None })
    }

    /// Returns the most calls to a model that may be in flight at the same time; 0 if no model is
    /// asked.
    fn concurrent_calls(&self) -> usize {
        0
    }

    /// Returns true if summaries are the answers of a model: the caller waits for them without work
    /// of its own.
    fn asks_model(&self) -> bool {
        self.concurrent_calls() > 0
    }
}
