//! Reading of HTTP responses, and of failures to get any.

use crate::summary::http::call_error::{CallError, classify_status};
use crate::summary::http::causes::error_causes;
use crate::summary::http::pause::retry_after;
use crate::summary::http::tls::describe_tls_failure;
use crate::summary::model::{ModelEndpoint, ServerError};
use reqwest::blocking::Response;
use serde_json::Value;
use std::io::Read;
use std::time::{Duration, SystemTime};

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
    retry_after(
        header_text(answer, "retry-after"),
        header_text(answer, "retry-after-ms"),
        SystemTime::now(),
    )
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
