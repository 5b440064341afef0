//! A question to a model, the hash that identifies it, and its body as each interface expects it.

use crate::base::sha256::Sha256;
use crate::deciding::policy::Dialect;
use serde_json::{Map, Value, json};

/// The version of the hashed fields. It changes if the same fields would ask something else.
const VERSION: &str = "epitome summary request 1";
/// The number of hex digits in an id. Both batch interfaces accept it as `custom_id`.
const ID_DIGITS: usize = 40;

/// Everything that an answer depends on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ModelQuestion {
    pub model: String,
    pub temperature: Option<f64>,
    /// The maximum number of tokens in the answer, as the server enforces it.
    pub max_output: Option<u64>,
    /// The number of tokens that the summary should not exceed.
    pub budget: usize,
    /// The entire prompt.
    pub prompt: String,
}

impl ModelQuestion {
    /// Returns a hash of all fields. It does not depend on the server.
    pub(crate) fn id(&self) -> String {
        let mut hasher = Sha256::default();
        let temperature = self.temperature.map(|number| number.to_string());
        let max_output = self.max_output.map(|tokens| tokens.to_string());
        for part in [
            VERSION,
            &self.model,
            &temperature.unwrap_or_default(),
            &max_output.unwrap_or_default(),
            &self.system_prompt(),
            &self.prompt,
        ] {
            // With the length before each part, no two lists of parts give the same bytes.
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.hex_prefix(ID_DIGITS)
    }

    /// Returns the highest number of tokens to expect in the answer. A model may exceed the budget
    /// up to the limit that the server enforces.
    pub(crate) fn max_output_tokens(&self) -> u64 {
        self.max_output.unwrap_or(self.budget as u64)
    }

    /// Returns the system message, which states the length that the answer may have.
    pub(crate) fn system_prompt(&self) -> String {
        format!(
            "You summarise conversations so that work can go on from the summary alone. Write at most {} tokens.",
            self.budget
        )
    }
}

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

    fn plain_question() -> ModelQuestion {
        ModelQuestion {
            model: "m".to_owned(),
            temperature: None,
            max_output: None,
            budget: 300,
            prompt: "p".to_owned(),
        }
    }

    #[test]
    fn the_id_depends_on_every_field() {
        let question = plain_question();
        let others = [
            ModelQuestion { model: "n".to_owned(), ..question.clone() },
            ModelQuestion { temperature: Some(0.0), ..question.clone() },
            ModelQuestion { max_output: Some(1), ..question.clone() },
            ModelQuestion { budget: 301, ..question.clone() },
            ModelQuestion { prompt: "q".to_owned(), ..question.clone() },
            ModelQuestion { model: "mp".to_owned(), prompt: String::new(), ..question.clone() },
        ];
        assert_eq!(question.id(), question.clone().id());
        assert_eq!(question.id().len(), ID_DIGITS);
        assert!(others.iter().all(|other| other.id() != question.id()));
    }

    #[test]
    fn a_request_has_only_the_fields_that_are_set() {
        let body = |question: &ModelQuestion, field| request_body(question, Dialect::OpenAi, field);
        let newer = OutputLimitField::MaxCompletionTokens;
        let full =
            ModelQuestion { temperature: Some(0.5), max_output: Some(9), ..plain_question() };
        let sent = body(&full, newer);
        assert_eq!(sent["max_completion_tokens"], 9);
        assert_eq!(sent["temperature"], 0.5);
        assert_eq!(sent.get("max_tokens"), None);
        assert_eq!(body(&full, OutputLimitField::MaxTokens)["max_tokens"], 9);
        let plain = body(&plain_question(), newer);
        assert!(plain.as_object().unwrap().keys().eq(["model", "messages"]));
    }
}
