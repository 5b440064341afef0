//! Stage summarize: the hole for the summary that replaces the messages before
//! the cutoff, and its budget.

use crate::deciding::plan::Hole;
use crate::deciding::planner::plan_error::PlanError;
use crate::deciding::planner::prelude::*;
use crate::deciding::planner::wording::SummaryRule;
use crate::deciding::policy::BoundReasoning;
use crate::deciding::strategy::asked_summary::{asking_answer, calls_any};
use crate::deciding::strategy::bound_reasoning::bound_reasoning;
use crate::deciding::strategy::cutoff::CutoffRule;
use crate::deciding::strategy::kept_before::{can_keep, kept_before};
use crate::deciding::strategy::pin::pinned_before;
use crate::deciding::strategy::{cutoff, trim};
use crate::reading::transcript::summary_frame::SummaryFrame;

/// The default budget of a summary is this fraction of the tokens that it replaces (1 / 20 = 5 %),
/// within bounds.
const BUDGET_DIVISOR: usize = 20;
/// The smallest default budget, in tokens.
pub(super) const BUDGET_MIN: usize = 256;
/// The largest default budget, in tokens.
const BUDGET_MAX: usize = 2000;
/// The least room for a summary's text, in tokens: with less no summary is worth its frame.
pub(super) const LEAST_ROOM: usize = 8;

pub(super) struct PlannedSummary {
    pub(super) summary: Summary,
    /// Tokens of the model call with the summary's frame, without the summary's text.
    pub(super) tokens_after: usize,
}

impl Draft<'_, '_> {
    /// Stage summarize: replaces the messages before the cutoff by a summary, if a trigger fires or
    /// the conversation exceeds its limit.
    pub(super) fn summarize(&mut self) {
        self.run_stage(Stage::Summarize, Self::try_to_summarize);
    }

    fn try_to_summarize(&mut self, tokens: usize) -> Result<String, Refusal> {
        let thresholds = self.input.thresholds;
        if self.input.policy.summarizer.kind == SummarizerKind::None {
            return Err(Refusal::new(SkipCause::Off, "off: no summarizer"));
        }
        let state = self.trigger_state(tokens, true);
        let rule = summary_rule(thresholds, &state, tokens).or_else(|| self.asked_rule());
        let Some(SummaryRule { words: rule, is_fallback }) = rule else {
            let mut refusal = untriggered(&state, &thresholds.summarize_trigger);
            refusal.why.push_str(self.describe_asking(&state));
            return Err(refusal);
        };
        self.is_fallback = is_fallback;
        let PlannedSummary { summary, tokens_after } = self
            .summary_by_keep(tokens)
            .map_err(|error| Refusal::new(error.skip_cause(), format!("{rule}; {error}")))?;
        let kept = self.input.transcript.messages.len() - summary.first_kept;
        let pinned = self.describe_pinned(&summary);
        let dropped = match summary.dropped.len() {
            0 => String::new(),
            count => format!("; bound reasoning of {} goes", plural(count, "message")),
        };
        let why = format!(
            "{rule}; keep {} leaves {} from message {}, {} become one summary of at most {} tokens{dropped}{pinned}",
            thresholds.summarize_keep,
            plural(kept, "message"),
            summary.first_kept,
            summary.messages.len(),
            summary.hole.budget,
        );
        self.edits.push(Edit::Summarize(summary));
        self.tokens_with_frame = Some(tokens_after);
        Ok(why)
    }

    /// Returns why a call is to be summarized for which no trigger fires: the agent asked.
    fn asked_rule(&self) -> Option<SummaryRule> {
        let tools = &self.input.policy.summarize.asked_by;
        let answer = asking_answer(self.input.transcript, tools)?;
        Some(SummaryRule {
            words: format!("the agent asked for it in message {answer}"),
            is_fallback: false,
        })
    }

    /// Says whether the tool by which the agent asks for a summary would make one now: from half of
    /// the trigger, by what the provider reported. Says nothing where the log has no such call.
    fn describe_asking(&self, state: &ContextSize) -> &'static str {
        let tools = &self.input.policy.summarize.asked_by;
        if !calls_any(self.input.transcript, tools) {
            return "";
        }
        let half = |part: &Threshold| Threshold { value: (part.value / 2).max(1), ..*part };
        let triggers = self.input.thresholds.summarize_trigger.iter();
        let halves: Vec<_> =
            triggers.map(|clause| Clause(clause.0.iter().map(half).collect())).collect();
        let reported = ContextSize { tokens: 0, ..*state };
        match reported.first_reached(&halves) {
            Some(_) => "; asked for by the agent, it would be made",
            None => "; asked for by the agent, it would be refused",
        }
    }

    /// Plans the summary that the keep rule asks for.
    fn summary_by_keep(&self, tokens: usize) -> Result<PlannedSummary, PlanError> {
        let keep = self.input.thresholds.summarize_keep;
        let policy = &self.input.policy;
        let rule = CutoffRule {
            keep,
            // The agent's tool decides on the messages up to the call.
            end: asking_answer(self.input.transcript, &policy.summarize.asked_by)
                .map_or(self.decision_end(), |answer| answer + 1),
            replay: policy.summarize.replay,
        };
        let mut first_kept = cutoff::first_kept(self.view(), &self.ledger, &rule);
        let pinned = self.first_unsummarizable();
        let head = self.input.transcript.system_prefix_len();
        if let Some(pinned) = pinned.filter(|pinned| *pinned < first_kept) {
            if pinned <= head {
                return Err(PlanError::PinnedFirst { message: pinned });
            }
            first_kept = pinned;
        }
        if first_kept <= head {
            return Err(PlanError::NothingBeforeCutoff { keep });
        }
        self.summary_before(first_kept, tokens)
    }

    /// Returns what a reason says about pinned messages.
    fn describe_pinned(&self, summary: &Summary) -> String {
        let pin = &self.input.policy.pin;
        if self.first_unsummarizable() == Some(summary.first_kept) {
            return "; no more, as that message is pinned and this format can't keep it before a summary".to_owned();
        }
        let pinned = pinned_before(self.input.transcript, pin, summary.first_kept);
        let kept = summary.kept_before.iter();
        match kept.filter(|index| pinned.contains(index)).count() {
            0 => String::new(),
            count => format!("; {} before it by [pin]", plural(count, "kept message")),
        }
    }

    /// Returns the first message that the policy pins, where the format can't say that messages
    /// before a summary stay: no summary may replace it, nor what follows it.
    pub(super) fn first_unsummarizable(&self) -> Option<usize> {
        let (transcript, pin) = (self.input.transcript, &self.input.policy.pin);
        if pin.is_empty() || can_keep(transcript) {
            return None;
        }
        let head = transcript.system_prefix_len();
        let pinned = pinned_before(transcript, pin, transcript.messages.len());
        pinned.range(head..).next().copied()
    }

    /// Plans the summary of all messages before `first_kept`. `tokens` are the tokens of the model
    /// call without it.
    pub(super) fn summary_before(
        &self,
        first_kept: usize,
        tokens: usize,
    ) -> Result<PlannedSummary, PlanError> {
        let (input, transcript) = (self.input, self.input.transcript);
        let skips_growth = input.policy.on_growth == OnGrowth::Skip;
        let head = transcript.system_prefix_len();
        let kept = kept_before(self.view(), input.policy, first_kept);
        let (kept_before, messages): (Vec<usize>, Vec<usize>) =
            (head..first_kept).partition(|&index| {
                transcript.messages[index].role.is_system() || kept.messages.contains(&index)
            });
        if messages.is_empty() && kept.messages.is_empty() {
            return Err(PlanError::OnlySystemMessages);
        }
        if messages.is_empty() {
            return Err(PlanError::NothingBeforeCutoff { keep: input.thresholds.summarize_keep });
        }
        let is_earlier_summary = |index: &usize| transcript.messages[*index].earlier_summary;
        if skips_growth && messages.iter().all(is_earlier_summary) {
            return Err(PlanError::OnlyEarlierSummary);
        }
        let frame = self.frame_before(first_kept, kept.messages.is_empty());
        let path = input.names.history_path.clone();
        let framed = self.framed_tokens(frame, &path, "");
        let stays = (0..head)
            .chain(kept_before.iter().copied())
            .chain(first_kept..transcript.messages.len());
        let dropped = match input.policy.summarize.bound_reasoning {
            BoundReasoning::Keep => Vec::new(),
            BoundReasoning::Drop => {
                bound_reasoning(transcript, first_kept..transcript.messages.len())
            }
        };
        let (overlay, ledger) = self.beside_summary(kept.cut.as_ref(), &dropped);
        let view = TranscriptView::new(transcript, &overlay);
        let tokens_after = ledger.call_tokens(view, stays, Some(framed));
        let replaced: usize = messages.iter().map(|&index| self.ledger.messages[index]).sum();
        let room = tokens.saturating_sub(tokens_after);
        if skips_growth && room < LEAST_ROOM {
            return Err(PlanError::FrameTooLarge { replaced, frame: framed });
        }
        let mut budget = match input.policy.summarizer.budget {
            0 => {
                let read = replaced + self.tokens_cut_from(&messages);
                (read / BUDGET_DIVISOR).clamp(BUDGET_MIN, BUDGET_MAX)
            }
            tokens => tokens,
        };
        if skips_growth {
            // A summary that takes all room saves nothing.
            budget = budget.min(room / 2);
        }
        let hole = self.hole(&messages, budget);
        Ok(PlannedSummary {
            summary: Summary {
                cutoff: first_kept - head,
                first_kept,
                messages,
                kept_before,
                cut: kept.cut,
                dropped,
                path,
                frame,
                hole,
            },
            tokens_after,
        })
    }

    /// Returns the texts and the counts of the messages beside a summary that cuts one of them, and
    /// for which others lose blocks.
    pub(super) fn beside_summary(
        &self,
        cut: Option<&TextCut>,
        dropped: &[DroppedBlocks],
    ) -> (Cow<'_, Overlay>, Cow<'_, Ledger<'_>>) {
        if cut.is_none() && dropped.is_empty() {
            return (Cow::Borrowed(&self.overlay), Cow::Borrowed(&self.ledger));
        }
        let (mut overlay, mut ledger) = (self.overlay.clone(), self.ledger.clone());
        if let Some(cut) = cut {
            overlay.results.insert(cut.message, cut.text.clone());
        }
        for dropped in dropped {
            overlay.dropped.insert(dropped.message, dropped.clone());
        }
        let view = TranscriptView::new(self.input.transcript, &overlay);
        let changed = cut.map(|cut| cut.message);
        for index in changed.into_iter().chain(dropped.iter().map(|dropped| dropped.message)) {
            ledger.recount(view, index);
        }
        (Cow::Owned(overlay), Cow::Owned(ledger))
    }

    /// Returns the tokens that stages dedup and cut took from messages. A summarizer reads them all
    /// the same, so its budget counts them.
    fn tokens_cut_from(&self, messages: &[usize]) -> usize {
        let replaced = self.edits.iter().filter_map(|edit| match edit {
            Edit::Prune(pruning) if edit.stage() != Stage::Prune => Some(pruning),
            _ => None,
        });
        replaced
            .filter(|pruning| messages.binary_search(&pruning.message).is_ok())
            .map(|pruning| {
                let before = usize::try_from(pruning.tokens).unwrap_or(usize::MAX);
                before.saturating_sub(self.ledger.counter.count_text(&pruning.placeholder))
            })
            .sum()
    }

    /// Returns the hole for a summary of these messages.
    fn hole(&self, messages: &[usize], budget: usize) -> Hole {
        let transcript = self.input.transcript;
        // The request for the earlier summary carries no information.
        let informs = |index: &usize| {
            !(transcript.messages[*index].earlier_summary && transcript.is_summary_question(*index))
        };
        let informative: Vec<usize> = messages.iter().copied().filter(informs).collect();
        let limit = self.input.policy.summarize.trim_tokens;
        let window = trim::trim_window(self.view(), &self.ledger, &informative, limit);
        Hole { budget, window: window.messages, first_text: window.first_text }
    }

    /// Returns the frame of a summary that comes before message `first_kept`: the policy's where
    /// the format allows it. OpenCode's two messages are not possible where the format keeps a
    /// summary beside the list, where the model would speak twice in a row, or where the summary is
    /// not the first (`is_first`): behind other words its question would be somebody's.
    fn frame_before(&self, first_kept: usize, is_first: bool) -> SummaryFrame {
        let (frame, transcript) = (self.input.policy.summarize.frame, self.input.transcript);
        match transcript.write_mode {
            WriteMode::Appended { asked: true, .. } => return SummaryFrame::OpenCode,
            WriteMode::Appended { .. } if frame == SummaryFrame::OpenCode => {
                return SummaryFrame::Archived;
            }
            WriteMode::Appended { .. } | WriteMode::InPlace | WriteMode::Nowhere => {}
        }
        let is_beside_list = transcript.outside > 0 && transcript.messages[0].earlier_summary;
        let next =
            transcript.messages[first_kept..].iter().find(|message| !message.role.is_system());
        let speaks_twice =
            transcript.alternates && next.is_some_and(|message| message.role == Role::Assistant);
        if frame == SummaryFrame::OpenCode && (!is_first || is_beside_list || speaks_twice) {
            SummaryFrame::Archived
        } else {
            frame
        }
    }

    /// Returns the tokens of the messages that present the summary `text`.
    pub(super) fn framed_tokens(&self, frame: SummaryFrame, path: &str, text: &str) -> usize {
        let messages = frame.render(path, text);
        messages.iter().map(|(role, text)| self.ledger.counter.count_summary(*role, text)).sum()
    }
}
