//! Which messages are trained on, and how a sample says so: `weight` 0 or 1 as
//! OpenAI's fine-tuning data, or a key of the user's with `true` or `false`.

use crate::json::write_literal;
use crate::json::{Scanner, Span};
use crate::transcript::splice::{Splice, apply_splices};
use crate::transcript::{Role, Transcript};

const WEIGHT: &str = "weight";

/// Keys that say of an answer how much it is trained on, in the formats that have one: OpenAI's, and LLaMA-Factory's.
const WEIGHTS: [&str; 2] = [WEIGHT, "loss_weight"];

/// Whether the log wants message `index` to be trained on: an answer that has no weight of 0, and under the user's `key` no `false`.
pub(crate) fn is_trained(transcript: &Transcript<'_>, index: usize, key: Option<&str>) -> bool {
    let message = &transcript.messages[index];
    if message.role != Role::Assistant {
        return false;
    }
    let bytes = message.span.slice(transcript.record_of(index));
    !WEIGHTS.into_iter().chain(key).any(|key| {
        // Few logs have weights: the keys are walked only where the word is, be it in a text, or something that may be escaped.
        (memchr::memmem::find(bytes, key.as_bytes()).is_some()
            || memchr::memchr(b'\\', bytes).is_some())
            && values(bytes, key)
                .last()
                .is_some_and(|value| says_no(value.slice(bytes)))
    })
}

/// Whether the value of such a key keeps an answer from being trained on.
fn says_no(value: &[u8]) -> bool {
    value == b"false" || std::str::from_utf8(value).is_ok_and(|number| number.parse() == Ok(0.0))
}

/// What says in an answer whether it is trained on: keys with their values, for one that has none yet.
pub(crate) fn keys(trained: bool, key: Option<&str>) -> Vec<(&str, &'static str)> {
    match key {
        Some(key) => vec![(key, if trained { "true" } else { "false" })],
        None if trained => Vec::new(),
        None => vec![(WEIGHT, "0")],
    }
}

/// Says in an answer whether it is trained on.
pub(crate) fn mark(message: &mut Vec<u8>, trained: bool, key: Option<&str>) {
    if let Some(key) = key {
        set(message, key, if trained { b"true" } else { b"false" }, true);
    }
    // Where a log has weights they must not say otherwise.
    if !trained {
        set(message, WEIGHT, b"0", key.is_none());
    }
}

/// Gives a key a value, wherever it stands; where it does not stand it is added, if `add`.
fn set(message: &mut Vec<u8>, key: &str, value: &[u8], add: bool) {
    let mut splices: Vec<Splice> = values(message, key)
        .into_iter()
        .map(|span| Splice {
            span,
            bytes: value.to_vec(),
        })
        .collect();
    if splices.is_empty() {
        let Some(end) = message
            .iter()
            .rposition(|byte| *byte == b'}')
            .filter(|_| add)
        else {
            return;
        };
        let mut bytes = b", ".to_vec();
        write_literal(key, &mut bytes);
        bytes.extend_from_slice(b": ");
        bytes.extend_from_slice(value);
        splices.push(Splice {
            span: Span { start: end, end },
            bytes,
        });
    }
    let mut marked = Vec::with_capacity(message.len() + 16);
    apply_splices(message, &mut splices, &mut marked);
    *message = marked;
}

/// The values of a key of an object.
fn values(object: &[u8], wanted: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut scanner = Scanner::new(object);
    // What was read before is an object.
    let _ = scanner.read_object(|s, key| {
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

    fn marked(message: &str, trained: bool, key: Option<&str>) -> String {
        let mut bytes = message.as_bytes().to_vec();
        mark(&mut bytes, trained, key);
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_mark_is_added_replaced_or_left() {
        assert_eq!(
            marked(r#"{"role": "assistant", "a": {} }"#, false, None),
            r#"{"role": "assistant", "a": {} , "weight": 0}"#
        );
        assert_eq!(
            marked(r#"{"weight": 1, "role": "assistant"}"#, false, None),
            r#"{"weight": 0, "role": "assistant"}"#
        );
        assert_eq!(marked(r#"{"weight": 1}"#, true, None), r#"{"weight": 1}"#);
        assert_eq!(
            marked(r#"{"weight": 1, "train": null}"#, false, Some("train")),
            r#"{"weight": 0, "train": false}"#
        );
        assert_eq!(
            marked(r#"{"role": "assistant"}"#, true, Some("train")),
            r#"{"role": "assistant", "train": true}"#
        );
    }
}
