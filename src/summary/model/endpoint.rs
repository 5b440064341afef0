//! A model and the way in which it is asked, fully resolved, with secrets that are sent to a single
//! server and appear nowhere else.

use crate::deciding::policy::{CallPrice, Dialect};
use crate::reporting::report::ExpectedUsage;
use crate::summary::answer_cache::AnswerCache;
use crate::summary::error::SummaryError;
use crate::summary::model::question::{ModelQuestion, OutputLimitField};
use crate::summary::summarizer::{SummaryPrompt, SummaryRequest, check_summary};
use serde_json::Value;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// The output limit in tokens if the interface demands a limit and the user gives none: enough for
/// a reasoning model to come to its answer.
const MIN_REQUIRED_OUTPUT: u64 = 4096;

pub(crate) struct RequestHeader {
    pub name: String,
    pub value: Secret,
    /// True if the value must not be shown: it comes from the environment, or the name suggests a
    /// secret.
    pub is_secret: bool,
}

/// Certificate authorities that are trusted beside those of the system.
pub(crate) struct ExtraAuthorities {
    /// The name in messages: the place where they were read from.
    pub name: String,
    /// The certificates in PEM.
    pub pem: Vec<u8>,
}

/// A model behind an HTTP interface, with the limits of its use.
pub(crate) struct ModelEndpoint {
    pub dialect: Dialect,
    /// The address of the server, without a slash at the end.
    pub base_url: String,
    /// The name of the model on the server.
    pub model: String,
    /// The key; none for servers that need none.
    pub key: Option<Secret>,
    /// Additional headers of each request.
    pub headers: Vec<RequestHeader>,
    /// Certificate authorities that are trusted beside those of the system.
    pub authorities: Option<ExtraAuthorities>,
    pub temperature: Option<f64>,
    /// The maximum number of output tokens; 0 for the default of the dialect.
    pub max_output: u64,
    /// The maximum number of input tokens, if it is known.
    pub input_limit: Option<u64>,
    /// The time limit of a request.
    pub timeout: Duration,
    /// The time limit of a summary, with all its requests.
    pub deadline: Duration,
    /// The maximum number of retries of a request.
    pub retries: u64,
    /// The number of requests at the same time.
    pub concurrency: usize,
    /// The price of tokens, if it is known.
    pub price: Option<CallPrice>,
    /// The maximum number of calls of the run.
    pub max_calls: Option<u64>,
    /// The maximum cost of the run in US dollars.
    pub max_cost: Option<f64>,
    /// The directory of the answer cache; none to keep no answers.
    pub cache: Option<PathBuf>,
    /// The headings that a summary must have.
    pub headings: Vec<String>,
}

impl ModelEndpoint {
    /// Returns the question that puts a prompt to this model.
    pub(crate) fn question(&self, prompt: String, budget: usize) -> ModelQuestion {
        let max_output = match self.max_output {
            0 if self.dialect == Dialect::Anthropic => {
                Some((budget as u64).saturating_mul(2).max(MIN_REQUIRED_OUTPUT))
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

    /// Returns the name of the output limit that the server understands.
    pub(crate) fn output_limit_field(&self) -> OutputLimitField {
        if self.base_url.contains("//api.openai.com") {
            OutputLimitField::MaxCompletionTokens
        } else {
            OutputLimitField::MaxTokens
        }
    }

    /// Masks the key and all header values in a text, so that it can be shown.
    pub(crate) fn mask(&self, text: &str) -> String {
        self.mask_headers(text, |_| true)
    }

    /// Masks the key and secret header values in all strings of a server's answer. Servers repeat
    /// what they were sent, and half a secret would not be recognised after the text is cut.
    pub(crate) fn mask_json(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.mask_headers(text, |header| header.is_secret),
            Value::Array(values) => values.iter_mut().for_each(|value| self.mask_json(value)),
            Value::Object(map) => {
                for (key, mut value) in std::mem::take(map) {
                    self.mask_json(&mut value);
                    map.insert(self.mask_headers(&key, |header| header.is_secret), value);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn mask_headers(&self, text: &str, is_masked: impl Fn(&RequestHeader) -> bool) -> String {
        let headers =
            self.headers.iter().filter(|header| is_masked(header)).map(|header| &header.value);
        self.key.iter().chain(headers).fold(text.to_owned(), |text, secret| secret.mask(&text))
    }
}

/// The minimum length in bytes of a text that is masked. Shorter texts are no secrets, and masking
/// them would garble other text.
const MIN_MASKED_BYTES: usize = 6;

/// The schemes that precede a secret in a header.
const SCHEMES: [&str; 5] = ["bearer", "basic", "token", "apikey", "api-key"];

/// A key or a header value. It has no display and no serialisation, and its debug output is a mask.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(String);

impl Secret {
    /// Wraps a text without the white space around it and without a byte order mark.
    pub(crate) fn new(text: &str) -> Self {
        Self(text.trim_start_matches('\u{feff}').trim().to_owned())
    }

    /// Returns the secret itself, to be sent.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns true if the secret has no text.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Masks this secret in a text, with or without its scheme (`Bearer`).
    pub(crate) fn mask(&self, text: &str) -> String {
        let bare = self
            .0
            .split_once(' ')
            .filter(|(scheme, _)| SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known)));
        let bare = bare.map_or(self.0.as_str(), |(_, bare)| bare.trim_start());
        if bare.len() < MIN_MASKED_BYTES { text.to_owned() } else { text.replace(bare, "***") }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(***)")
    }
}

/// Masks user and password in a URL, so that it can be shown.
pub(crate) fn url_without_credentials(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let host_end = rest.find('/').unwrap_or(rest.len());
    match rest[..host_end].rfind('@') {
        Some(at) if scheme.is_empty() => format!("***{}", &rest[at..]),
        Some(at) => format!("{scheme}://***{}", &rest[at..]),
        None => url.to_owned(),
    }
}

/// A summary to be written by a model.
pub(crate) struct SummaryTask {
    pub question: ModelQuestion,
    prompt: SummaryPrompt,
    /// The estimated number of tokens in the conversation.
    conversation_tokens: usize,
    /// The estimated number of tokens in the entire question.
    pub prompt_tokens: usize,
}

impl SummaryTask {
    /// Creates the task of answering a request with this model.
    pub(crate) fn new(target: &ModelEndpoint, request: &SummaryRequest<'_>) -> Self {
        let prompt = (request.prompt)();
        let conversation_tokens = (request.count)(&prompt.messages);
        let question = target.question(prompt.text(), request.budget);
        let prompt_tokens =
            (request.count)(&question.prompt) + (request.count)(&question.system_prompt());
        Self { question, prompt, conversation_tokens, prompt_tokens }
    }

    /// Checks an answer as the summary of the conversation. Returns the summary. Fails if the
    /// answer breaks a rule for summaries.
    pub(crate) fn check_answer(
        &self,
        text: &str,
        target: &ModelEndpoint,
    ) -> Result<String, SummaryError> {
        check_summary(text, self.prompt.messages.chars().count(), &target.headings)
    }

    /// Returns the usage that the task is expected to have.
    pub(crate) fn expected_usage(
        &self,
        target: &ModelEndpoint,
        cache: Option<&AnswerCache>,
    ) -> ExpectedUsage {
        let id = self.question.id();
        let cache_hit = cache
            .and_then(|cache| cache.get(&id))
            .is_some_and(|stored| self.check_answer(&stored.text, target).is_ok());
        ExpectedUsage {
            id,
            cache_hit,
            input_tokens: self.prompt_tokens as u64,
            output_tokens: self.question.budget as u64,
        }
    }

    /// Returns the question with the middle of the conversation cut out, with its estimated number
    /// of tokens. Half of the conversation is kept, and at most two fifths of the model's input
    /// limit, as `docs/reference/deepagents.md` explains.
    pub(crate) fn shortened_question(&self, input_limit: Option<u64>) -> (ModelQuestion, usize) {
        let half = self.conversation_tokens / 2;
        let limit = input_limit.and_then(|limit| usize::try_from(limit.saturating_mul(2) / 5).ok());
        let budget = limit.map_or(half, |limit| limit.min(half));
        let shortened = self.prompt.without_middle(self.conversation_tokens, budget);
        let tokens = self.prompt_tokens.saturating_sub(self.conversation_tokens) + budget;
        let question = ModelQuestion { prompt: shortened.text(), ..self.question.clone() };
        (question, tokens)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_masked_everywhere() {
        let key = Secret::new(" sk-very-secret\n");
        assert_eq!(format!("{key:?}"), "Secret(***)");
        assert_eq!(key.reveal(), "sk-very-secret");
        assert_eq!(key.mask("Incorrect key sk-very-secret."), "Incorrect key ***.");
        let bearer = Secret::new("Bearer sk-very-secret");
        let masked = bearer.mask("sk-very-secret, Bearer sk-very-secret");
        assert_eq!(masked, "***, Bearer ***");
        assert_eq!(Secret::new("Bearer a").mask("banana"), "banana");
        assert_eq!(Secret::new("a").mask("banana"), "banana");
        assert_eq!(url_without_credentials("https://me:pw@host/a@b"), "https://***@host/a@b");
        assert_eq!(url_without_credentials("https://host/a@b"), "https://host/a@b");
    }
}
