//! The token counts of a transcript: each message counted once, summed many times.

use crate::deciding::tokens::counter::TokenCounter;
use crate::reading::json::without_null_padding;
use crate::reading::transcript::prelude::*;
use crate::reading::transcript::view::TranscriptView;

/// Largest factor by which reported usage raises a total.
const MAX_SCALE: f64 = 1.25;

/// Tokens of every message of a transcript.
#[derive(Clone)]
pub(crate) struct Ledger<'c> {
    pub counter: &'c dyn TokenCounter,
    pub messages: Vec<usize>,
    /// Tokens of the tool schemas, which are sent with every call.
    pub tools: usize,
}

impl<'c> Ledger<'c> {
    /// Counts every message once.
    pub(crate) fn new(counter: &'c dyn TokenCounter, view: TranscriptView<'_, '_>) -> Self {
        Self {
            counter,
            messages: (0..view.transcript.messages.len())
                .map(|index| counter.count_message(view, index))
                .collect(),
            tools: view
                .transcript
                .tool_schemas()
                .map_or(0, |schemas| counter.count_tools(&without_null_padding(&schemas))),
        }
    }

    /// Counts a message again, after an edit.
    pub(crate) fn recount(&mut self, view: TranscriptView<'_, '_>, index: usize) {
        self.messages[index] = self.counter.count_message(view, index);
    }

    /// Returns the tokens of a model call with these messages: schemas, a summary (its tokens) and
    /// the messages, scaled by reported usage.
    pub(crate) fn call_tokens(
        &self,
        view: TranscriptView<'_, '_>,
        messages: impl Iterator<Item = usize>,
        summary: Option<usize>,
    ) -> usize {
        let beside = self.tools + summary.unwrap_or(0);
        self.scaled_sum(view, messages, beside, usize::from(summary.is_some()))
    }

    /// Returns the tokens of these messages and of `tools` tokens of schemas, scaled by reported
    /// usage.
    pub(crate) fn counted_tokens(
        &self,
        view: TranscriptView<'_, '_>,
        messages: impl Iterator<Item = usize>,
        tools: usize,
    ) -> usize {
        self.scaled_sum(view, messages, tools, 0)
    }

    /// Returns the tokens of these messages alone, scaled by reported usage.
    pub(crate) fn list_tokens(
        &self,
        view: TranscriptView<'_, '_>,
        messages: impl Iterator<Item = usize>,
    ) -> usize {
        self.scaled_sum(view, messages, 0, 0)
    }

    /// Adds messages to `total` tokens of `count` messages, and scales the sum.
    fn scaled_sum(
        &self,
        view: TranscriptView<'_, '_>,
        messages: impl Iterator<Item = usize>,
        mut total: usize,
        mut count: usize,
    ) -> usize {
        let mut usage = UsageScale::default();
        for index in messages {
            total += self.messages[index];
            count += 1;
            usage.observe_message(view.transcript, index, total);
        }
        if self.counter.scales_with_usage() && count > 1 {
            usage.scale_total(total, |_| 0)
        } else {
            total
        }
    }
}

/// The last reported usage compared with the estimate up to it (see
/// `docs/reference/deepagents.md`). Totals are scaled by the ratio.
#[derive(Debug, Clone, Default)]
pub(crate) struct UsageScale {
    provider: Option<String>,
    /// True if messages name different providers. Then totals are not scaled.
    is_mixed: bool,
    last: Option<LastReport>,
}

/// The last usage that the provider reported.
#[derive(Debug, Clone, Copy)]
struct LastReport {
    message: usize,
    tokens: i64,
    /// The estimate up to and including that message.
    estimated: usize,
}

impl UsageScale {
    /// Adds the next message of a list; `total` is the estimate up to and including it.
    #[inline]
    pub(crate) fn observe_message(
        &mut self,
        transcript: &Transcript<'_>,
        index: usize,
        total: usize,
    ) {
        let message = &transcript.messages[index];
        // A message without a report matters only after another has named its provider.
        if message.role == Role::Assistant
            && (self.provider.is_some() || message.provider.is_some() || message.usage.is_some())
        {
            self.observe_answer(transcript, index, total);
        }
    }

    fn observe_answer(&mut self, transcript: &Transcript<'_>, index: usize, total: usize) {
        let message = &transcript.messages[index];
        // The same name may be spelled with escapes.
        let provider = message.provider.map(|span| decode_literal(transcript.bytes(index, span)));
        match &self.provider {
            None => self.provider = provider.map(Cow::into_owned),
            Some(known) => self.is_mixed |= provider.as_deref() != Some(known),
        }
        if let Some(usage) = &message.usage {
            self.last =
                Some(LastReport { message: index, tokens: usage.total_tokens, estimated: total });
        }
    }

    /// Returns the estimate of the full list, scaled by reported usage. `reduction` returns how
    /// much the estimate up to and including a message has shrunk since the message was added.
    pub(crate) fn scale_total(&self, total: usize, reduction: impl Fn(usize) -> i64) -> usize {
        let Some(last) = self.last.filter(|_| self.provider.is_some() && !self.is_mixed) else {
            return total;
        };
        let estimated = last.estimated as i64 - reduction(last.message);
        if estimated <= 0 {
            return total;
        }
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss
        )]
        let scaled = (total as f64 * (last.tokens as f64 / estimated as f64).clamp(1.0, MAX_SCALE))
            .ceil() as usize;
        scaled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::format::{Shape, format_by_name};

    fn scaled(second_provider: &str) -> usize {
        let answer = |provider: &str| {
            format!(
                r#"{{"role": "assistant", "content": "a", "usage_metadata": {{"total_tokens": 120}}, "response_metadata": {{"model_provider": "{provider}"}}}}"#
            )
        };
        let record =
            format!(r#"{{"messages": [{}, {}]}}"#, answer("fake"), answer(second_provider));
        let records = vec![Record { bytes: record.as_bytes(), line: 1 }];
        let format = format_by_name("openai").unwrap();
        let transcript = format.read_transcript(records, Shape::Conversation).unwrap();
        let mut scale = UsageScale::default();
        scale.observe_message(&transcript, 0, 50);
        scale.observe_message(&transcript, 1, 100);
        scale.scale_total(100, |_| 0)
    }

    #[test]
    fn providers_are_compared_as_texts() {
        assert_eq!(scaled("fake"), 120);
        assert_eq!(scaled("\\u0066ake"), 120);
        assert_eq!(scaled("other"), 100);
    }
}
