//! What is asked of a summary alone, without the messages that stay beside it.

use crate::reading::transcript::Role;
use crate::reporting::retention::file_claims::FileOutcomes;
use crate::reporting::retention::joint_calls::joint_calls;
use crate::reporting::retention::passage::Passage;
use crate::reporting::retention::requests::RequestWords;
use std::collections::BTreeSet;

/// The needs that a summary answers by itself, and what its claims are checked against.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SummaryNeeds {
    /// The references of each future call that needs several of them together.
    pub(super) joint_calls: Vec<BTreeSet<String>>,
    /// The words of the first and the last request.
    pub(super) requests: RequestWords,
    /// What the compacted calls on files came to.
    pub(super) files: FileOutcomes,
    /// All that the assistant writes later, in lowercase.
    pub(super) written_later: String,
    /// The compacted messages, in lowercase.
    pub(super) compacted: String,
}

impl SummaryNeeds {
    /// Collects the needs of `future` from `compacted` messages, whose text in lowercase is
    /// `lower`. `is_needed` tells needed references in arguments of calls.
    pub(super) fn new(
        compacted: &[Passage],
        lower: String,
        future: &[Passage],
        is_needed: impl Fn(&str) -> bool,
    ) -> Self {
        let later = future
            .iter()
            .filter(|passage| passage.role == Role::Assistant)
            .map(|passage| passage.lower.as_str());
        Self {
            joint_calls: joint_calls(future, is_needed),
            requests: RequestWords::from_passages(compacted),
            files: FileOutcomes::from_passages(compacted),
            written_later: later.collect::<Vec<_>>().join("\n"),
            compacted: lower,
        }
    }
}
