//! A conversation with its plan, and the reasons why it is written unchanged. The decision itself is
//! made in [`planner`].

use crate::deciding::planner::{self, PlanError, PlanInput};
use crate::deciding::policy::Thresholds;
use crate::deciding::tokens::Ledger;
use crate::reporting::report::SummaryUsage;
use crate::running::compaction::prelude::*;
use crate::running::conversation::UnplannableError;
use crate::summary::SummaryError;

/// Facts about a compaction for its report, collected on its way.
#[derive(Debug, Default)]
pub(crate) struct CompactionNotes {
    /// The cost of the summary, where a model was asked.
    pub asked: Option<SummaryUsage>,
    /// Secrets that were masked; none where the policy masks nothing.
    pub redacted: Option<RedactionCounts>,
    /// Warnings about this conversation.
    pub warnings: Vec<String>,
}

/// A conversation with its plan.
pub(crate) struct Planned<'c, 'u> {
    pub conversation: &'c Conversation<'u>,
    /// The settings that it was decided under.
    pub settings: &'c Settings,
    pub plan: Plan,
    ledger: Ledger<'c>,
    thresholds: &'c Thresholds,
    cleared: Option<&'c [Edit]>,
}

impl<'c, 'u> Planned<'c, 'u> {
    /// Decides about a conversation, for a model call over all of it. Fails if the policy does not
    /// fit the conversation's model.
    pub(crate) fn decide(
        conversation: &'c Conversation<'u>,
        settings: &'c Settings,
    ) -> Result<Self, UnplannableError> {
        Self::decide_after_clearing(conversation, settings, None)
    }

    /// Decides about the messages before a model call. If stage prune `cleared` these results before
    /// earlier calls, they stay cleared, and no other is cleared for this call. Fails if the
    /// policy does not fit the conversation's model.
    pub(crate) fn decide_after_clearing(
        conversation: &'c Conversation<'u>,
        settings: &'c Settings,
        cleared: Option<&'c [Edit]>,
    ) -> Result<Self, UnplannableError> {
        let thresholds = conversation.thresholds.as_ref().map_err(Clone::clone)?;
        let mut planned = Self {
            conversation,
            settings,
            plan: Plan::default(),
            ledger: conversation.ledger(conversation.counter(settings)),
            thresholds,
            cleared,
        };
        planned.plan = planner::plan(&planned.input());
        Ok(planned)
    }

    /// Returns everything that the decision looks at.
    pub(super) fn input(&self) -> PlanInput<'_, 'u> {
        PlanInput {
            transcript: &self.conversation.transcript,
            ledger: &self.ledger,
            policy: &self.settings.policy,
            thresholds: self.thresholds,
            provider: self.conversation.provider.as_deref(),
            candidates: &self.conversation.candidates,
            names: &self.conversation.names,
            cleared: self.cleared,
        }
    }

    /// Returns the texts that the plan's edits put in place of the original.
    pub(crate) fn overlay(&self) -> Overlay {
        overlay_edits(&self.conversation.transcript, &self.plan.edits)
    }

    /// Returns the texts that a summarizer reads: as the model would, but for what stages cut and
    /// dedup took away. Of a message that is summarized this is in no file that it could open.
    pub(crate) fn summarized_overlay(&self) -> Overlay {
        let is_own = |edit: &Edit| matches!(edit.stage(), Stage::Cut | Stage::Dedup);
        let edits: Vec<Edit> =
            self.plan.edits.iter().filter(|edit| !is_own(edit)).cloned().collect();
        overlay_edits(&self.conversation.transcript, &edits)
    }

    /// Returns the tokens of a text by the policy's counter.
    pub(crate) fn count_text(&self, text: &str) -> usize {
        self.ledger.counter.count_text(text)
    }

    /// Returns the tokens of the model call once `plan` is carried out with this text.
    pub(super) fn tokens_with(&self, plan: &Plan, summary: &Summary, text: &str) -> usize {
        planner::tokens_with_summary(&self.input(), plan, summary, text)
    }

    /// Checks that the summary can be used: it makes the call no larger than it was, and fits.
    pub(super) fn check_summary(&self, summary: &Summary, text: &str) -> Result<(), PlanError> {
        let tokens = self.tokens_with(&self.plan, summary, text);
        planner::check_summary(&self.input(), &self.plan, tokens)
    }

    /// Returns the warning that a result of `tokens` still exceeds its limit.
    pub(crate) fn over_limit(&self, tokens: usize) -> Option<String> {
        planner::over_limit_warning(self.thresholds, &self.plan.reasons, tokens)
    }
}

/// The reason why a conversation is not compacted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CompactionError {
    /// No decision can be made about it.
    #[error(transparent)]
    Unplannable(#[from] UnplannableError),
    /// There is no summary.
    #[error(transparent)]
    Summary(#[from] SummaryError),
    /// There is a summary, but the conversation gets too long with it.
    #[error(transparent)]
    UnusableSummary(#[from] PlanError),
    /// Its log has no place for a compaction.
    #[error(
        "{format} can't be compacted in place: it has no record of a compaction; use --to openai (or anthropic, sharegpt, langchain)"
    )]
    NoPlaceInLog {
        /// The name of the log's format.
        format: &'static str,
    },
    /// The archive can't be written.
    #[error("{}", describe_with_causes(.0))]
    Archive(#[from] WriteError),
    /// A fault of this program.
    #[error(transparent)]
    Panicked(#[from] Panicked),
}

/// A compaction that failed after its plan: the conversation is written unchanged.
pub(crate) struct FailedCompaction<'c, 'u> {
    /// The plan as it was decided.
    pub planned: Planned<'c, 'u>,
    /// The notes that were taken until it failed.
    pub notes: CompactionNotes,
    pub error: CompactionError,
}
