//! What a worker returns for a unit of transcripts.

use crate::reporting::report::{ExpectedUsage, TranscriptReport};
use crate::running::conversation::RecordFailure;

/// The plans for the transcripts of a unit.
pub(super) struct UnitPlans {
    /// The plans.
    pub(super) plans: Vec<ShownPlan>,
    /// Records for which there is no plan.
    pub(super) failures: Vec<RecordFailure>,
    /// The name of the counter of these records.
    pub(super) counter: &'static str,
}

/// The plan for a transcript.
pub(super) struct ShownPlan {
    /// The figures, with the whole budget of a summary as its tokens.
    pub(super) report: TranscriptReport,
    /// The plan as JSON, or with its messages. Empty if nobody will see it.
    pub(super) text: String,
    /// The entry in each kind of report. Empty if no report is written.
    pub(super) entry: Vec<Vec<u8>>,
    /// True if the result would exceed its limit.
    pub(super) is_over_limit: bool,
    /// The expected cost of the summary, if a model is to write it.
    pub(super) expected: Option<ExpectedUsage>,
}
