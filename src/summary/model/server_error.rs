//! Errors in the bodies of servers' answers.

use crate::base::text::cut_chars;
use serde_json::Value;

/// The maximum length of a quoted message in code points.
const MAX_QUOTED_CHARS: usize = 300;

/// An error that a server reports in the body of an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ServerError {
    /// The message for people, shortened.
    pub message: String,
    /// The machine-readable code and type, separated by a blank.
    pub code: String,
}

impl ServerError {
    /// Reads the error in a body. Returns none if the body reports no error.
    pub(crate) fn from_body(body: &Value) -> Option<Self> {
        // Gemini's server wraps the error in a list.
        let body = body.as_array().and_then(|list| list.first()).unwrap_or(body);
        let error = body
            .get("error")
            .filter(|error| !error.is_null())
            .or_else(|| body.get("detail"))
            .or_else(|| body.get("message"))?;
        let message = match error {
            Value::String(text) => text.clone(),
            error if error.get("message").is_some() => field_text(error, "message"),
            error => error.to_string(),
        };
        let code = [field_text(error, "code"), field_text(error, "type")].join(" ");
        Some(Self { message: shorten_message(&message), code: shorten_message(&code) })
    }
}

/// Returns a string or number field as text, and an empty text for anything else.
fn field_text(error: &Value, name: &str) -> String {
    match error.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

/// Turns a server's message into a single line of bounded length, to be quoted.
pub(crate) fn shorten_message(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    cut_chars(&words.join(" "), MAX_QUOTED_CHARS, "...")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn errors_of_known_servers() {
        let spelled = |body: Value| {
            ServerError::from_body(&body).map(|error| format!("{}|{}", error.message, error.code))
        };
        let openai =
            json!({"error": {"message": "No\n quota", "type": "insufficient_quota", "code": null}});
        assert_eq!(spelled(openai).as_deref(), Some("No quota|insufficient_quota"));
        assert_eq!(
            spelled(json!({"error": "model not found"})).as_deref(),
            Some("model not found|")
        );
        assert_eq!(
            spelled(json!({"detail": [{"loc": "x"}]})).as_deref(),
            Some("[{\"loc\":\"x\"}]|")
        );
        assert_eq!(spelled(json!({"choices": []})), None);
        assert_eq!(spelled(json!({"error": null, "choices": []})), None);
    }
}
