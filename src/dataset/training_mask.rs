//! The keys by which a log says that an answer is not to be trained on, or that no model wrote it.

use crate::json::{Scanner, Span};

/// A key, and the values of it that exclude an answer from training.
pub(crate) struct TrainingMask<'k> {
    pub(crate) key: &'k str,
    pub(crate) excludes: fn(&[u8]) -> bool,
}

const fn mask(key: &'static str, excludes: fn(&[u8]) -> bool) -> TrainingMask<'static> {
    TrainingMask { key, excludes }
}

/// The masks of training data: OpenAI's, LLaMA-Factory's, Axolotl's, ms-swift's, torchtune's.
pub(super) static WEIGHTS: [TrainingMask<'static>; 9] = [
    mask("weight", is_zero),
    mask("loss_weight", is_zero),
    mask("loss", is_zero),
    mask("loss_mask", is_zero),
    mask("train", is_zero),
    mask("trainable", is_zero),
    mask("training", is_zero),
    mask("mask", is_true),
    mask("masked", is_true),
];

/// The marks by which programs tell answers that no model wrote, or not here.
static UNWRITTEN: [TrainingMask<'static>; 5] = [
    mask("is_copied_context", is_true),
    mask("isApiErrorMessage", is_true),
    mask("error", is_true),
    mask("model", |value| value == b"\"<synthetic>\""),
    mask("type", |value| value == b"\"ToolCallSummaryMessage\""),
];

/// Returns all keys that exclude answers.
pub(crate) fn training_masks() -> impl Iterator<Item = &'static TrainingMask<'static>> {
    WEIGHTS.iter().chain(&UNWRITTEN)
}

/// Returns true for `false` and for zero.
pub(crate) fn is_zero(value: &[u8]) -> bool {
    value == b"false" || std::str::from_utf8(value).is_ok_and(|number| number.parse() == Ok(0.0))
}

fn is_true(value: &[u8]) -> bool {
    value == b"true"
}

impl TrainingMask<'_> {
    /// Returns true if an object excludes itself by this key; of values that stand twice the last
    /// one counts.
    pub(crate) fn is_set(&self, object: &[u8]) -> bool {
        // Few logs have masks. The keys are only read if the word occurs, or if it may be escaped.
        let may_have = memchr::memmem::find(object, self.key.as_bytes()).is_some()
            || memchr::memchr(b'\\', object).is_some();
        may_have
            && object.first() == Some(&b'{')
            && find_values(object, self.key)
                .last()
                .is_some_and(|value| (self.excludes)(value.slice(object)))
    }
}

/// Returns the spans of all values of a key.
pub(crate) fn find_values(object: &[u8], wanted: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    // The object was read before, so it is valid.
    let _ = Scanner::new(object).read_object(|s, key| {
        let is_wanted = key == wanted.as_bytes();
        s.peek_kind()?;
        let span = s.skip_value()?;
        if is_wanted {
            spans.push(span);
        }
        Ok(())
    });
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_of_all_programs_exclude_an_answer() {
        let is_masked = |object: &str| training_masks().any(|mask| mask.is_set(object.as_bytes()));
        for masked in [
            r#"{"weight": 0}"#,
            r#"{"loss": false}"#,
            r#"{"loss_mask": 0.0}"#,
            r#"{"train": true, "train": false}"#,
            r#"{"mask": true}"#,
            r#"{"model": "<synthetic>", "content": []}"#,
            r#"{"error": true, "text": "x"}"#,
        ] {
            assert!(is_masked(masked), "{masked}");
        }
        for free in [
            r#"{"weight": 1, "loss": true, "mask": false, "error": null}"#,
            r#"{"content": "weight 0", "meta": {"loss": false}}"#,
            r#"{"model": "gpt", "type": "message"}"#,
        ] {
            assert!(!is_masked(free), "{free}");
        }
    }
}
