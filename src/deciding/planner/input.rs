//! The input of one decision.

use crate::deciding::plan::Edit;
use crate::deciding::policy::{Policy, Thresholds};
use crate::deciding::strategy::evict::EvictionCandidate;
use crate::deciding::tokens::Ledger;
use crate::reading::transcript::Transcript;

/// The archive's names for one conversation. They are unique in a run, so only the run can give
/// them out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ArchiveNames {
    /// The path of the history archive as the model sees it.
    pub history_path: String,
    /// The file of each eviction candidate, in the order of the candidates.
    pub results: Vec<ResultName>,
}

/// The file of one evicted result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ResultName {
    /// The file name, relative to the directory of evicted results.
    pub file: String,
    /// The path as the model sees it.
    pub path: String,
}

/// Everything that one decision depends on.
pub(crate) struct PlanInput<'i, 'a> {
    /// The conversation.
    pub transcript: &'i Transcript<'a>,
    /// The token counts of its messages as logged.
    pub ledger: &'i Ledger<'i>,
    /// The resolved policy.
    pub policy: &'i Policy,
    /// The policy's thresholds for the conversation's model.
    pub thresholds: &'i Thresholds,
    /// The provider of the model. Reported usage counts only if it comes from the same provider.
    pub provider: Option<&'i str>,
    /// The results that may be evicted, found before their files were named.
    pub candidates: &'i [EvictionCandidate],
    /// The names that the run gave out.
    pub names: &'i ArchiveNames,
    /// The prunings made before earlier model calls of a replay. They stay, and no result is pruned
    /// for this call. None outside a replay: stage prune decides.
    pub cleared: Option<&'i [Edit]>,
}
