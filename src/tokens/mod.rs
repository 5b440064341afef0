//! Token counts. A ledger counts each message once under one counter, and sums the counts many
//! times.

pub mod approx;
pub mod bpe;
mod chat;
pub mod cjk;
pub mod plain;
pub mod python;
pub mod rendered;
pub mod tokenizer_json;
pub mod utf16;

use crate::transcript::view::{ContentPiece, TranscriptView};
use crate::transcript::{Role, Transcript};
use chat::ChatCounter;

/// A counter of tokens. Each counter has its own rule for the cost of a message beyond its text.
pub trait TokenCounter: Send + Sync {
    /// Returns the name for `--counter` and reports.
    fn name(&self) -> &'static str;

    /// Returns the tokens of a bare text.
    fn count_text(&self, text: &str) -> usize;

    /// Returns the tokens of message `index`, with its role, calls and names.
    fn count_message(&self, view: TranscriptView<'_, '_>, index: usize) -> usize {
        self.count_message_as(
            view,
            index,
            &view.content_pieces(index),
            view.has_blocks(index),
        )
    }

    /// Returns the tokens of message `index` if its content were these pieces, as a list of blocks
    /// or as one text.
    fn count_message_as(
        &self,
        view: TranscriptView<'_, '_>,
        index: usize,
        pieces: &[ContentPiece<'_>],
        blocks: bool,
    ) -> usize;

    /// Returns the tokens of a summary message with this text.
    fn count_summary(&self, role: Role, text: &str) -> usize;

    /// Returns the tokens of the record's list of tool schemas (JSON).
    fn count_tools(&self, schemas: &[u8]) -> usize;

    /// Returns true if totals are scaled by the usage that the log reports.
    fn scales_with_usage(&self) -> bool;
}

/// A row of the table of counters.
pub struct CounterKind {
    /// The name for `--counter`.
    pub name: &'static str,
    /// A line on what it counts.
    pub about: &'static str,
    /// Builds the counter, given the code points per token of an estimate.
    pub build: fn(f64) -> Box<dyn TokenCounter>,
}

/// All counters.
pub static COUNTERS: &[CounterKind] = &[
    CounterKind {
        name: "approx",
        about: "code points / 4 (3.3 for Anthropic models), as the reference",
        build: |chars_per_token| Box::new(approx::ApproxCounter { chars_per_token }),
    },
    CounterKind {
        name: "o200k_base",
        about: "exact, of GPT-4o, GPT-4.1, o1, o3, o4",
        build: |_| Box::new(ChatCounter(bpe::ExactEncoding(&bpe::O200K_BASE))),
    },
    CounterKind {
        name: "o200k_harmony",
        about: "exact, of gpt-oss",
        build: |_| Box::new(ChatCounter(bpe::ExactEncoding(&bpe::O200K_HARMONY))),
    },
    CounterKind {
        name: "cl100k_base",
        about: "exact, of GPT-4 and GPT-3.5",
        build: |_| Box::new(ChatCounter(bpe::ExactEncoding(&bpe::CL100K_BASE))),
    },
    CounterKind {
        name: "p50k_base",
        about: "exact, of text-davinci-003 and Codex",
        build: |_| Box::new(ChatCounter(bpe::ExactEncoding(&bpe::P50K_BASE))),
    },
    CounterKind {
        name: "r50k_base",
        about: "exact, of GPT-3 and GPT-2",
        build: |_| Box::new(ChatCounter(bpe::ExactEncoding(&bpe::R50K_BASE))),
    },
    CounterKind {
        name: "utf16",
        about: "UTF-16 code units / 4 of all text, rounded, as OpenCode estimates",
        build: |_| Box::new(utf16::UTF16),
    },
    CounterKind {
        name: "cjk",
        about: "1.5 per CJK character and 1/4 per other code point, rounded",
        build: |_| Box::new(cjk::CJK),
    },
];

/// The value of `--counter` that selects the exact counter of each model, if there is one.
pub const AUTO: &str = "auto";

/// Largest factor by which reported usage raises a total.
const MAX_SCALE: f64 = 1.25;

/// Tokens of every message of a transcript.
#[derive(Clone)]
pub struct Ledger<'c> {
    /// The counter.
    pub counter: &'c dyn TokenCounter,
    /// Tokens by message.
    pub messages: Vec<usize>,
    /// Tokens of the tool schemas, which are sent with every call.
    pub tools: usize,
}

impl<'c> Ledger<'c> {
    /// Counts every message once.
    #[must_use]
    pub fn new(counter: &'c dyn TokenCounter, view: TranscriptView<'_, '_>) -> Self {
        Self {
            counter,
            messages: (0..view.transcript.messages.len())
                .map(|index| counter.count_message(view, index))
                .collect(),
            tools: view
                .transcript
                .tool_schemas()
                .map_or(0, |schemas| counter.count_tools(&schemas)),
        }
    }

    /// Counts a message again, after an edit.
    pub fn recount(&mut self, view: TranscriptView<'_, '_>, index: usize) {
        self.messages[index] = self.counter.count_message(view, index);
    }

    /// Returns the tokens of a model call with these messages: schemas, a summary (its tokens) and
    /// the messages, scaled by reported usage.
    #[must_use]
    pub fn call_tokens(
        &self,
        view: TranscriptView<'_, '_>,
        messages: impl Iterator<Item = usize>,
        summary: Option<usize>,
    ) -> usize {
        self.scaled_sum(
            view,
            messages,
            self.tools + summary.unwrap_or(0),
            usize::from(summary.is_some()),
        )
    }

    /// Returns the tokens of these messages alone, scaled by reported usage.
    #[must_use]
    pub fn list_tokens(
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
pub struct UsageScale {
    provider: Option<Vec<u8>>,
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
    pub fn observe_message(&mut self, transcript: &Transcript<'_>, index: usize, total: usize) {
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
        let provider = message.provider.map(|span| transcript.bytes(index, span));
        match &self.provider {
            None => self.provider = provider.map(<[u8]>::to_vec),
            Some(known) => self.is_mixed |= provider != Some(known),
        }
        if let Some(usage) = &message.usage {
            self.last = Some(LastReport {
                message: index,
                tokens: usage.total_tokens,
                estimated: total,
            });
        }
    }

    /// Returns the estimate of the full list, scaled by reported usage. `reduction` returns how
    /// much the estimate up to and including a message has shrunk since the message was added.
    #[must_use]
    pub fn scale_total(&self, total: usize, reduction: impl Fn(usize) -> i64) -> usize {
        let Some(last) = self
            .last
            .filter(|_| self.provider.is_some() && !self.is_mixed)
        else {
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
