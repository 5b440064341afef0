//! A plan while its stages add to it, and the input of the decision.

use crate::deciding::planner::wording::refuse_in_journal;
use crate::deciding::strategy::evict::EvictionCandidate;
use crate::deciding::strategy::prelude::*;
use crate::deciding::strategy::tail::events_before;

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

    /// Runs a stage, which gets the tokens of the model call before it, and records why it changed
    /// something or nothing.
    pub(super) fn run_stage(
        &mut self,
        stage: Stage,
        run: impl FnOnce(&mut Self, usize) -> Result<String, Refusal>,
    ) {
        let before = self.call_tokens();
        let reason = match run(self, before) {
            Ok(why) => Reason::applied(stage, before, self.tokens_after(), why),
            Err(refusal) => Reason::skipped(stage, before, refusal),
        };
        self.reasons.push(reason);
    }

    /// Fails if the log's format can't hold the edits of a stage.
    pub(super) fn refuse_in_journal(&self, stage: Stage) -> Result<(), Refusal> {
        refuse_in_journal(self.input.transcript.write_mode, stage)
    }

    /// Returns the current tokens of all edited messages.
    pub(super) fn edited_tokens(&self) -> TokensBefore {
        let messages = self.edits.iter().flat_map(Edit::messages);
        messages.map(|index| (index, self.ledger.messages[index])).collect()
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

    /// Returns the state that triggers compare, for a model call of `tokens` tokens.
    /// `with_reported` adds the tokens that the provider reported with the last answer.
    pub(super) fn trigger_state(&self, tokens: usize, with_reported: bool) -> ContextSize {
        let transcript = self.input.transcript;
        let events = *events_before(transcript, self.input.policy.count.system)
            .get(self.decision_end())
            .unwrap_or(&0) as u64;
        let counted = self.counted_tokens(tokens) as u64;
        if with_reported && let Some(measured) = self.measured_tokens(counted) {
            return ContextSize {
                tokens: measured,
                messages: (self.decision_end() - transcript.system_prefix_len()) as u64,
                events,
                reported: None,
                used: Some(measured),
            };
        }
        let reported = if with_reported {
            transcript
                .messages
                .iter()
                .rposition(|message| message.role == Role::Assistant)
                .and_then(|answer| reported_tokens(transcript, answer, self.input.provider))
        } else {
            None
        };
        ContextSize {
            tokens: counted,
            messages: (self.decision_end() - transcript.system_prefix_len()) as u64,
            events,
            reported,
            used: last_used_tokens(transcript),
        }
    }

    /// Returns the tokens that the trigger of a summary compares, if the policy asks for reported
    /// ones and the log reports any. `counted` is the estimate of the call.
    fn measured_tokens(&self, counted: u64) -> Option<u64> {
        let messages = &self.input.transcript.messages;
        let answer = self.last_answer_with_usage()?;
        match self.input.policy.summarize.measure {
            TriggerMeasure::Estimate => None,
            TriggerMeasure::Prompt => messages[answer].prompt_tokens(),
            TriggerMeasure::Larger => Some(messages[answer].prompt_tokens()?.max(counted)),
            TriggerMeasure::Trailing => {
                let trailing: usize = (answer + 1..self.decision_end())
                    .map(|index| self.ledger.messages[index])
                    .sum();
                Some(messages[answer].used_tokens()? + trailing as u64)
            }
        }
    }

    /// Returns the last answer whose usage is that of this list: not older than an earlier summary.
    fn last_answer_with_usage(&self) -> Option<usize> {
        let transcript = self.input.transcript;
        let messages = &transcript.messages;
        let first = match transcript.newer_than_summary {
            Some(first) => first.min(messages.len()),
            None => messages
                .iter()
                .rposition(|message| message.earlier_summary)
                .map_or(0, |summary| summary + 1),
        };
        (first..messages.len()).rev().find(|&index| {
            let message = &messages[index];
            message.role == Role::Assistant && message.used_tokens().is_some()
        })
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
    pub transcript: &'i Transcript<'a>,
    /// The token counts of its messages as logged.
    pub ledger: &'i Ledger<'i>,
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

/// Returns the tokens reported with the message `answer`, if they come from `provider`.
#[inline]
pub(super) fn reported_tokens(
    transcript: &Transcript<'_>,
    answer: usize,
    provider: Option<&str>,
) -> Option<u64> {
    let message = &transcript.messages[answer];
    let tokens = message.reported_tokens()?;
    let reporter = decode_literal(transcript.bytes(answer, message.provider?));
    (provider == Some(reporter.as_ref())).then_some(tokens)
}

/// Returns the tokens that the last model call used, as the log reports them. Usage that is
/// older than an earlier summary is that of a longer list, and does not count, unless the record
/// reports it for this list. Returns 0 if no call was made since the summary.
pub(super) fn last_used_tokens(transcript: &Transcript<'_>) -> Option<u64> {
    let messages = &transcript.messages;
    let first = match transcript.newer_than_summary {
        Some(first) => first.min(messages.len()),
        None => 0,
    };
    let is_answer =
        |message: &&Message| message.role == Role::Assistant && !message.earlier_summary;
    let is_summarized = messages.iter().any(|message| message.earlier_summary);
    if transcript.newer_than_summary.is_none() && is_summarized {
        let answer = messages.iter().rfind(is_answer)?;
        return answer.used_tokens().filter(|_| answer.has_usage_of_list());
    }
    let mut answers = messages[first..].iter().rev().filter(is_answer).peekable();
    if transcript.newer_than_summary.is_some() && answers.peek().is_none() {
        return Some(0);
    }
    answers.find_map(Message::used_tokens)
}
