//! Reading of HTTP responses, the outcome of failed calls, and what it means for further calls.

use crate::summary::http::pacing::retry_after;
use crate::summary::http::prelude::*;
use crate::summary::http::tls::{describe_tls_failure, error_causes};

/// The reason why a call has no answer.
#[derive(Debug, Clone, PartialEq, Error)]
pub(crate) enum CallError {
    /// The same request may succeed later.
    #[error("{reason}")]
    Temporary {
        reason: String,
        /// The pause that the server asks for.
        after: Option<Duration>,
        /// True if the server was not reached.
        is_unreachable: bool,
    },
    /// The question exceeds the model's input limit.
    #[error("{0}")]
    ContextOverflow(String),
    /// The same request fails every time.
    #[error("{0}")]
    Rejected(String),
    /// Every request fails.
    #[error("{0}")]
    Fatal(String),
    /// No request was sent.
    #[error("not asked: {0}")]
    NotAsked(NotAskedReason),
}

impl CallError {
    /// Returns an error of a server that was reached, after which the request may succeed.
    pub(super) fn temporary(reason: impl Into<String>, after: Option<Duration>) -> Self {
        Self::Temporary { reason: reason.into(), after, is_unreachable: false }
    }

    /// Returns true for a temporary error of a server that may have got the request.
    pub(super) fn was_reached(&self) -> bool {
        matches!(self, Self::Temporary { is_unreachable: false, .. })
    }

    /// Replaces the reason by `mask(reason)`.
    pub(super) fn masked(self, mask: impl Fn(&str) -> String) -> Self {
        match self {
            Self::Temporary { reason, after, is_unreachable } => {
                Self::Temporary { reason: mask(&reason), after, is_unreachable }
            }
            Self::ContextOverflow(reason) => Self::ContextOverflow(mask(&reason)),
            Self::Rejected(reason) => Self::Rejected(mask(&reason)),
            Self::Fatal(reason) => Self::Fatal(mask(&reason)),
            Self::NotAsked(reason) => Self::NotAsked(reason),
        }
    }
}

/// Phrases of servers about a question that is too long.
const OVERFLOW_PHRASES: &str = "\
    context_length_exceeded|maximum context length|context length|context window|context limit|\
    exceeds the maximum number of tokens|prompt is too long|input is too long|too many tokens|\
    exceeds the available context size|exceed_context_size|reduce the length";
/// Codes and phrases of servers about an account that has nothing left to spend.
const SPENT_PHRASES: &str = "\
    insufficient_quota|billing_hard_limit|billing_not_active|credit balance|insufficient credits|\
    insufficient_funds|insufficient balance|check your plan and billing";
/// Codes and phrases of servers about a request whose form, not content, is refused.
const MISCONFIGURED_PHRASES: &str = "\
    model_not_found|unsupported_parameter|unsupported_value|unknown_parameter|invalid_api_key|\
    api key not valid|unknown_model";
/// Phrases of servers about content that is not allowed.
const MODERATION_PHRASES: &str = "moderation|flagged";
/// The phrase by which Gemini marks a quota per minute, which is not spent for good.
const COME_BACK: &str = "please retry in";

/// Classifies an answer by its status, and by the message and the code of its error.
pub(super) fn classify_status(
    status: u16,
    message: &str,
    code: &str,
    after: Option<Duration>,
) -> CallError {
    let lowercase = format!("{message} {code}").to_lowercase();
    let message = if message.is_empty() { String::new() } else { format!(": {message}") };
    let reason = format!("the server answered {status}{message}");
    match status {
        400 | 413 | 422 if contains_any(&lowercase, OVERFLOW_PHRASES) => {
            CallError::ContextOverflow(reason)
        }
        402 => CallError::Fatal(reason),
        400 | 403 | 429
            if contains_any(&lowercase, SPENT_PHRASES) && !lowercase.contains(COME_BACK) =>
        {
            CallError::Fatal(reason)
        }
        400 | 422 if contains_any(&lowercase, MISCONFIGURED_PHRASES) => CallError::Fatal(reason),
        408 | 409 | 429 | 500.. => CallError::temporary(reason, after),
        403 if contains_any(&lowercase, MODERATION_PHRASES) => CallError::Rejected(reason),
        300..400 => CallError::Fatal(format!(
            "{reason}; redirects are not followed, name the right summarizer.base_url"
        )),
        401 | 403 => CallError::Fatal(format!("{reason}; is the key right?")),
        404 | 405 => CallError::Fatal(format!(
            "{reason}; are summarizer.base_url and summarizer.model right?"
        )),
        _ => CallError::Rejected(reason),
    }
}

fn contains_any(text: &str, phrases: &str) -> bool {
    phrases.split('|').any(|phrase| text.contains(phrase))
}

/// The maximum length of an answer in bytes.
pub(super) const MAX_ANSWER_BYTES: u64 = 16 << 20;

/// Returns the JSON of an answer, with the endpoint's secrets masked. Fails if the status is no
/// success, or the answer is too long or no JSON.
pub(super) fn read_json_answer(
    target: &ModelEndpoint,
    answer: Response,
) -> Result<Value, CallError> {
    let (status, after) = (answer.status().as_u16(), requested_pause(&answer));
    let coding = header_text(&answer, "content-encoding")
        .filter(|coding| !coding.eq_ignore_ascii_case("identity"))
        .map(str::to_owned);
    let bytes = read_body(answer)?;
    let mut body: Option<Value> = serde_json::from_slice(&bytes).ok();
    if let Some(body) = &mut body {
        target.mask_json(body);
    }
    if !(200..300).contains(&status) {
        let error = body.as_ref().and_then(ServerError::from_body).unwrap_or_default();
        return Err(classify_status(status, &error.message, &error.code, after));
    }
    match (body, coding) {
        (Some(body), _) => Ok(body),
        // The answer was paid for, and another would have the same encoding.
        (None, Some(coding)) => Err(CallError::Rejected(format!(
            "the server's answer has a content-encoding that was not asked for: {coding:?}"
        ))),
        (None, None) => Err(CallError::temporary("the server's answer is not JSON", after)),
    }
}

fn read_body(answer: Response) -> Result<Vec<u8>, CallError> {
    let mut bytes = Vec::new();
    answer
        .take(MAX_ANSWER_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| CallError::temporary(format!("the answer broke off: {error}"), None))?;
    if bytes.len() as u64 > MAX_ANSWER_BYTES {
        return Err(CallError::Rejected(format!(
            "the answer is longer than {MAX_ANSWER_BYTES} bytes"
        )));
    }
    Ok(bytes)
}

/// Returns the value of a header, if it is text.
pub(super) fn header_text<'a>(answer: &'a Response, name: &str) -> Option<&'a str> {
    answer.headers().get(name).and_then(|value| value.to_str().ok())
}

/// Returns the pause that the server asks for.
pub(super) fn requested_pause(answer: &Response) -> Option<Duration> {
    let header = |name| header_text(answer, name);
    retry_after(header("retry-after"), header("retry-after-ms"), SystemTime::now())
}

/// Classifies a failure to get an answer from `url`.
pub(super) fn transport_error(error: &reqwest::Error, url: &str) -> CallError {
    if let Some(failure) = describe_tls_failure(error) {
        return CallError::Fatal(format!("can't connect to {url}: {failure}"));
    }
    if error.is_timeout() && !error.is_connect() {
        return CallError::temporary("no answer in time (summarizer.timeout)", None);
    }
    let cause = error_causes(error).last().map_or_else(|| error.to_string(), ToString::to_string);
    let what = if error.is_connect() {
        "can't connect to"
    } else if error.is_builder() {
        return CallError::Fatal(format!("can't ask {url}: {cause}"));
    } else {
        "lost the connection to"
    };
    CallError::Temporary {
        reason: format!("{what} {url}: {cause}"),
        after: None,
        is_unreachable: error.is_connect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::test_table::rows;

    #[test]
    fn errors_of_known_servers_are_told_apart() {
        let kind = |status: &str, message: &str, code: &str| match classify_status(
            status.parse().unwrap(),
            message,
            code,
            None,
        ) {
            CallError::Temporary { .. } => "temporary",
            CallError::ContextOverflow(_) => "overflow",
            CallError::Rejected(_) => "rejected",
            CallError::Fatal(_) => "fatal",
            CallError::NotAsked(_) => "not asked",
        };
        for [statuses, wanted, message, code] in rows(
            "
            408 409 429 500 502 503 504 529 | temporary | |
            401 402 403 404 301 | fatal | |
            400 413 422 | rejected | |
            429 | fatal | You exceeded your current quota, please check your plan and billing details. | insufficient_quota
            429 | temporary | Rate limit reached for gpt-4o: Limit 30000 TPM | rate_limit_exceeded tokens
            400 | fatal | Your credit balance is too low to access the Anthropic API. | invalid_request_error
            400 | fatal | Unsupported value: 'temperature' | unsupported_value
            403 | rejected | Your input was flagged | 403
            400 | overflow | This model's maximum context length is 128000 tokens. | context_length_exceeded
            400 | overflow | prompt is too long: 210000 tokens > 200000 maximum | invalid_request_error
            400 | overflow | the request exceeds the available context size, try increasing it | exceed_context_size_error
            413 | overflow | Input is too long for requested model. |
            400 | overflow | input length and `max_tokens` exceed context limit: 199800 + 4096 > 200000 | invalid_request_error
            400 | overflow | The input token count (1200000) exceeds the maximum number of tokens allowed (1048576). | 400
            413 | rejected | Request exceeds the maximum size | request_too_large",
        ) {
            for status in statuses.split(' ') {
                assert_eq!(kind(status, message, code), wanted, "{status} {message}");
            }
        }
    }
}
