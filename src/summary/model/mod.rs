//! A model that is asked for summaries: the question, its identity, how each
//! interface spells it, and what counts as an answer. No network here: live
//! calls and batch files share all of it.

mod answer;
mod batch;
mod dialect;
mod question;
mod secret;
mod task;

pub use answer::{Reply, check};
pub use batch::{ResultLine, custom_id, request_line, result_line};
pub use dialect::{Spelling, error_text, read_reply, request_body};
pub use question::Question;
pub use secret::{Secret, without_credentials};
pub use task::Task;

use crate::policy::{Dialect, Price};
use std::path::PathBuf;
use std::time::Duration;

/// A model and how it is asked, fully resolved.
pub struct Target {
    /// Its interface.
    pub dialect: Dialect,
    /// Where the server is, without a slash at the end.
    pub base_url: String,
    /// Its name as the server knows it.
    pub model: String,
    /// The key; none for servers that want none.
    pub key: Option<Secret>,
    /// More headers of each request.
    pub headers: Vec<(String, Secret)>,
    /// Sampling temperature.
    pub temperature: Option<f64>,
    /// Tokens that an answer may have; 0 = as the dialect demands.
    pub max_output: u64,
    /// The most input tokens that the model takes, where that is known.
    pub input_limit: Option<u64>,
    /// Until one request is given up.
    pub timeout: Duration,
    /// Until a summary is given up.
    pub deadline: Duration,
    /// How often one request is repeated at most.
    pub retries: u64,
    /// Requests at the same time.
    pub concurrency: usize,
    /// What tokens cost, where that is known.
    pub price: Option<Price>,
    /// How many calls the run may make.
    pub max_calls: Option<u64>,
    /// How many US dollars the run may cost.
    pub max_cost: Option<f64>,
    /// Where answers are kept; none: nowhere.
    pub cache: Option<PathBuf>,
    /// Headings that a summary must have.
    pub headings: Vec<String>,
}

impl Target {
    /// The question that a prompt is to this model.
    #[must_use]
    pub fn question(&self, prompt: String, budget: usize) -> Question {
        let max_output = match self.max_output {
            0 if self.dialect == Dialect::Anthropic => Some((budget as u64).saturating_mul(2).max(LEAST_OUTPUT)),
            0 => None,
            tokens => Some(tokens),
        };
        Question { model: self.model.clone(), temperature: self.temperature, max_output, budget, prompt }
    }

    /// How the server calls the limit of an answer.
    #[must_use]
    pub fn spelling(&self) -> Spelling {
        if self.base_url.contains("//api.openai.com") { Spelling::New } else { Spelling::Old }
    }

    /// The same text with the key and the values of headers masked: servers repeat them in errors.
    #[must_use]
    pub fn mask(&self, text: &str) -> String {
        let secrets = self.key.iter().chain(self.headers.iter().map(|(_, value)| value));
        secrets.fold(text.to_owned(), |text, secret| secret.mask(&text))
    }
}

/// Where an interface demands a limit: what a reasoning model needs to come to its answer.
const LEAST_OUTPUT: u64 = 4096;
