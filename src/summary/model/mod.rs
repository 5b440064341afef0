//! A model that is asked for summaries: the question, its identity, how each
//! interface spells it, and what counts as an answer. No network here: live
//! calls and batch files share all of it.

mod answer;
mod batch;
mod dialect;
mod question;
mod secret;
mod task;

pub use answer::{ModelReply, check_summary};
pub use batch::{BatchResultLine, batch_request_line, read_batch_result, result_custom_id};
pub use dialect::{OutputLimitField, read_reply, read_server_error, request_body, shorten_message};
pub use question::ModelQuestion;
pub use secret::{Secret, url_without_credentials};
pub use task::SummaryTask;

use crate::policy::{Dialect, Price};
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// One more header of each request.
pub struct RequestHeader {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Secret,
    /// Whether nobody may read the value: it comes from the environment, or the name says so.
    pub is_secret: bool,
}

/// Who may vouch for a server beside those whom the system trusts.
pub struct ExtraAuthorities {
    /// What errors call them: where they were read from.
    pub name: String,
    /// Certificates in PEM.
    pub pem: Vec<u8>,
}

/// A model and how it is asked, fully resolved.
pub struct ModelEndpoint {
    /// Its interface.
    pub dialect: Dialect,
    /// Where the server is, without a slash at the end.
    pub base_url: String,
    /// Its name as the server knows it.
    pub model: String,
    /// The key; none for servers that want none.
    pub key: Option<Secret>,
    /// More headers of each request.
    pub headers: Vec<RequestHeader>,
    /// Who may vouch for the server beside those whom the system trusts.
    pub authorities: Option<ExtraAuthorities>,
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

impl ModelEndpoint {
    /// The question that a prompt is to this model.
    #[must_use]
    pub fn question(&self, prompt: String, budget: usize) -> ModelQuestion {
        let max_output = match self.max_output {
            0 if self.dialect == Dialect::Anthropic => {
                Some((budget as u64).saturating_mul(2).max(LEAST_OUTPUT))
            }
            0 => None,
            tokens => Some(tokens),
        };
        ModelQuestion {
            model: self.model.clone(),
            temperature: self.temperature,
            max_output,
            budget,
            prompt,
        }
    }

    /// How the server calls the limit of an answer.
    #[must_use]
    pub fn spelling(&self) -> OutputLimitField {
        if self.base_url.contains("//api.openai.com") {
            OutputLimitField::MaxCompletionTokens
        } else {
            OutputLimitField::MaxTokens
        }
    }

    /// The same text with the key and the values of headers masked, to be told.
    #[must_use]
    pub fn mask(&self, text: &str) -> String {
        self.masked(text, |_| true)
    }

    /// Masks what nobody may read in all that a server says, before any of it is cut or quoted: servers repeat what they were sent.
    pub fn hide(&self, said: &mut Value) {
        match said {
            Value::String(text) => *text = self.masked(text, |header| header.is_secret),
            Value::Array(values) => values.iter_mut().for_each(|value| self.hide(value)),
            Value::Object(map) => {
                for (key, mut value) in std::mem::take(map) {
                    self.hide(&mut value);
                    map.insert(self.masked(&key, |header| header.is_secret), value);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn masked(&self, text: &str, hides: impl Fn(&RequestHeader) -> bool) -> String {
        let headers = self
            .headers
            .iter()
            .filter(|header| hides(header))
            .map(|header| &header.value);
        self.key
            .iter()
            .chain(headers)
            .fold(text.to_owned(), |text, secret| secret.mask(&text))
    }
}

/// Where an interface demands a limit: what a reasoning model needs to come to its answer.
const LEAST_OUTPUT: u64 = 4096;
