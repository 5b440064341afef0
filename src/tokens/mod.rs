//! Token counts. A ledger counts each message once under one counter, and sums the counts many
//! times.

pub mod approx;
pub mod bpe;
mod chat;
pub mod cjk;
mod counter;
mod ledger;
pub mod plain;
pub mod python;
pub mod rendered;
pub mod tokenizer_json;
pub mod utf16;

use chat::ChatCounter;
pub use counter::TokenCounter;
pub use ledger::{Ledger, UsageScale};

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
