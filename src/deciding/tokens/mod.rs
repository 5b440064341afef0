//! Token counts. A ledger counts each message once under one counter, and sums the counts many
//! times.

#[cfg(not(feature = "tokenizers"))]
mod absent_template;
pub(crate) mod approx;
pub(crate) mod bpe;
pub(crate) mod chat_template;
mod cline;
mod counter;
pub(crate) mod estimates;
#[cfg(feature = "tokenizers")]
mod jinja_template;
mod ledger;
pub(crate) mod plain;
pub(crate) mod python;
pub(crate) mod rendered;
pub(crate) mod tokenizer_json;

#[cfg(not(feature = "tokenizers"))]
pub(crate) use absent_template::AbsentTemplate as ChatTemplate;
use counter::ChatCounter;
pub(crate) use counter::TokenCounter;
#[cfg(feature = "tokenizers")]
pub(crate) use jinja_template::JinjaChat as ChatTemplate;
pub(crate) use ledger::{Ledger, UsageScale};

/// A row of the table of counters.
pub(crate) struct CounterKind {
    pub name: &'static str,
    /// The explanation in help.
    pub help: &'static str,
    /// Builds the counter, given the code points per token of an estimate.
    pub build: fn(f64) -> Box<dyn TokenCounter>,
}

const fn counter(
    name: &'static str,
    help: &'static str,
    build: fn(f64) -> Box<dyn TokenCounter>,
) -> CounterKind {
    CounterKind { name, help, build }
}

pub(crate) static COUNTERS: &[CounterKind] = &[
    // 3.3 characters a token for Anthropic's models.
    counter("approx", "characters / 4, as the reference", |chars_per_token| {
        Box::new(approx::ApproxCounter { chars_per_token, valid_only: false })
    }),
    counter("langchain", "as approx, without calls that can't be parsed", |chars_per_token| {
        Box::new(approx::ApproxCounter { chars_per_token, valid_only: true })
    }),
    counter("o200k_base", "exact, of GPT-4o, GPT-4.1, o1, o3, o4", |_| {
        Box::new(ChatCounter(bpe::ExactEncoding(&bpe::O200K_BASE)))
    }),
    counter("o200k_harmony", "exact, of gpt-oss", |_| {
        Box::new(ChatCounter(bpe::ExactEncoding(&bpe::O200K_HARMONY)))
    }),
    counter("cl100k_base", "exact, of GPT-4 and GPT-3.5", |_| {
        Box::new(ChatCounter(bpe::ExactEncoding(&bpe::CL100K_BASE)))
    }),
    counter("p50k_base", "exact, of text-davinci-003", |_| {
        Box::new(ChatCounter(bpe::ExactEncoding(&bpe::P50K_BASE)))
    }),
    counter("r50k_base", "exact, of GPT-3 and GPT-2", |_| {
        Box::new(ChatCounter(bpe::ExactEncoding(&bpe::R50K_BASE)))
    }),
    counter("utf16", "UTF-16 code units / 4, as OpenCode", |_| Box::new(estimates::UTF16)),
    counter("utf16-up", "as utf16, rounded up, as pi", |_| Box::new(estimates::UTF16_UP)),
    counter("bytes", "UTF-8 bytes / 4, rounded up, as Codex", |_| Box::new(estimates::BYTES)),
    counter("gemini-cli", "1/4 per ASCII character, 1.5 per other, as Gemini CLI", |_| {
        Box::new(estimates::GEMINI_CLI)
    }),
    counter("cline", "UTF-16 code units of a message's JSON / 3, as Cline", |_| {
        Box::new(cline::ClineCounter)
    }),
    counter("cjk", "1.5 per CJK character, 1/4 per other", |_| Box::new(estimates::CJK)),
];

/// The value of `--counter` that selects the exact counter of each model, if there is one.
pub(crate) const AUTO: &str = "auto";
