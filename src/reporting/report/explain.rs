//! A plan explained for programs: the fate of each message, as JSON.

use crate::deciding::plan::{Edit, Fate, Plan};
use crate::reading::transcript::{Role, Transcript};
use crate::reporting::report::summary_usage::ExpectedUsage;
use crate::reporting::report::transcript_report::TranscriptReport;
use serde::Serialize;

/// The plan for one transcript, as JSON: the entry of a report, and the edits.
#[derive(Serialize)]
pub(crate) struct ExplainedPlan<'e> {
    /// What would become of the transcript. Its tokens afterwards are those without the text of a
    /// summary.
    #[serde(flatten)]
    pub report: TranscriptReport,
    /// The edits, in the order of their stages.
    pub edits: &'e [Edit],
    /// The messages with their fates.
    pub messages: Vec<ExplainedMessage>,
    /// The usage expected for the summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asks: Option<&'e ExpectedUsage>,
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
    let rows = transcript.messages.iter().zip(tokens).zip(plan.fates()).enumerate();
    rows.map(|(index, ((message, &tokens), fate))| ExplainedMessage {
        index,
        role: message.role,
        tokens,
        fate,
    })
    .collect()
}
