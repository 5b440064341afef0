//! Lines of batch files: requests as they are submitted, and results as they come back.

use crate::deciding::policy::Dialect;
use crate::summary::error::SummaryError;
use crate::summary::model::question::{ModelQuestion, OutputLimitField, request_body};
use crate::summary::model::reply::ServerError;
use serde_json::{Value, json};

/// Returns the line of a request. In Anthropic's dialect it is an element of the list `requests`.
pub(crate) fn batch_request_line(
    id: &str,
    question: &ModelQuestion,
    dialect: Dialect,
    limit_field: OutputLimitField,
) -> String {
    let body = request_body(question, dialect, limit_field);
    match dialect {
        Dialect::OpenAi => {
            json!({"custom_id": id, "method": "POST", "url": "/v1/chat/completions", "body": body})
        }
        Dialect::Anthropic => json!({"custom_id": id, "params": body}),
    }
    .to_string()
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BatchResultLine {
    pub custom_id: String,
    /// The interface whose form the line has.
    pub dialect: Dialect,
    /// The body of the answer, or the reason why the request failed.
    pub body: Result<Value, SummaryError>,
}

/// Returns the id of the request that a result answers.
fn result_custom_id(line: &Value) -> Option<&str> {
    line.get("custom_id")?.as_str()
}

/// Reads a line of a result file. Returns none if it is no result.
pub(crate) fn read_batch_result(line: &Value) -> Option<BatchResultLine> {
    let custom_id = result_custom_id(line)?.to_owned();
    let (dialect, body) = match line.get("result") {
        Some(result) => (Dialect::Anthropic, read_anthropic_result(result)?),
        None => (Dialect::OpenAi, read_openai_result(line)?),
    };
    Some(BatchResultLine { custom_id, dialect, body })
}

fn read_anthropic_result(result: &Value) -> Option<Result<Value, SummaryError>> {
    Some(match result.get("type").and_then(Value::as_str)? {
        "succeeded" => Ok(result.get("message")?.clone()),
        "errored" => {
            Err(request_failed(result.get("error").unwrap_or(&Value::Null), "the request failed"))
        }
        other => Err(SummaryError::RequestFailed(format!("the request was not answered: {other}"))),
    })
}

fn read_openai_result(line: &Value) -> Option<Result<Value, SummaryError>> {
    let response = line.get("response").filter(|response| !response.is_null());
    // Some servers put the body itself in the place of the response.
    let body = response.map(|response| response.get("body").unwrap_or(response));
    let status = response
        .and_then(|response| response.get("status_code"))
        .and_then(Value::as_u64)
        .unwrap_or(200);
    let is_error = line.get("error").is_some_and(|error| !error.is_null());
    match body {
        Some(body) if status == 200 && !is_error => Some(Ok(body.clone())),
        Some(body) if !is_error => {
            let what = format!("the server answered {status}");
            Some(Err(request_failed(body, &what)))
        }
        _ if is_error => Some(Err(request_failed(line, "the request failed"))),
        _ => None,
    }
}

/// Returns the error of a request, with the server's message if `body` holds it.
fn request_failed(body: &Value, what: &str) -> SummaryError {
    SummaryError::RequestFailed(match ServerError::from_body(body) {
        Some(ServerError { message, code }) if code.is_empty() => format!("{what}: {message}"),
        Some(ServerError { message, code }) => format!("{what}: {message} ({code})"),
        None => what.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::test_table::rows;

    /// Returns the body of a result, or the problem; `none` where there is no result.
    fn told(line: &str) -> String {
        match read_batch_result(&serde_json::from_str(line).unwrap()).map(|line| line.body) {
            Some(Ok(body)) => body.to_string(),
            Some(Err(error)) => error.to_string(),
            None => "none".to_owned(),
        }
    }

    #[test]
    fn results_in_the_form_of_openai() {
        for [line, wanted] in rows(
            r#"
            {"response": {"status_code": 200, "body": {"choices": []}}, "error": null} | {"choices":[]}
            {"response": {"choices": []}} | {"choices":[]}
            {"response": {"status_code": 400, "body": {"error": {"message": "too long"}}}, "error": null} | the server answered 400: too long
            {"response": null, "error": {"code": "batch_expired", "message": "late"}} | the request failed: late (batch_expired)
            {} | none"#,
        ) {
            let line = line.replacen('{', r#"{"custom_id": "a", "#, 1).replace(", }", "}");
            assert_eq!(told(&line), wanted, "{line}");
        }
        assert_eq!([r#"{"response": {}}"#, r#""a""#].map(told), ["none", "none"]);
    }

    #[test]
    fn results_in_the_form_of_anthropic() {
        for [result, wanted] in rows(
            r#"
            {"type": "succeeded", "message": {"content": []}} | {"content":[]}
            {"type": "errored", "error": {"type": "error", "error": {"type": "invalid_request_error", "message": "no"}}} | the request failed: no (invalid_request_error)
            {"type": "expired"} | the request was not answered: expired"#,
        ) {
            let line = format!(r#"{{"custom_id": "a", "result": {result}}}"#);
            assert_eq!(told(&line), wanted, "{line}");
        }
    }
}
