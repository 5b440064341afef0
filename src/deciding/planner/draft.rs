//! A plan while its stages add to it, and the input of the decision.

use crate::deciding::plan::{Edit, Reason, SkipCause, Stage, Summary, overlay_edits};
use crate::deciding::planner::wording::journal_refusal;
use crate::deciding::policy::{Policy, Thresholds, TriggerCount};
use crate::deciding::strategy::evict::EvictionCandidate;
use crate::deciding::tokens::Ledger;
use crate::reading::transcript::Transcript;
use crate::reading::transcript::overlay::Overlay;
use crate::reading::transcript::view::TranscriptView;
use std::collections::BTreeMap;

/// The tokens of messages before a stage edited them, by message index.
pub(super) type TokensBefore = BTreeMap<usize, usize>;

/// A plan while its stages add to it. Overlay and ledger always match the edits.
pub(super) struct Draft<'i, 'a> {
    pub(super) input: &'i PlanInput<'i, 'a>,
    pub(super) ledger: Ledger<'i>,
    pub(super) overlay: Overlay,
    pub(super) edits: Vec<Edit>,
    pub(super) reasons: Vec<Reason>,
    /// Tokens of the model call with the summary's frame, without the summary's text. None without
    /// a summary.
    pub(super) tokens_with_frame: Option<usize>,
    /// True if the conversation is summarized only because it exceeds its limit, not because a
    /// trigger fired.
    pub(super) is_fallback: bool,
    /// The edits made before stage overflow.
    pub(super) edits_before_overflow: Vec<Edit>,
}

impl<'i, 'a> Draft<'i, 'a> {
    pub(super) fn new(input: &'i PlanInput<'i, 'a>) -> Self {
        let mut draft = Self {
            input,
            ledger: input.ledger.clone(),
            overlay: Overlay::default(),
            edits: input.cleared.unwrap_or_default().to_vec(),
            reasons: Vec::new(),
            tokens_with_frame: None,
            is_fallback: false,
            edits_before_overflow: Vec::new(),
        };
        if !draft.edits.is_empty() {
            draft.recount_edited();
        }
        draft
    }

    /// Returns the transcript as the edits so far leave it.
    pub(super) fn view(&self) -> TranscriptView<'_, 'a> {
        TranscriptView::new(self.input.transcript, &self.overlay)
    }

    /// Returns the tokens of a model call with all messages, as the edits so far leave them.
    pub(super) fn call_tokens(&self) -> usize {
        self.ledger.call_tokens(self.view(), 0..self.input.transcript.messages.len(), None)
    }

    /// Returns the end of the messages that the policy decides on. Newer messages stay.
    pub(super) fn decision_end(&self) -> usize {
        let transcript = self.input.transcript;
        if self.input.policy.summarize.after_step {
            transcript.step_end()
        } else {
            transcript.messages.len()
        }
    }

    /// Returns those of a call's `tokens` that triggers compare.
    pub(super) fn counted_tokens(&self, tokens: usize) -> usize {
        let TriggerCount { system, tools } = self.input.policy.count;
        if system && tools && !self.input.policy.summarize.after_step {
            return tokens;
        }
        let first = if system { 0 } else { self.input.transcript.system_prefix_len() };
        let tools = if tools { self.ledger.tools } else { 0 };
        self.ledger.counted_tokens(self.view(), first..self.decision_end(), tools)
    }

    /// Returns the planned summary.
    pub(super) fn summary(&self) -> Option<&Summary> {
        find_summary(&self.edits)
    }

    /// Returns the number of messages once the plan is applied.
    pub(super) fn messages_after(&self) -> usize {
        let before = self.input.transcript.messages.len();
        self.summary().map_or(before, |summary| {
            before - summary.messages.len() + summary.frame.message_count()
        })
    }

    /// Returns the tokens of a model call once the plan is applied, without the summary's text.
    pub(super) fn tokens_after(&self) -> usize {
        self.tokens_with_frame.unwrap_or_else(|| self.call_tokens())
    }

    /// Records that a stage changes nothing at `tokens` tokens.
    pub(super) fn skip_stage(
        &mut self,
        stage: Stage,
        tokens: usize,
        cause: SkipCause,
        why: impl Into<String>,
    ) {
        let reason = Reason::skipped(stage, tokens, cause, why.into());
        self.reasons.push(reason);
    }

    /// Records that a stage applies.
    pub(super) fn record_stage(
        &mut self,
        stage: Stage,
        tokens_before: usize,
        tokens_after: usize,
        why: String,
    ) {
        let reason = Reason::applied(stage, tokens_before, tokens_after, why);
        self.reasons.push(reason);
    }

    /// Returns why the log's format can't hold the edits of a stage.
    pub(super) fn refused_by_journal(&self, stage: Stage) -> Option<String> {
        journal_refusal(self.input.transcript.write_mode, stage)
    }

    /// Returns the current tokens of all edited messages.
    pub(super) fn edited_tokens(&self) -> TokensBefore {
        self.edits
            .iter()
            .flat_map(Edit::messages)
            .map(|index| (index, self.ledger.messages[index]))
            .collect()
    }

    /// Rebuilds the overlay from the edits and counts these messages again.
    pub(super) fn recount(&mut self, messages: impl IntoIterator<Item = usize>) {
        self.overlay = overlay_edits(self.input.transcript, &self.edits);
        let view = TranscriptView::new(self.input.transcript, &self.overlay);
        for index in messages {
            self.ledger.recount(view, index);
        }
    }

    /// Rebuilds the overlay from the edits and counts the edited messages again.
    pub(super) fn recount_edited(&mut self) {
        self.recount(self.edited_tokens().into_keys());
    }
}

/// Returns the summary among some edits.
pub(super) fn find_summary(edits: &[Edit]) -> Option<&Summary> {
    edits.iter().find_map(Edit::summary)
}

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
