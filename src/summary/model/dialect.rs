//! How each interface spells a question and its answer (spec: services).

use super::{ModelQuestion, ModelReply};
use crate::policy::Dialect;
use serde_json::{Map, Value, json};

/// How the limit of an answer is called in OpenAI's dialect: new models of OpenAI refuse
/// the old name, many other servers know only that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputLimitField {
    /// `max_completion_tokens`
    MaxCompletionTokens,
    /// `max_tokens`
    MaxTokens,
}

/// The body of a request, and of a line in a batch file.
#[must_use]
pub fn request_body(
    question: &ModelQuestion,
    dialect: Dialect,
    spelling: OutputLimitField,
) -> Value {
    let mut body = Map::new();
    body.insert("model".to_owned(), question.model.clone().into());
    let user = json!({"role": "user", "content": question.prompt});
    match dialect {
        Dialect::OpenAi => {
            body.insert(
                "messages".to_owned(),
                json!([{"role": "system", "content": question.system()}, user]),
            );
        }
        Dialect::Anthropic => {
            body.insert("system".to_owned(), question.system().into());
            body.insert("messages".to_owned(), json!([user]));
        }
    }
    if let Some(tokens) = question.max_output {
        let name =
            if dialect == Dialect::OpenAi && spelling == OutputLimitField::MaxCompletionTokens {
                "max_completion_tokens"
            } else {
                "max_tokens"
            };
        body.insert(name.to_owned(), tokens.into());
    }
    if let Some(temperature) = question.temperature {
        body.insert("temperature".to_owned(), temperature.into());
    }
    Value::Object(body)
}

/// Reads the body of an answer. None if it is no answer of this dialect.
#[must_use]
pub fn read_reply(body: &Value, dialect: Dialect) -> Option<ModelReply> {
    match dialect {
        Dialect::OpenAi => openai(body),
        Dialect::Anthropic => anthropic(body),
    }
}

fn openai(body: &Value) -> Option<ModelReply> {
    let choice = body.get("choices")?.as_array()?.first()?;
    let message = choice.get("message")?;
    let text = match (
        choice.get("finish_reason").and_then(Value::as_str),
        message.get("refusal").and_then(Value::as_str),
    ) {
        (_, Some(refusal)) if !refusal.is_empty() => {
            Err(format!("the model refused: {}", shorten_message(refusal)))
        }
        (Some("content_filter"), _) => {
            Err("the answer was withheld by a content filter".to_owned())
        }
        (Some("length" | "max_tokens" | "MAX_TOKENS"), _) => Err(CUT_OFF.to_owned()),
        (Some(reason), _) if BROKEN_OFF.contains(&reason) => {
            Err(format!("the server broke the answer off: {reason}"))
        }
        (Some("tool_calls" | "function_call"), _) => {
            Err("the model called a tool instead of writing a summary".to_owned())
        }
        _ => text_of(message.get("content"), &["text", "output_text"]),
    };
    Some(ModelReply {
        text,
        input_tokens: tokens(body, "prompt_tokens"),
        output_tokens: tokens(body, "completion_tokens"),
    })
}

fn anthropic(body: &Value) -> Option<ModelReply> {
    let content = body.get("content")?;
    if body.get("type").is_some_and(|kind| kind != "message") {
        return None;
    }
    let text = match body.get("stop_reason").and_then(Value::as_str) {
        Some("max_tokens" | "model_context_window_exceeded") => Err(CUT_OFF.to_owned()),
        Some("refusal") => Err("the model refused".to_owned()),
        Some("tool_use" | "pause_turn") => {
            Err("the model called a tool instead of writing a summary".to_owned())
        }
        _ => text_of(Some(content), &["text"]),
    };
    let input = [
        "input_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
    ]
    .map(|name| tokens(body, name))
    .iter()
    .sum();
    Some(ModelReply {
        text,
        input_tokens: input,
        output_tokens: tokens(body, "output_tokens"),
    })
}

/// Tokens as the server reported them.
fn tokens(body: &Value, name: &str) -> u64 {
    body.pointer(&format!("/usage/{name}"))
        .and_then(Value::as_u64)
        .unwrap_or(0)
        .min(MOST_TOKENS)
}

/// More is no count; with it, sums stay sums.
const MOST_TOKENS: u64 = 1 << 32;
/// What OpenRouter, vLLM, DeepSeek and Gemini call an end that is none.
const BROKEN_OFF: [&str; 7] = [
    "error",
    "abort",
    "cancelled",
    "insufficient_system_resource",
    "SAFETY",
    "RECITATION",
    "OTHER",
];

const CUT_OFF: &str =
    "the answer was cut off at its length limit; a larger --max-output-tokens may help";

/// A text, or the texts among parts of these types.
fn text_of(content: Option<&Value>, types: &[&str]) -> Result<String, String> {
    match content {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Array(parts)) => {
            let is_text = |part: &&Value| {
                part.get("type")
                    .and_then(Value::as_str)
                    .is_some_and(|kind| types.contains(&kind))
            };
            let texts: Vec<&str> = parts
                .iter()
                .filter(is_text)
                .filter_map(|part| part.get("text")?.as_str())
                .collect();
            if texts.is_empty() && !parts.is_empty() {
                Err(NO_TEXT.to_owned())
            } else {
                Ok(texts.concat())
            }
        }
        None | Some(Value::Null) => Err("the summary is empty".to_owned()),
        Some(_) => Err(NO_TEXT.to_owned()),
    }
}

const NO_TEXT: &str = "the answer is not text";
const MOST_ERROR: usize = 300;

/// What a server says is wrong: message and machine-readable code or type. None where the body is no error.
#[must_use]
pub fn read_server_error(body: &Value) -> Option<(String, String)> {
    // Gemini's server wraps it in a list.
    let body = body
        .as_array()
        .and_then(|list| list.first())
        .unwrap_or(body);
    let error = body
        .get("error")
        .filter(|error| !error.is_null())
        .or_else(|| body.get("detail"))
        .or_else(|| body.get("message"))?;
    let field = |name: &str| match error.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    let message = match error {
        Value::String(text) => text.clone(),
        error if error.get("message").is_some() => field("message"),
        error => error.to_string(),
    };
    let code = [field("code"), field("type")].join(" ");
    Some((shorten_message(&message), shorten_message(&code)))
}

/// One line of bounded length, as what a server says is quoted.
#[must_use]
pub fn shorten_message(text: &str) -> String {
    let line: Vec<&str> = text.split_whitespace().collect();
    let line = line.join(" ");
    match line.char_indices().nth(MOST_ERROR) {
        Some((at, _)) => format!("{}...", &line[..at]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(dialect: Dialect, body: &Value) -> Result<String, String> {
        read_reply(body, dialect).unwrap().text
    }

    fn chat(message: Value, finish: &str) -> Result<String, String> {
        reply(
            Dialect::OpenAi,
            &json!({"choices": [{"message": message, "finish_reason": finish}]}),
        )
    }

    #[test]
    fn an_answer_in_openais_dialect() {
        assert_eq!(
            chat(json!({"content": "fine"}), "stop"),
            Ok("fine".to_owned())
        );
        assert_eq!(
            chat(
                json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}),
                "stop"
            ),
            Ok("ab".to_owned())
        );
        let refused = [
            chat(json!({"content": "half"}), "length"),
            chat(json!({"content": ""}), "content_filter"),
            chat(json!({"content": null, "refusal": "I can't"}), "stop"),
            chat(json!({"content": null, "tool_calls": []}), "tool_calls"),
            chat(json!({"content": null}), "stop"),
            chat(json!({"content": 3}), "stop"),
            chat(json!({"content": [{"type": "image"}]}), "stop"),
        ];
        assert!(refused.iter().all(Result::is_err), "{refused:?}");
        assert_eq!(read_reply(&json!({"choices": []}), Dialect::OpenAi), None);
        assert_eq!(read_reply(&json!("hello"), Dialect::OpenAi), None);
        let tokens = json!({"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": 7, "completion_tokens": 2}});
        assert_eq!(
            read_reply(&tokens, Dialect::OpenAi)
                .map(|reply| (reply.input_tokens, reply.output_tokens)),
            Some((7, 2))
        );
    }

    #[test]
    fn an_answer_in_anthropics_dialect() {
        let message = |reason: &str, content: Value| {
            reply(
                Dialect::Anthropic,
                &json!({"type": "message", "content": content, "stop_reason": reason}),
            )
        };
        let text =
            json!([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "fine"}]);
        assert_eq!(message("end_turn", text.clone()), Ok("fine".to_owned()));
        for reason in [
            "max_tokens",
            "refusal",
            "tool_use",
            "model_context_window_exceeded",
        ] {
            assert!(message(reason, text.clone()).is_err(), "{reason}");
        }
        assert!(message("end_turn", json!([{"type": "tool_use"}])).is_err());
        assert_eq!(
            read_reply(&json!({"type": "error", "content": []}), Dialect::Anthropic),
            None
        );
        let usage = json!({"content": [], "usage": {"input_tokens": 5, "cache_read_input_tokens": 10, "output_tokens": 2}});
        assert_eq!(
            read_reply(&usage, Dialect::Anthropic)
                .map(|reply| (reply.input_tokens, reply.output_tokens)),
            Some((15, 2))
        );
    }

    #[test]
    fn errors_as_servers_spell_them() {
        let spelled = |body: Value| {
            read_server_error(&body).map(|(message, code)| format!("{message}|{code}"))
        };
        let openai =
            json!({"error": {"message": "No\n quota", "type": "insufficient_quota", "code": null}});
        assert_eq!(
            spelled(openai).as_deref(),
            Some("No quota|insufficient_quota")
        );
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

    #[test]
    fn requests_say_only_what_was_asked() {
        let question = ModelQuestion {
            model: "m".to_owned(),
            temperature: Some(0.5),
            max_output: Some(9),
            budget: 300,
            prompt: "p".to_owned(),
        };
        let body = request_body(
            &question,
            Dialect::OpenAi,
            OutputLimitField::MaxCompletionTokens,
        );
        assert_eq!(
            (
                &body["max_completion_tokens"],
                &body["temperature"],
                body.get("max_tokens")
            ),
            (&json!(9), &json!(0.5), None)
        );
        assert_eq!(
            request_body(&question, Dialect::OpenAi, OutputLimitField::MaxTokens)["max_tokens"],
            9
        );
        let plain = ModelQuestion {
            temperature: None,
            max_output: None,
            ..question
        };
        let keys: Vec<String> = request_body(
            &plain,
            Dialect::OpenAi,
            OutputLimitField::MaxCompletionTokens,
        )
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect();
        assert_eq!(keys, ["model", "messages"]);
    }
}
