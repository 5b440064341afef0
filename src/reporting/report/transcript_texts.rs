//! The messages of a transcript before and after a compaction, for people.

use crate::deciding::plan::Fate;
use serde::Serialize;

/// The messages of a transcript before and after, in the order in which they were logged.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct TranscriptTexts {
    /// The messages as logged.
    pub messages: Vec<ComparedMessage>,
    /// The summary, if one was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<ShownSummary>,
}

/// A message before and after.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ComparedMessage {
    /// The name of its role.
    pub role: &'static str,
    /// The fate of the message.
    pub fate: Fate,
    /// The tokens as logged.
    pub tokens: usize,
    /// The text with its calls as logged.
    pub text: String,
    /// The text that stands in its place, if the message was shortened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// The summary of a transcript.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ShownSummary {
    /// The index of the first message that stands behind it.
    pub before: usize,
    /// The text.
    pub text: String,
}
