//! The numbers that triggers compare: message counts, tokens, and the usage that
//! the log reports.

use crate::json::decode_literal;
use crate::planner::draft::Draft;
use crate::policy::ContextSize;
use crate::transcript::{Message, Role, Transcript};

impl Draft<'_, '_> {
    /// Returns the state that triggers compare, for a model call of `tokens` tokens.
    /// `with_reported` adds the tokens that the provider reported with the last answer.
    pub(super) fn trigger_state(&self, tokens: usize, with_reported: bool) -> ContextSize {
        let transcript = self.input.transcript;
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
            tokens: tokens as u64,
            messages: (transcript.messages.len() - transcript.system_prefix_len()) as u64,
            reported,
            used: self.last_used_tokens(),
        }
    }

    /// Returns the tokens that the last model call used, as the log reports them. Returns None
    /// after a compaction: usage behind a summary may be older than the summary, and then it is the
    /// usage of a longer list.
    fn last_used_tokens(&self) -> Option<u64> {
        let messages = &self.input.transcript.messages;
        if messages.iter().any(|message| message.earlier_summary) {
            return None;
        }
        messages
            .iter()
            .rev()
            .filter(|message| message.role == Role::Assistant)
            .find_map(Message::reported_tokens)
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
