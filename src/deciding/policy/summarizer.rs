//! The settings of the summarizer, and of the model that it asks.

use crate::base::names::names;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The writer of summaries, and what it is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct SummarizerPolicy {
    pub kind: SummarizerKind,
    /// Length of a summary in tokens; 0 is 5 % of what it replaces, from 256 to 2000.
    pub budget: usize,
    /// The sections of a summary, and how the conversation is written into a prompt.
    pub template: SummaryTemplate,
    /// The prompt for a model. Its `{messages}` is replaced by the conversation.
    pub prompt: String,
    /// The prompt if there is an earlier summary, which replaces `{prior_summary}`. If it is empty,
    /// an earlier summary is among the messages.
    pub merge_prompt: String,
    /// Code points of a tool result in a prompt of the template `opencode`; 0 is all.
    pub result_chars: usize,
    /// Headings that a summary must have, in any order.
    pub headings: Vec<String>,
    /// The treatment of a transcript whose summary fails.
    pub on_failure: OnFailure,
    /// Variables of the environment that a program gets beside the usual ones.
    pub pass_env: Vec<String>,
    /// The file with the weights of the embedded summarizer; without one it has its own.
    pub weights: Option<PathBuf>,
    /// The parameters of asking a model.
    pub model: ModelPolicy,
}

/// The shapes of summaries and prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SummaryTemplate {
    /// SESSION INTENT, SUMMARY, ARTIFACTS, NEXT STEPS; messages as LangChain writes them.
    DeepAgents,
    /// Objective, Important Details, Work State, Next Move, Relevant Files; messages as labelled
    /// items.
    OpenCode,
}

names!(pub SummaryTemplate::name: DeepAgents "deepagents", OpenCode "opencode");

/// The summarizers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SummarizerKind {
    /// The embedded summarizer, without a model or a network.
    Extract,
    /// A program that reads the prompt on stdin and writes the summary to stdout.
    Command(String),
    /// A model behind an HTTP interface.
    Http,
    /// No summarizer: only evict, truncate and prune.
    None,
}

impl SummarizerKind {
    /// Returns the program and its arguments, if a program writes the summaries.
    pub fn command_line(&self) -> Option<&str> {
        match self {
            Self::Command(line) => Some(line),
            Self::Extract | Self::Http | Self::None => None,
        }
    }
}

/// The treatment of a transcript whose summary fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum OnFailure {
    /// Writes the transcript unchanged and marks it as failed.
    Keep,
    /// Lets the embedded summarizer write the summary, with a warning.
    Extract,
    /// Ends the run.
    Fail,
}

names!(pub OnFailure::name: Keep "keep", Extract "extract", Fail "fail");

impl OnFailure {
    /// All values, in the order in which help lists them.
    pub const ALL: [Self; 3] = [Self::Keep, Self::Extract, Self::Fail];
}

/// The parameters of asking a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelPolicy {
    /// The server's name for it, perhaps after `openai:` or `anthropic:`; the policy's model if
    /// there is none.
    pub name: Option<String>,
    /// The interface; by default by the name's prefix.
    pub dialect: Option<Dialect>,
    /// The server's address; by default the provider's.
    pub base_url: Option<String>,
    /// The environment variable that holds the API key; by default the dialect's.
    pub key_env: Option<String>,
    /// The file that holds the API key.
    pub key_file: Option<PathBuf>,
    /// Sends the API key to another machine even without encryption.
    pub allow_plain_http: bool,
    /// A PEM file of certificate authorities to trust beside the system's.
    pub ca_file: Option<PathBuf>,
    /// More headers of each request. A value `$NAME` is read from the environment.
    pub headers: Vec<(String, String)>,
    /// Sampling temperature; not sent if there is none.
    pub temperature: Option<f64>,
    /// The most tokens of an answer; 0 is the server's limit or, if the interface demands a limit,
    /// enough for the budget.
    pub max_output: u64,
    /// Seconds until a request is given up.
    pub timeout: u64,
    /// Seconds until a summary is given up, retries and waits included.
    pub deadline: u64,
    /// The most times that a failed request is repeated.
    pub retries: u64,
    /// The number of requests at the same time.
    pub concurrency: usize,
    /// The price of tokens; by default that of the embedded table.
    pub price: Option<CallPrice>,
    /// The most calls of a run.
    pub max_calls: Option<u64>,
    /// The most US dollars that a run may cost.
    pub max_cost: Option<f64>,
    /// The place of cached answers.
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
            allow_plain_http: false,
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

/// The interfaces of servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// OpenAI chat completions, as OpenAI, vLLM, Ollama, llama.cpp, OpenRouter and others serve
    /// them.
    OpenAi,
    /// Anthropic Messages.
    Anthropic,
}

names!(pub Dialect::name: OpenAi "openai", Anthropic "anthropic");

impl Dialect {
    /// All interfaces, in the order in which help lists them.
    pub const ALL: [Self; 2] = [Self::OpenAi, Self::Anthropic];
}

/// The price of calls, in US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CallPrice {
    pub input: f64,
    pub output: f64,
}

impl CallPrice {
    /// Returns the cost of a call in US dollars.
    #[expect(clippy::cast_precision_loss, reason = "an estimate in dollars")]
    pub fn cost(self, input_tokens: u64, output_tokens: u64) -> f64 {
        (self.input * input_tokens as f64 + self.output * output_tokens as f64) / 1e6
    }
}

/// The place of cached answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CachePlace {
    /// The user's cache directory.
    User,
    /// This directory.
    At(PathBuf),
    /// None: every answer is asked for again.
    Off,
}
