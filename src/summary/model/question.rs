//! One question to a model, and the hash that stands for it.

use crate::sha256::Sha256;

/// Changes when the same fields would ask something else.
const VERSION: &str = "epitome summary request 1";
/// Hex digits of an id: legal as `custom_id` of both batch interfaces (spec: services).
const ID_DIGITS: usize = 40;

/// All that an answer depends on.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelQuestion {
    /// The model's name.
    pub model: String,
    /// Sampling temperature.
    pub temperature: Option<f64>,
    /// Tokens that the answer may have.
    pub max_output: Option<u64>,
    /// Tokens that the summary should have at most.
    pub budget: usize,
    /// The whole prompt.
    pub prompt: String,
}

impl ModelQuestion {
    /// Equal for equal questions, whoever asks, and whichever server answers.
    #[must_use]
    pub fn id(&self) -> String {
        let mut hasher = Sha256::default();
        // Each part with its length: no two lists of parts read the same.
        let mut part = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        };
        part(VERSION);
        part(&self.model);
        part(
            &self
                .temperature
                .map(|number| number.to_string())
                .unwrap_or_default(),
        );
        part(
            &self
                .max_output
                .map(|tokens| tokens.to_string())
                .unwrap_or_default(),
        );
        part(&self.system());
        part(&self.prompt);
        hasher.hex_prefix(ID_DIGITS)
    }

    /// Tokens that the answer may come to: a model may write more than it was told to, up to the limit that the server keeps.
    #[must_use]
    pub fn most_output(&self) -> u64 {
        self.max_output.unwrap_or(self.budget as u64)
    }

    /// The system message: how long the answer may be.
    #[must_use]
    pub fn system(&self) -> String {
        format!(
            "You summarise conversations so that work can go on from the summary alone. Write at most {} tokens.",
            self.budget
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_stands_for_all_of_it() {
        let one = ModelQuestion {
            model: "m".to_owned(),
            temperature: None,
            max_output: None,
            budget: 300,
            prompt: "p".to_owned(),
        };
        let others = [
            ModelQuestion {
                model: "n".to_owned(),
                ..one.clone()
            },
            ModelQuestion {
                temperature: Some(0.0),
                ..one.clone()
            },
            ModelQuestion {
                max_output: Some(1),
                ..one.clone()
            },
            ModelQuestion {
                budget: 301,
                ..one.clone()
            },
            ModelQuestion {
                prompt: "q".to_owned(),
                ..one.clone()
            },
            ModelQuestion {
                model: "mp".to_owned(),
                prompt: String::new(),
                ..one.clone()
            },
        ];
        assert_eq!(one.id(), one.clone().id());
        assert_eq!(one.id().len(), ID_DIGITS);
        assert!(others.iter().all(|other| other.id() != one.id()));
    }
}
