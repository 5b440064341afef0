//! A plan explained for programs: the fate of each message, as JSON.

use crate::deciding::plan::{Fate, Plan};
use crate::reading::transcript::{Role, Transcript};
use crate::reporting::report::reported_usage::ReportedUsage;
use crate::reporting::report::summary_usage::ExpectedUsage;
use crate::reporting::report::transcript_report::{SystemTokens, TranscriptStatus};
use serde::Serialize;

/// The plan for one transcript, as JSON.
#[derive(Serialize)]
pub(crate) struct ExplainedPlan<'e> {
    /// The thread id.
    pub thread_id: &'e str,
    /// The input file.
    pub file: &'e str,
    /// The line where the first record begins.
    pub line: u64,
    /// The format.
    pub format: &'e str,
    /// The model.
    pub model: Option<&'e str>,
    /// The input limit of the model, in tokens.
    pub input_limit: Option<u64>,
    /// The name of the token counter.
    pub counter: &'e str,
    /// The usage that the log reports, beside the count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<ReportedUsage>,
    /// The tokens of the system prompt by its parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<SystemTokens>,
    /// True if anything would change.
    pub changes: bool,
    /// What would become of the transcript, as in reports.
    pub status: TranscriptStatus,
    /// The reason why it would fail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'e str>,
    /// The plan.
    #[serde(flatten)]
    pub plan: &'e Plan,
    /// The messages with their fates.
    pub messages: Vec<ExplainedMessage>,
    /// The usage expected for the summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asks: Option<&'e ExpectedUsage>,
    /// Warnings for the user.
    pub warnings: &'e [String],
}

/// A message with its fate.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ExplainedMessage {
    /// The index in the transcript. A logged message that holds several has an index for each.
    pub index: usize,
    /// The role.
    pub role: Role,
    /// The tokens as logged.
    pub tokens: usize,
    /// The fate of the message.
    pub fate: Fate,
}

/// Returns each message of a transcript with its fate. `tokens` holds the tokens by message.
pub(crate) fn explain_messages(
    transcript: &Transcript<'_>,
    tokens: &[usize],
    plan: &Plan,
) -> Vec<ExplainedMessage> {
    let rows = transcript
        .messages
        .iter()
        .zip(tokens)
        .zip(plan.fates())
        .enumerate();
    rows.map(|(index, ((message, &tokens), fate))| ExplainedMessage {
        index,
        role: message.role,
        tokens,
        fate,
    })
    .collect()
}
