//! Token usage that the log reports, beside the count of the same messages.

use crate::reading::transcript::Transcript;
use serde::Serialize;

/// The tokens of the last model call for which the log reports usage, reported and counted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ReportedUsage {
    /// The index of the assistant message that the usage belongs to.
    pub message: usize,
    /// Input and output tokens as reported.
    pub reported: u64,
    /// Tokens as counted: the tool schemas and all messages up to and including `message`.
    pub counted: usize,
    /// `reported` divided by `counted`.
    pub ratio: f64,
}

impl ReportedUsage {
    /// Compares the usage in a transcript with its counts, in tokens by message and for the tool
    /// schemas.
    ///
    /// Returns `None` if no usage is reported. Also returns `None` if the transcript holds an
    /// earlier summary, because the usage may then be that of a longer list of messages.
    pub(crate) fn from_transcript(
        transcript: &Transcript<'_>,
        messages: &[usize],
        tools: usize,
    ) -> Option<Self> {
        if transcript.messages.iter().any(|message| message.earlier_summary) {
            return None;
        }
        let (message, reported) = (0..messages.len())
            .rev()
            .find_map(|index| Some((index, transcript.messages[index].reported_tokens()?)))?;
        let counted = tools + messages[..=message].iter().sum::<usize>();
        #[expect(clippy::cast_precision_loss, reason = "a ratio of token counts, far below 2^53")]
        let ratio = (reported as f64 / counted.max(1) as f64 * 1000.0).round() / 1000.0;
        Some(Self { message, reported, counted, ratio })
    }
}
