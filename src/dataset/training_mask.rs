//! The keys by which a log says that an answer is not to be trained on, or that no model wrote it.

use crate::reading::json::{Scanner, Span};

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

/// Returns true for `false` and for zero.
pub(crate) fn is_zero(value: &[u8]) -> bool {
    value == b"false" || std::str::from_utf8(value).is_ok_and(|number| number.parse() == Ok(0.0))
}

fn is_true(value: &[u8]) -> bool {
    value == b"true"
}

/// Returns true if an object excludes itself by a key that excludes answers, or by `own`; of values
/// that are repeated the last one counts.
pub(crate) fn is_excluded(object: &[u8], own: Option<&TrainingMask<'_>>) -> bool {
    let masks: Vec<&TrainingMask<'_>> = WEIGHTS.iter().chain(&UNWRITTEN).chain(own).collect();
    let mut excluding = vec![false; masks.len()];
    if object.first() == Some(&b'{') {
        // The object was read before, so it is valid.
        let _ = Scanner::new(object).read_object(|s, key| {
            s.peek_kind()?;
            let value = s.skip_value()?.slice(object);
            for (mask, excludes) in masks.iter().zip(&mut excluding) {
                if mask.key.as_bytes() == key {
                    *excludes = (mask.excludes)(value);
                }
            }
            Ok(())
        });
    }
    excluding.contains(&true)
}

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
        let is_masked = |object: &str| is_excluded(object.as_bytes(), None);
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
