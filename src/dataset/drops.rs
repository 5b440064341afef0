//! Samples that are not written, and the reasons.

use crate::base::names::names;
use serde::Serialize;
use std::fmt;

/// The list of what was dropped.
pub(crate) const DROPPED_FILE: &str = "dropped.jsonl";

/// The reason for which a sample, or a part of it, is not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DropReason {
    /// The transcript has no answer at all.
    NoAnswer,
    /// No answer is to be trained on.
    NoTrainedAnswer,
    /// The sample exceeds the token limit.
    TooLong,
    /// A turn has no text.
    EmptyText,
    /// The turns do not alternate as chat templates want it.
    TurnOrder,
    /// A turn holds images, audio or files.
    NotText,
    /// What comes before the answers was not read in full.
    Unread,
    /// A text holds half of a surrogate pair, which is no Unicode.
    LoneSurrogate,
    /// The target would train on an answer that must not be trained on.
    Mask,
    /// The chat template refuses the sample.
    Template,
    /// An earlier sample is the same.
    Duplicate,
    /// An earlier sample says nearly the same.
    NearDuplicate,
}

impl DropReason {
    /// Returns the noun for what is dropped.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::NoAnswer => "transcript",
            _ => "sample",
        }
    }
}

names! {
    pub(crate) DropReason::explanation:
    NoAnswer "the transcript has no answer",
    NoTrainedAnswer "every answer is masked or empty",
    TooLong "longer than --max-tokens, even with its shortest context",
    EmptyText "a turn of the user or the assistant has no text",
    TurnOrder "the user does not speak first, or turns of one speaker can't be joined",
    NotText "images, audio or files",
    Unread "a line, a message or the call of a result before the answers was not read",
    LoneSurrogate "a text holds half of a surrogate pair, which loaders refuse",
    Mask "the target would train on an answer that the log excludes, or on a summary",
    Template "the chat template refuses it",
    Duplicate "the same as an earlier sample",
    NearDuplicate "nearly the same as an earlier sample",
}

/// The name in `dropped.jsonl` and reports.
impl fmt::Display for DropReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// A sample, or the end of a sample, that is not written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct DroppedSample {
    /// The number of the sample in its thread, from 0. None (null) if the thread has no samples.
    pub(crate) sample: Option<usize>,
    pub(crate) reason: DropReason,
    pub(super) why: &'static str,
    /// The number of answers that would have been trained on.
    pub(crate) answers: usize,
    /// Tokens of the sample, where they are the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tokens: Option<usize>,
    /// The message of the sample that is to blame, from 1, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<usize>,
    /// True if the beginning of the sample is written, and only the last answers are left out.
    pub(crate) shortened: bool,
}

impl DroppedSample {
    pub(super) fn new(reason: DropReason) -> Self {
        Self {
            sample: None,
            reason,
            why: reason.explanation(),
            answers: 0,
            tokens: None,
            message: None,
            shortened: false,
        }
    }
}

/// A line of `dropped.jsonl`.
#[derive(Debug, Serialize)]
pub(super) struct DroppedLine<'d> {
    pub(super) thread_id: &'d str,
    pub(super) file: &'d str,
    pub(super) line: u64,
    #[serde(flatten)]
    pub(super) sample: &'d DroppedSample,
}
