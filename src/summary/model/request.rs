//! The body of a request, as each interface expects it.

use crate::deciding::policy::Dialect;
use crate::summary::model::question::ModelQuestion;
use serde_json::{Map, Value, json};

/// The name of the output limit in OpenAI's dialect. New models of OpenAI refuse the old name, and
/// many other servers know only that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputLimitField {
    /// `max_completion_tokens`, the new name.
    MaxCompletionTokens,
    /// `max_tokens`, the old name.
    MaxTokens,
}

/// Returns the body of a live request, which is also the body of a batch file's line.
pub(crate) fn request_body(
    question: &ModelQuestion,
    dialect: Dialect,
    limit_field: OutputLimitField,
) -> Value {
    let mut body = Map::new();
    body.insert("model".to_owned(), question.model.clone().into());
    let user = json!({"role": "user", "content": question.prompt});
    match dialect {
        Dialect::OpenAi => {
            body.insert(
                "messages".to_owned(),
                json!([{"role": "system", "content": question.system_prompt()}, user]),
            );
        }
        Dialect::Anthropic => {
            body.insert("system".to_owned(), question.system_prompt().into());
            body.insert("messages".to_owned(), json!([user]));
        }
    }
    if let Some(tokens) = question.max_output {
        let name =
            if dialect == Dialect::OpenAi && limit_field == OutputLimitField::MaxCompletionTokens {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_only_the_fields_that_are_set() {
        let question = ModelQuestion {
            model: "m".to_owned(),
            temperature: Some(0.5),
            max_output: Some(9),
            budget: 300,
            prompt: "p".to_owned(),
        };
        let body = request_body(&question, Dialect::OpenAi, OutputLimitField::MaxCompletionTokens);
        assert_eq!(
            (&body["max_completion_tokens"], &body["temperature"], body.get("max_tokens")),
            (&json!(9), &json!(0.5), None)
        );
        assert_eq!(
            request_body(&question, Dialect::OpenAi, OutputLimitField::MaxTokens)["max_tokens"],
            9
        );
        let plain = ModelQuestion { temperature: None, max_output: None, ..question };
        let keys: Vec<String> =
            request_body(&plain, Dialect::OpenAi, OutputLimitField::MaxCompletionTokens)
                .as_object()
                .unwrap()
                .keys()
                .cloned()
                .collect();
        assert_eq!(keys, ["model", "messages"]);
    }
}
