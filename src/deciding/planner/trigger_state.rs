//! The numbers that triggers compare: message counts, tokens, and the usage that
//! the log reports.

use crate::deciding::planner::draft::Draft;
use crate::deciding::policy::{ContextSize, TriggerMeasure};
use crate::deciding::strategy::tail::events_before;
use crate::reading::json::decode_literal;
use crate::reading::transcript::{Message, Role, Transcript};

impl Draft<'_, '_> {
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
