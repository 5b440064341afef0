//! Lines of batch files: requests as they are handed over, results as they come
//! back (spec: services, "Batch APIs").

use super::{ModelQuestion, OutputLimitField, read_server_error, request_body};
use crate::policy::Dialect;
use serde_json::{Value, json};

/// The request for a question. In Anthropic's dialect it is an element of the list `requests`.
#[must_use]
pub fn batch_request_line(
    id: &str,
    question: &ModelQuestion,
    dialect: Dialect,
    spelling: OutputLimitField,
) -> String {
    let body = request_body(question, dialect, spelling);
    match dialect {
        Dialect::OpenAi => {
            json!({"custom_id": id, "method": "POST", "url": "/v1/chat/completions", "body": body})
        }
        Dialect::Anthropic => json!({"custom_id": id, "params": body}),
    }
    .to_string()
}

/// One result.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchResultLine {
    /// Whose it is.
    pub custom_id: String,
    /// The interface whose form it has.
    pub dialect: Dialect,
    /// The body of the answer; or why there is none.
    pub body: Result<Value, String>,
}

/// Whose a result is.
#[must_use]
pub fn result_custom_id(line: &Value) -> Option<&str> {
    line.get("custom_id")?.as_str()
}

/// Reads one line of a result file. None if it is no result.
#[must_use]
pub fn read_batch_result(line: &Value) -> Option<BatchResultLine> {
    let custom_id = result_custom_id(line)?.to_owned();
    if let Some(result) = line.get("result") {
        let body = match result.get("type").and_then(Value::as_str)? {
            "succeeded" => Ok(result.get("message")?.clone()),
            "errored" => Err(said(
                result.get("error").unwrap_or(&Value::Null),
                "the request failed",
            )),
            other => Err(format!("the request was not answered: {other}")),
        };
        return Some(BatchResultLine {
            custom_id,
            dialect: Dialect::Anthropic,
            body,
        });
    }
    let response = line.get("response").filter(|response| !response.is_null());
    // Some servers put the body itself in the place of the response.
    let body = response.map(|response| response.get("body").unwrap_or(response));
    let status = response
        .and_then(|response| response.get("status_code"))
        .and_then(Value::as_u64)
        .unwrap_or(200);
    let is_error = line.get("error").is_some_and(|error| !error.is_null());
    let body = match body {
        Some(body) if status == 200 && !is_error => Ok(body.clone()),
        Some(body) if !is_error => Err(said(body, &format!("the server answered {status}"))),
        _ if is_error => Err(said(line, "the request failed")),
        _ => return None,
    };
    Some(BatchResultLine {
        custom_id,
        dialect: Dialect::OpenAi,
        body,
    })
}

fn said(body: &Value, what: &str) -> String {
    match read_server_error(body) {
        Some((message, code)) if code.is_empty() => format!("{what}: {message}"),
        Some((message, code)) => format!("{what}: {message} ({code})"),
        None => what.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(line: Value) -> Option<Result<Value, String>> {
        read_batch_result(&line).map(|line| line.body)
    }

    #[test]
    fn results_of_openais_form() {
        let answer = json!({"choices": []});
        assert_eq!(
            body(
                json!({"custom_id": "a", "response": {"status_code": 200, "body": answer}, "error": null})
            ),
            Some(Ok(answer.clone()))
        );
        assert_eq!(
            body(json!({"custom_id": "a", "response": answer})),
            Some(Ok(answer)),
            "the body itself"
        );
        let failed = body(
            json!({"custom_id": "a", "response": {"status_code": 400, "body": {"error": {"message": "too long"}}}, "error": null}),
        );
        assert_eq!(
            failed,
            Some(Err("the server answered 400: too long".to_owned()))
        );
        let expired = body(
            json!({"custom_id": "a", "response": null, "error": {"code": "batch_expired", "message": "late"}}),
        );
        assert_eq!(
            expired,
            Some(Err("the request failed: late (batch_expired)".to_owned()))
        );
        assert_eq!(
            (
                body(json!({"custom_id": "a"})),
                body(json!({"response": {}})),
                body(json!("a"))
            ),
            (None, None, None)
        );
    }

    #[test]
    fn results_of_anthropics_form() {
        let line = |result: Value| body(json!({"custom_id": "a", "result": result}));
        assert_eq!(
            line(json!({"type": "succeeded", "message": {"content": []}})),
            Some(Ok(json!({"content": []})))
        );
        let error = json!({"type": "errored", "error": {"type": "error", "error": {"type": "invalid_request_error", "message": "no"}}});
        assert_eq!(
            line(error),
            Some(Err(
                "the request failed: no (invalid_request_error)".to_owned()
            ))
        );
        assert_eq!(
            line(json!({"type": "expired"})),
            Some(Err("the request was not answered: expired".to_owned()))
        );
    }
}
