//! Token counts: each message counted once under one counter, summed many times.

pub mod approx;
pub mod bpe;
mod chat;
pub mod cjk;
pub mod plain;
pub mod python;
pub mod rendered;
mod schemas;
pub mod tokenizer_json;
pub mod utf16;

use crate::transcript::view::{ContentPiece, TranscriptView};
use crate::transcript::{Role, Transcript};
use chat::ChatCounter;

/// Counts tokens. What a message costs beyond its text is the counter's rule.
pub trait TokenCounter: Send + Sync {
    /// The name for `--counter` and reports.
    fn name(&self) -> &'static str;

    /// Tokens of a bare text.
    fn count_text(&self, text: &str) -> usize;

    /// Tokens of a message with all that it costs.
    fn count_message(&self, view: TranscriptView<'_, '_>, index: usize) -> usize {
        self.count_message_as(
            view,
            index,
            &view.content_pieces(index),
            view.has_blocks(index),
        )
    }

    /// Tokens of message `index` if its content were these pieces, as a list of blocks or as one text.
    fn count_message_as(
        &self,
        view: TranscriptView<'_, '_>,
        index: usize,
        pieces: &[ContentPiece<'_>],
        blocks: bool,
    ) -> usize;

    /// Tokens of a message of a summary, with this text.
    fn count_summary(&self, role: Role, text: &str) -> usize;

    /// Tokens of the record's list of tool schemas (JSON).
    fn count_tools(&self, schemas: &[u8]) -> usize;

    /// Whether totals are scaled by the usage that the log reports.
    fn scales_with_usage(&self) -> bool;
}

/// A counter as the table knows it.
pub struct CounterKind {
    /// The name for `--counter`.
    pub name: &'static str,
    /// One line on what it counts.
    pub about: &'static str,
    /// Builds it; the argument is code points per token, for those that estimate.
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

/// The name of `--counter` that asks for the exact counter of each model, where there is one.
pub const AUTO: &str = "auto";

/// Largest factor by which reported usage raises a total.
const MAX_SCALE: f64 = 1.25;

/// Tokens of every message of a transcript.
#[derive(Clone)]
pub struct Ledger<'c> {
    /// Who counted.
    pub counter: &'c dyn TokenCounter,
    /// Tokens by message.
    pub messages: Vec<usize>,
    /// Tokens of the tool schemas, which go out with every call.
    pub tools: usize,
}

impl<'c> Ledger<'c> {
    /// Counts every message once.
    #[must_use]
    pub fn new(counter: &'c dyn TokenCounter, view: TranscriptView<'_, '_>) -> Self {
        let count = |index| counter.count_message(view, index);
        Self {
            counter,
            messages: (0..view.transcript.messages.len()).map(count).collect(),
            tools: view
                .transcript
                .tool_schemas()
                .map_or(0, |schemas| counter.count_tools(&schemas)),
        }
    }

    /// Counts one message again, after an edit.
    pub fn recount(&mut self, view: TranscriptView<'_, '_>, index: usize) {
        self.messages[index] = self.counter.count_message(view, index);
    }

    /// What a model call with these messages costs: schemas, a summary before
    /// the first answer, and the messages; scaled by reported usage.
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

    /// Tokens of these messages alone, scaled by reported usage.
    #[must_use]
    pub fn list_tokens(
        &self,
        view: TranscriptView<'_, '_>,
        messages: impl Iterator<Item = usize>,
    ) -> usize {
        self.scaled_sum(view, messages, 0, 0)
    }

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

/// LastReport usage against the estimate up to there (spec: deepagents, section 2, "Usage scaling").
#[derive(Debug, Clone, Default)]
pub struct UsageScale {
    provider: Option<Vec<u8>>,
    mixed: bool,
    last: Option<LastReport>,
}

/// What the provider reported last.
#[derive(Debug, Clone, Copy)]
struct LastReport {
    message: usize,
    tokens: i64,
    /// The estimate up to and with that message.
    estimated: usize,
}

impl UsageScale {
    /// Looks at the next message of a list; `total` is the estimate up to and with it.
    #[inline]
    pub fn observe_message(&mut self, transcript: &Transcript<'_>, index: usize, total: usize) {
        let message = &transcript.messages[index];
        // Of what reports nothing there is nothing to tell, unless others did.
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
            Some(known) => self.mixed |= provider != Some(known),
        }
        if let Some(usage) = &message.usage {
            self.last = Some(LastReport {
                message: index,
                tokens: usage.total_tokens,
                estimated: total,
            });
        }
    }

    /// The estimate of the whole list as reported usage corrects it. `less` says by how much the estimate up to and
    /// with a message is less than it was when that message was seen.
    #[must_use]
    pub fn scale_total(&self, total: usize, less: impl Fn(usize) -> i64) -> usize {
        let Some(last) = self.last.filter(|_| self.provider.is_some() && !self.mixed) else {
            return total;
        };
        let estimated = last.estimated as i64 - less(last.message);
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
