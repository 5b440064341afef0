//! One request, and what its failure means: try again, never again, or the
//! whole run is pointless (spec: services, "Live").

use super::pace::{retry_after, until_reset};
use super::tls;
use crate::policy::Dialect;
use crate::summary::model::{ModelEndpoint, ModelReply, read_reply, read_server_error};
use reqwest::blocking::{Client, Response};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;
use std::error::Error;
use std::io::{self, Read};
use std::time::{Duration, SystemTime};

/// More is no answer.
const MOST_ANSWER: u64 = 16 << 20;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CallError {
    /// The same request may succeed later; the server may have said when.
    Again {
        why: String,
        after: Option<Duration>,
        unreachable: bool,
    },
    /// The question is too long for the model.
    Overflow(String),
    /// This request fails every time.
    Never(String),
    /// Every request fails every time.
    Hopeless(String),
    /// No request was sent: a limit is reached, or the run stops.
    NotAsked(String),
}

/// The way to one server.
pub(super) struct ModelConnection {
    client: Client,
    url: String,
    dialect: Dialect,
}

impl ModelConnection {
    pub(super) fn new(target: &ModelEndpoint) -> Result<Self, String> {
        let path = match target.dialect {
            Dialect::OpenAi => "chat/completions",
            Dialect::Anthropic => "messages",
        };
        let url = format!("{}/{path}", target.base_url);
        Ok(Self {
            client: client(target)?,
            url,
            dialect: target.dialect,
        })
    }

    /// Sends one question; `spent` gets the pause after which the server takes more of them, where it says that it takes none now.
    pub(super) fn ask(
        &self,
        target: &ModelEndpoint,
        body: Vec<u8>,
        timeout: Duration,
        spent: impl FnOnce(Duration),
    ) -> Result<ModelReply, CallError> {
        let sent = self
            .client
            .post(&self.url)
            .header("content-type", "application/json")
            .body(body)
            .timeout(timeout)
            .send();
        let answer = sent.map_err(|error| transport(&error, &self.url))?;
        let after = wanted_pause(&answer);
        // Its own word counts for more: a reset is when all of a limit is back.
        if after.is_none()
            && let Some(pause) = until_reset(|name| header(&answer, name), SystemTime::now())
        {
            spent(pause);
        }
        let body = answer_or_trouble(target, answer)?;
        match read_reply(&body, self.dialect) {
            Some(reply) => Ok(reply),
            // Gateways put errors of the server behind them into a good answer.
            None => Err(match read_server_error(&body) {
                Some((message, code)) => {
                    let status = code
                        .split(' ')
                        .find_map(|word| word.parse().ok())
                        .filter(|status| (400..600).contains(status));
                    judge(status.unwrap_or(500), &message, &code, after)
                }
                None => again("the server's answer is of no known form", after),
            }),
        }
    }
}

/// The JSON of an answer, without the secrets that went to the server; or what its status means.
pub(super) fn answer_or_trouble(
    target: &ModelEndpoint,
    answer: Response,
) -> Result<Value, CallError> {
    let (status, after) = (answer.status().as_u16(), wanted_pause(&answer));
    let coding = header(&answer, "content-encoding")
        .filter(|coding| !coding.eq_ignore_ascii_case("identity"))
        .map(str::to_owned);
    let text = read(answer)?;
    let mut body: Option<Value> = serde_json::from_slice(&text).ok();
    if let Some(body) = &mut body {
        target.hide(body);
    }
    if !(200..300).contains(&status) {
        let said = body
            .as_ref()
            .and_then(read_server_error)
            .unwrap_or_default();
        return Err(judge(status, &said.0, &said.1, after));
    }
    match (body, coding) {
        (Some(body), _) => Ok(body),
        // It was paid for, and the next would be no better.
        (None, Some(coding)) => Err(CallError::Never(format!(
            "the server's answer has a content-encoding that was not asked for: {coding:?}"
        ))),
        (None, None) => Err(again("the server's answer is no JSON", after)),
    }
}

/// What it means that no answer came.
pub(super) fn transport(error: &reqwest::Error, url: &str) -> CallError {
    if let Some(wrong) = tls::wrong(error) {
        return CallError::Hopeless(format!("can't connect to {url}: {wrong}"));
    }
    let why = causes(error)
        .last()
        .map_or_else(|| error.to_string(), ToString::to_string);
    let what = match error {
        error if error.is_timeout() && !error.is_connect() => {
            return again("no answer in time (--timeout)", None);
        }
        error if error.is_connect() => "can't connect to",
        error if error.is_builder() => {
            return CallError::Hopeless(format!("can't ask {url}: {why}"));
        }
        _ => "lost the connection to",
    };
    CallError::Again {
        why: format!("{what} {url}: {why}"),
        after: None,
        unreachable: error.is_connect(),
    }
}

/// What an error comes from, the nearest first; also what an I/O error only holds.
pub(super) fn causes(error: &dyn Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    fn within<'e>(error: &&'e (dyn Error + 'static)) -> Option<&'e (dyn Error + 'static)> {
        let error: &'e (dyn Error + 'static) = *error;
        match error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref)
        {
            Some(held) => Some(held),
            None => error.source(),
        }
    }
    std::iter::successors(error.source(), within)
}

/// A client that follows no redirect: a key goes to the named server only.
pub(super) fn client(target: &ModelEndpoint) -> Result<Client, String> {
    let mut headers = HeaderMap::new();
    let mut header = |name: &str, value: &str| -> Result<(), String> {
        let invalid = || {
            format!(
                "the header {name:?} can't be sent: a name is a token, a value has no line ends"
            )
        };
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| invalid())?;
        let mut value = HeaderValue::from_str(value).map_err(|_| invalid())?;
        value.set_sensitive(true);
        headers.insert(name, value);
        Ok(())
    };
    match (target.dialect, &target.key) {
        (Dialect::OpenAi, Some(key)) => {
            header("authorization", &format!("Bearer {}", key.reveal()))?
        }
        (Dialect::Anthropic, Some(key)) => header("x-api-key", key.reveal())?,
        (_, None) => {}
    }
    if target.dialect == Dialect::Anthropic {
        header("anthropic-version", ANTHROPIC_VERSION)?;
    }
    for more in &target.headers {
        header(&more.name, more.value.reveal())?;
    }
    let builder = Client::builder()
        .default_headers(headers)
        .user_agent(concat!("epitome/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_max_idle_per_host(target.concurrency);
    tls::trusting(builder, target)?
        .build()
        .map_err(|error| tls::unusable(&error, target))
}

fn header<'a>(answer: &'a Response, name: &str) -> Option<&'a str> {
    answer
        .headers()
        .get(name)
        .and_then(|value| value.to_str().ok())
}

fn wanted_pause(answer: &Response) -> Option<Duration> {
    retry_after(
        header(answer, "retry-after"),
        header(answer, "retry-after-ms"),
        SystemTime::now(),
    )
}

fn read(answer: Response) -> Result<Vec<u8>, CallError> {
    let mut bytes = Vec::new();
    answer
        .take(MOST_ANSWER + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| again(&format!("the answer broke off: {error}"), None))?;
    if bytes.len() as u64 > MOST_ANSWER {
        return Err(CallError::Never(format!(
            "the answer is longer than {MOST_ANSWER} bytes"
        )));
    }
    Ok(bytes)
}

fn again(why: &str, after: Option<Duration>) -> CallError {
    CallError::Again {
        why: why.to_owned(),
        after,
        unreachable: false,
    }
}

/// What servers say of a question that is too long (spec: deepagents, section 9).
const OVERFLOWS: [&str; 12] = [
    "context_length_exceeded",
    "maximum context length",
    "context length",
    "context window",
    "context limit",
    "exceeds the maximum number of tokens",
    "prompt is too long",
    "input is too long",
    "too many tokens",
    "exceeds the available context size",
    "exceed_context_size",
    "reduce the length",
];
/// Codes and phrases of an account that has nothing left to spend.
const SPENT: [&str; 8] = [
    "insufficient_quota",
    "billing_hard_limit",
    "billing_not_active",
    "credit balance",
    "insufficient credits",
    "insufficient_funds",
    "insufficient balance",
    "check your plan and billing",
];
/// Codes of a request whose form, not content, is refused.
const MISCONFIGURED: [&str; 7] = [
    "model_not_found",
    "unsupported_parameter",
    "unsupported_value",
    "unknown_parameter",
    "invalid_api_key",
    "api key not valid",
    "unknown_model",
];
/// Gemini calls a limit per minute a quota, too; then it says when to come back.
const COME_BACK: &str = "please retry in";

/// What a status and an error mean for the requests to come.
fn judge(status: u16, message: &str, code: &str, after: Option<Duration>) -> CallError {
    let said = format!("{message} {code}").to_lowercase();
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| said.contains(phrase));
    let message = if message.is_empty() {
        String::new()
    } else {
        format!(": {message}")
    };
    let why = format!("the server answered {status}{message}");
    match status {
        400 | 413 | 422 if says(&OVERFLOWS) => CallError::Overflow(why),
        402 => CallError::Hopeless(why),
        400 | 403 | 429 if says(&SPENT) && !said.contains(COME_BACK) => CallError::Hopeless(why),
        400 | 422 if says(&MISCONFIGURED) => CallError::Hopeless(why),
        408 | 409 | 429 | 500.. => CallError::Again {
            why,
            after,
            unreachable: false,
        },
        403 if says(&["moderation", "flagged"]) => CallError::Never(why),
        300..400 => CallError::Hopeless(format!(
            "{why}; redirects are not followed, name the right --base-url"
        )),
        401 | 403 => CallError::Hopeless(format!("{why}; is the key right?")),
        404 | 405 => {
            CallError::Hopeless(format!("{why}; are --base-url and --summary-model right?"))
        }
        _ => CallError::Never(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(status: u16, message: &str, code: &str) -> &'static str {
        match judge(status, message, code, None) {
            CallError::Again { .. } => "again",
            CallError::Overflow(_) => "overflow",
            CallError::Never(_) => "never",
            CallError::Hopeless(_) => "hopeless",
            CallError::NotAsked(_) => "not asked",
        }
    }

    #[test]
    fn what_is_retried_and_what_ends_the_run() {
        for status in [408, 409, 429, 500, 502, 503, 504, 529] {
            assert_eq!(kind(status, "", ""), "again", "{status}");
        }
        for status in [401, 402, 403, 404, 301] {
            assert_eq!(kind(status, "", ""), "hopeless", "{status}");
        }
        for status in [400, 413, 422] {
            assert_eq!(kind(status, "", ""), "never", "{status}");
        }
        assert_eq!(
            kind(
                429,
                "You exceeded your current quota, please check your plan and billing details.",
                "insufficient_quota"
            ),
            "hopeless"
        );
        assert_eq!(
            kind(
                429,
                "Rate limit reached for gpt-4o: Limit 30000 TPM",
                "rate_limit_exceeded tokens"
            ),
            "again"
        );
        assert_eq!(
            kind(
                400,
                "Your credit balance is too low to access the Anthropic API.",
                "invalid_request_error"
            ),
            "hopeless"
        );
        assert_eq!(
            kind(400, "Unsupported value: 'temperature'", "unsupported_value"),
            "hopeless"
        );
        assert_eq!(kind(403, "Your input was flagged", "403"), "never");
    }

    #[test]
    fn overflows_as_servers_spell_them() {
        for (status, message, code) in [
            (
                400,
                "This model's maximum context length is 128000 tokens.",
                "context_length_exceeded",
            ),
            (
                400,
                "prompt is too long: 210000 tokens > 200000 maximum",
                "invalid_request_error",
            ),
            (
                400,
                "the request exceeds the available context size, try increasing it",
                "exceed_context_size_error",
            ),
            (413, "Input is too long for requested model.", ""),
            (
                400,
                "input length and `max_tokens` exceed context limit: 199800 + 4096 > 200000",
                "invalid_request_error",
            ),
            (
                400,
                "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
                "400",
            ),
        ] {
            assert_eq!(kind(status, message, code), "overflow", "{message}");
        }
        assert_eq!(
            kind(413, "Request exceeds the maximum size", "request_too_large"),
            "never"
        );
    }
}
