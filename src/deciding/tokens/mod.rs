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
    /// The name for `--counter`.
    pub name: &'static str,
    /// The explanation in help.
    pub help: &'static str,
    /// Builds the counter, given the code points per token of an estimate.
    pub build: fn(f64) -> Box<dyn TokenCounter>,
}

/// All counters.
pub(crate) static COUNTERS: &[CounterKind] = &[
    CounterKind {
        name: "approx",
        // 3.3 for Anthropic's models.
        help: "characters / 4, as the reference",
        build: |chars_per_token| {
            Box::new(approx::ApproxCounter { chars_per_token, valid_only: false })
        },
    },
    CounterKind {
        name: "langchain",
        help: "as approx, without calls that can't be parsed",
        build: |chars_per_token| {
            Box::new(approx::ApproxCounter { chars_per_token, valid_only: true })
        },
    },
    CounterKind {
        name: "o200k_base",
        help: "exact, of GPT-4o, GPT-4.1, o1, o3, o4",
        build: |_| Box::new(ChatCounter(bpe::ExactEncoding(&bpe::O200K_BASE))),
    },
    CounterKind {
        name: "o200k_harmony",
        help: "exact, of gpt-oss",
        build: |_| Box::new(ChatCounter(bpe::ExactEncoding(&bpe::O200K_HARMONY))),
    },
    CounterKind {
        name: "cl100k_base",
        help: "exact, of GPT-4 and GPT-3.5",
        build: |_| Box::new(ChatCounter(bpe::ExactEncoding(&bpe::CL100K_BASE))),
    },
    CounterKind {
        name: "p50k_base",
        help: "exact, of text-davinci-003",
        build: |_| Box::new(ChatCounter(bpe::ExactEncoding(&bpe::P50K_BASE))),
    },
    CounterKind {
        name: "r50k_base",
        help: "exact, of GPT-3 and GPT-2",
        build: |_| Box::new(ChatCounter(bpe::ExactEncoding(&bpe::R50K_BASE))),
    },
    CounterKind {
        name: "utf16",
        help: "UTF-16 code units / 4, as OpenCode",
        build: |_| Box::new(estimates::UTF16),
    },
    CounterKind {
        name: "utf16-up",
        help: "as utf16, rounded up, as pi",
        build: |_| Box::new(estimates::UTF16_UP),
    },
    CounterKind {
        name: "bytes",
        help: "UTF-8 bytes / 4, rounded up, as Codex",
        build: |_| Box::new(estimates::BYTES),
    },
    CounterKind {
        name: "gemini-cli",
        help: "1/4 per ASCII character, 1.5 per other, as Gemini CLI",
        build: |_| Box::new(estimates::GEMINI_CLI),
    },
    CounterKind {
        name: "cline",
        help: "UTF-16 code units of a message's JSON / 3, as Cline",
        build: |_| Box::new(cline::ClineCounter),
    },
    CounterKind {
        name: "cjk",
        help: "1.5 per CJK character, 1/4 per other",
        build: |_| Box::new(estimates::CJK),
    },
];

/// The value of `--counter` that selects the exact counter of each model, if there is one.
pub(crate) const AUTO: &str = "auto";
