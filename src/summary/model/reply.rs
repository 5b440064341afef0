//! Reading of a model's answer, or of the error in its place, as each interface writes it.

use crate::base::text::cut_chars;
use crate::deciding::policy::Dialect;
use crate::summary::error::SummaryError;
use serde_json::Value;

/// The maximum token count that is believed. With it, sums do not overflow.
const MAX_TOKENS: u64 = 1 << 32;
/// Finish reasons of OpenRouter, vLLM, DeepSeek and Gemini for an answer that is not complete.
const BROKEN_OFF: &str = "\
    error abort cancelled insufficient_system_resource SAFETY RECITATION OTHER";

/// A model's answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ModelReply {
    /// The text, or the reason why it can't be a summary.
    pub text: Result<String, SummaryError>,
    /// The tokens of the question, as the server reported them.
    pub input_tokens: u64,
    /// The tokens of the answer, as the server reported them.
    pub output_tokens: u64,
}

/// Reads the body of an answer. Returns none if it is no answer of this dialect.
pub(crate) fn read_reply(body: &Value, dialect: Dialect) -> Option<ModelReply> {
    match dialect {
        Dialect::OpenAi => read_openai_reply(body),
        Dialect::Anthropic => read_anthropic_reply(body),
    }
}

fn read_openai_reply(body: &Value) -> Option<ModelReply> {
    let choice = body.get("choices")?.as_array()?.first()?;
    let message = choice.get("message")?;
    let finish_reason = choice.get("finish_reason").and_then(Value::as_str);
    let refusal = message.get("refusal").and_then(Value::as_str);
    let text = match (finish_reason, refusal) {
        (_, Some(refusal)) if !refusal.is_empty() => {
            Err(SummaryError::RefusedBecause(shorten_message(refusal)))
        }
        (Some("content_filter"), _) => Err(SummaryError::Withheld),
        (Some("length" | "max_tokens" | "MAX_TOKENS"), _) => Err(SummaryError::CutOff),
        (Some(reason), _) if BROKEN_OFF.split(' ').any(|broken| broken == reason) => {
            Err(SummaryError::BrokenOff(reason.to_owned()))
        }
        (Some("tool_calls" | "function_call"), _) => Err(SummaryError::ToolCalled),
        _ => content_text(message.get("content"), &["text", "output_text"]),
    };
    Some(ModelReply {
        text,
        input_tokens: reported_tokens(body, "prompt_tokens"),
        output_tokens: reported_tokens(body, "completion_tokens"),
    })
}

fn read_anthropic_reply(body: &Value) -> Option<ModelReply> {
    let content = body.get("content")?;
    if body.get("type").is_some_and(|kind| kind != "message") {
        return None;
    }
    let text = match body.get("stop_reason").and_then(Value::as_str) {
        Some("max_tokens" | "model_context_window_exceeded") => Err(SummaryError::CutOff),
        Some("refusal") => Err(SummaryError::Refused),
        Some("tool_use" | "pause_turn") => Err(SummaryError::ToolCalled),
        _ => content_text(Some(content), &["text"]),
    };
    let input_tokens = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"]
        .map(|name| reported_tokens(body, name))
        .iter()
        .sum();
    Some(ModelReply { text, input_tokens, output_tokens: reported_tokens(body, "output_tokens") })
}

/// Returns a token count of the answer's `usage`, or 0 if it is missing.
fn reported_tokens(body: &Value, name: &str) -> u64 {
    body.pointer(&format!("/usage/{name}")).and_then(Value::as_u64).unwrap_or(0).min(MAX_TOKENS)
}

/// Returns the content if it is a string, or the joined texts of its parts of these types.
fn content_text(content: Option<&Value>, types: &[&str]) -> Result<String, SummaryError> {
    match content {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Array(parts)) => {
            let texts: Vec<&str> = parts
                .iter()
                .filter(|part| is_part_of_type(part, types))
                .filter_map(|part| part.get("text")?.as_str())
                .collect();
            if texts.is_empty() && !parts.is_empty() {
                Err(SummaryError::NotText)
            } else {
                Ok(texts.concat())
            }
        }
        None | Some(Value::Null) => Err(SummaryError::Empty),
        Some(_) => Err(SummaryError::NotText),
    }
}

fn is_part_of_type(part: &Value, types: &[&str]) -> bool {
    part.get("type").and_then(Value::as_str).is_some_and(|kind| types.contains(&kind))
}

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
        let error = body.get("error").filter(|error| !error.is_null());
        let error = error.or_else(|| body.get("detail")).or_else(|| body.get("message"))?;
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
    use crate::base::test_table::rows;
    use serde_json::json;

    /// Returns what a reply says, ` = ` and its tokens, the reason if its text can't be used, or
    /// `none`.
    fn told(dialect: Dialect, body: &str) -> String {
        let Some(reply) = read_reply(&serde_json::from_str(body).unwrap(), dialect) else {
            return "none".to_owned();
        };
        let text = reply.text.unwrap_or_else(|_| "refused".to_owned());
        format!("{text} {}+{}", reply.input_tokens, reply.output_tokens)
    }

    #[test]
    fn answers_in_the_dialect_of_openai() {
        for [reply, wanted] in rows(
            r#"
            {"message": {"content": "fine"}, "finish_reason": "stop"} | fine 0+0
            {"message": {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "finish_reason": "stop"} | ab 0+0
            {"message": {"content": "half"}, "finish_reason": "length"} | refused 0+0
            {"message": {"content": ""}, "finish_reason": "content_filter"} | refused 0+0
            {"message": {"content": null, "refusal": "I can't"}, "finish_reason": "stop"} | refused 0+0
            {"message": {"content": null, "tool_calls": []}, "finish_reason": "tool_calls"} | refused 0+0
            {"message": {"content": null}, "finish_reason": "stop"} | refused 0+0
            {"message": {"content": 3}, "finish_reason": "stop"} | refused 0+0
            {"message": {"content": [{"type": "image"}]}, "finish_reason": "stop"} | refused 0+0
            {"message": {"content": "x"}}], "usage": {"prompt_tokens": 7, "completion_tokens": 2}, "more": [0 | x 7+2"#,
        ) {
            let body = format!(r#"{{"choices": [{reply}]}}"#);
            assert_eq!(told(Dialect::OpenAi, &body), wanted, "{body}");
        }
        let empty = [r#"{"choices": []}"#, r#""hello""#];
        assert_eq!(empty.map(|body| told(Dialect::OpenAi, body)), ["none"; 2]);
    }

    #[test]
    fn answers_in_the_dialect_of_anthropic() {
        let text = r#"{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "fine"}"#;
        for [kind, reason, content, wanted] in rows(
            r#"
            message | end_turn | TEXT | fine 15+2
            message | max_tokens | TEXT | refused 15+2
            message | refusal | TEXT | refused 15+2
            message | tool_use | TEXT | refused 15+2
            message | model_context_window_exceeded | TEXT | refused 15+2
            message | end_turn | {"type": "tool_use"} | refused 15+2
            error | end_turn | | none"#,
        ) {
            let body = format!(
                r#"{{"type": "{kind}", "content": [{}], "stop_reason": "{reason}", "usage": {{"input_tokens": 5, "cache_read_input_tokens": 10, "output_tokens": 2}}}}"#,
                content.replace("TEXT", text)
            );
            assert_eq!(told(Dialect::Anthropic, &body), wanted, "{body}");
        }
    }

    #[test]
    fn errors_of_known_servers() {
        for [body, message, code] in rows(
            r#"
            {"error": {"message": "No\n quota", "type": "insufficient_quota", "code": null}} | No quota | insufficient_quota
            {"error": "model not found"} | model not found |
            {"detail": [{"loc": "x"}]} | [{"loc":"x"}] |"#,
        ) {
            let error = ServerError::from_body(&serde_json::from_str(body).unwrap()).unwrap();
            assert_eq!([error.message.as_str(), error.code.as_str()], [message, code]);
        }
        for body in [json!({"choices": []}), json!({"error": null, "choices": []})] {
            assert!(ServerError::from_body(&body).is_none(), "{body}");
        }
    }
}
