//! Who writes a summary. A `Summarizer` fills the hole that a plan leaves,
//! outside the decision and outside the rewrite.

pub mod cache;
pub mod command;
pub mod conversation;
pub mod extract;
pub mod http;
pub mod model;
pub mod prompt;
pub mod stop;

use crate::policy::{SummarizerKind, Template};
use crate::report::SummaryUsage;
use crate::transcript::view::ViewedTurn;
pub use prompt::SummaryPrompt;

/// How many bytes of the beginning and of the end of a long text a summarizer without a prompt reads. What a later turn
/// names of a long result (a file, a listing) stands there: `evaluate` on the metric's data sets gave no higher recall
/// with 64 KB, at several times the cost.
pub const LONG_TEXT_END_BYTES: usize = 4 * 1024;
/// Of the messages that stay, it reads those of so many bytes, the nearest ones first and the system prompt last.
/// With 4 KB `evaluate` gave the same recall on the metric's data sets, but .515 for .561 on a long coding session.
pub const KEPT_TEXT_BYTES: usize = 16 * 1024;

/// What a summarizer is asked.
pub struct SummaryRequest<'r> {
    /// The conversation's id.
    pub thread_id: &'r str,
    /// The messages to summarise: after trimming, without system messages. Of long results both ends, of at least [`LONG_TEXT_END_BYTES`] bytes.
    pub turns: &'r [ViewedTurn<'r>],
    /// What stays in the conversation beside the summary: the messages after those to summarise, then the system prompt; at
    /// least [`KEPT_TEXT_BYTES`] bytes of them, if there are so many. Of long ones both ends.
    pub kept: &'r [ViewedTurn<'r>],
    /// Which sections it has.
    pub template: Template,
    /// How long the summary may be, in tokens of the policy's counter. At least 1.
    pub budget: usize,
    /// Tokens of a text, by the policy's counter.
    pub count: &'r dyn Fn(&str) -> usize,
    /// The prompt, for those that ask a model. Built only when called.
    pub prompt: &'r dyn Fn() -> SummaryPrompt,
}

/// What came of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct SummaryAnswer {
    /// The summary as the summarizer wrote it; or a sentence that says why there is none.
    pub text: Result<String, String>,
    /// What asking took, where a model was asked.
    pub asked: Option<SummaryUsage>,
}

/// An answer that is there, or that is worked on elsewhere.
pub enum PendingAnswer<'p> {
    /// It is there.
    Ready(SummaryAnswer),
    /// Waits for it.
    Later(Box<dyn FnOnce() -> SummaryAnswer + Send + 'p>),
}

impl PendingAnswer<'_> {
    /// The answer; waits where it must.
    #[must_use]
    pub fn wait(self) -> SummaryAnswer {
        match self {
            Self::Ready(answer) => answer,
            Self::Later(wait) => wait(),
        }
    }
}

/// Writes summaries. A failure is a sentence that says why.
pub trait Summarizer: Send + Sync {
    /// Writes one summary.
    ///
    /// # Errors
    /// Why there is none; the transcript then stays as it is.
    fn summarize(&self, request: &SummaryRequest<'_>) -> Result<String, String>;

    /// Begins to write one, and does not wait for others to finish it.
    fn begin<'s>(&'s self, request: &SummaryRequest<'_>) -> PendingAnswer<'s> {
        PendingAnswer::Ready(SummaryAnswer {
            text: self.summarize(request),
            asked: None,
        })
    }

    /// How many summaries others write at the same time, while the caller only waits.
    fn waits_for(&self) -> usize {
        0
    }
}

/// A summarizer as the table knows it.
pub struct SummarizerEntry {
    /// How `--summarizer` names it.
    pub name: &'static str,
    /// One line on what it does.
    pub about: &'static str,
}

/// All summarizers, for help and errors.
pub static SUMMARIZERS: &[SummarizerEntry] = &[
    SummarizerEntry {
        name: "extract",
        about: "embedded, no model: goal, user's words, errors, files, last state, references",
    },
    SummarizerEntry {
        name: "command:PROGRAM",
        about: "the prompt on the program's stdin, its stdout is the summary",
    },
    SummarizerEntry {
        name: "http",
        about: "a model: OpenAI-compatible chat completions, or Anthropic Messages",
    },
    SummarizerEntry {
        name: "none",
        about: "no summary: evict, truncate and prune only",
    },
];

/// Reads the name of a summarizer.
#[must_use]
pub fn summarizer_by_name(name: &str) -> Option<SummarizerKind> {
    match name {
        "extract" => Some(SummarizerKind::Extract),
        "http" => Some(SummarizerKind::Http),
        "none" => Some(SummarizerKind::None),
        _ => name
            .strip_prefix("command:")
            .filter(|line| !line.trim().is_empty())
            .map(|line| SummarizerKind::Command(line.to_owned())),
    }
}

/// The summarizer of a policy; none where it has none. `http` builds the one that asks a model.
///
/// # Errors
/// What `http` says.
pub fn build_summarizer<E>(
    kind: &SummarizerKind,
    http: impl FnOnce() -> Result<http::HttpSummarizer, E>,
) -> Result<Option<Box<dyn Summarizer>>, E> {
    Ok(match kind {
        SummarizerKind::Extract => Some(Box::new(extract::Extract)),
        SummarizerKind::Command(line) => Some(Box::new(command::CommandSummarizer::new(line))),
        SummarizerKind::Http => Some(Box::new(http()?)),
        SummarizerKind::None => None,
    })
}

/// A summary as it is used: without the blanks that Python's `str.strip` takes away.
///
/// # Errors
/// If nothing is left.
pub fn clean_summary(text: &str) -> Result<String, String> {
    let clean =
        text.trim_matches(|c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c));
    if clean.is_empty() {
        Err("the summary is empty".to_owned())
    } else {
        Ok(clean.to_owned())
    }
}
