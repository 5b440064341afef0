//! How a model is asked for summaries: what the user said, or a default.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How a model is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelPolicy {
    /// Its name as the server knows it, perhaps with `openai:` or `anthropic:` before it; else the policy's model.
    pub name: Option<String>,
    /// The interface it is asked through; else by what stands before the name.
    pub dialect: Option<Dialect>,
    /// Where the server is; else the provider's own.
    pub base_url: Option<String>,
    /// The environment variable that holds the key; else the dialect's.
    pub key_env: Option<String>,
    /// The file that holds the key.
    pub key_file: Option<PathBuf>,
    /// Certificates of authorities that are trusted beside the system's, in PEM.
    pub ca_file: Option<PathBuf>,
    /// More headers of each request. A value `$NAME` is taken from the environment.
    pub headers: Vec<(String, String)>,
    /// Sampling temperature; not sent if not given.
    pub temperature: Option<f64>,
    /// Tokens that an answer may have; 0 = the server's own limit, and where the interface demands one, enough for the budget.
    pub max_output: u64,
    /// Seconds until one request is given up.
    pub timeout: u64,
    /// Seconds until a summary is given up, with all its retries and waits.
    pub deadline: u64,
    /// How often one request is repeated at most.
    pub retries: u64,
    /// Requests at the same time.
    pub concurrency: usize,
    /// What tokens cost; else that of the embedded table.
    pub price: Option<Price>,
    /// How many calls a run may make.
    pub max_calls: Option<u64>,
    /// How many US dollars a run may cost.
    pub max_cost: Option<f64>,
    /// Where answers are kept.
    pub cache: CachePlace,
}

impl Default for ModelPolicy {
    fn default() -> Self {
        Self {
            name: None,
            dialect: None,
            base_url: None,
            key_env: None,
            key_file: None,
            ca_file: None,
            headers: Vec::new(),
            temperature: None,
            max_output: 0,
            timeout: 120,
            deadline: 600,
            retries: 6,
            concurrency: 8,
            price: None,
            max_calls: None,
            max_cost: None,
            cache: CachePlace::User,
        }
    }
}

/// The interfaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// OpenAI chat completions, as OpenAI, vLLM, Ollama, llama.cpp, OpenRouter and others serve them.
    OpenAi,
    /// Anthropic Messages.
    Anthropic,
}

impl Dialect {
    /// All, for options and errors.
    pub const ALL: [Self; 2] = [Self::OpenAi, Self::Anthropic];

    /// How options name it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
        }
    }
}

/// What becomes of a transcript whose summary failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum OnFailure {
    /// It leaves as it came, and is marked failed.
    Keep,
    /// The embedded summarizer writes the summary, and a warning says so.
    Extract,
    /// The run ends.
    Fail,
}

impl OnFailure {
    /// All, for options and errors.
    pub const ALL: [Self; 3] = [Self::Keep, Self::Extract, Self::Fail];

    /// How options name it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::Extract => "extract",
            Self::Fail => "fail",
        }
    }
}

/// US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// Of input.
    pub input: f64,
    /// Of output.
    pub output: f64,
}

impl Price {
    /// US dollars of so many tokens.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "dollars, not tokens")]
    pub fn of(self, input_tokens: u64, output_tokens: u64) -> f64 {
        (self.input * input_tokens as f64 + self.output * output_tokens as f64) / 1e6
    }
}

/// Where answers are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CachePlace {
    /// In the user's cache directory.
    User,
    /// Here.
    At(PathBuf),
    /// Nowhere: every answer is asked for again.
    Off,
}
