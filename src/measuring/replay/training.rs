//! The options of training samples, and which messages are trained on: their marks are `weight` 0
//! or 1 as in OpenAI's fine-tuning data, or `true` and `false` under a key that the user names.

use crate::dataset::{RowMaker, TrainingMask, find_values, is_excluded, is_zero};
use crate::reading::format::answers_beside::answer_key;
use crate::reading::json::{Span, write_literal};
use crate::reading::transcript::splice::{Splice, apply_splices};
use crate::reading::transcript::{Role, Transcript};
use crate::running::conversation::Conversation;

pub(crate) struct TrainingOptions {
    /// Makes a sample of each call, not of each stretch.
    pub(crate) per_call: bool,
    /// The key that says whether a message is trained on. None for `weight`.
    pub(crate) key: Option<String>,
    /// The length above which samples are set apart, in tokens.
    pub(crate) max_tokens: Option<usize>,
    /// Makes rows of a data set, in place of the log's own messages.
    pub(crate) rows: Option<RowMaker>,
}

impl TrainingOptions {
    /// Returns the key of an answer beside the messages, which the rows of a data set would lose.
    pub(super) fn key_of_lost_answer(
        &self,
        conversation: &Conversation<'_>,
    ) -> Option<&'static str> {
        let record = conversation.transcript.records.first()?;
        self.rows.as_ref().and_then(|_| answer_key(record.bytes))
    }
}

/// OpenAI's key.
const WEIGHT: &str = "weight";

/// Returns true if message `index` is an answer of a model that the log does not exclude from
/// training: by its own keys ([`is_excluded`]), or by `false` under the user's `key`.
pub(super) fn is_trained(transcript: &Transcript<'_>, index: usize, key: Option<&str>) -> bool {
    let message = &transcript.messages[index];
    if message.role != Role::Assistant {
        return false;
    }
    // What was rebuilt from a journal is in its records.
    let mut logged: Vec<&[u8]> = transcript.source_bytes(index).collect();
    if logged.is_empty() {
        logged.push(message.span.slice(transcript.record_of(index)));
    }
    let own = key.map(|key| TrainingMask { key, excludes: is_zero });
    let mut objects = logged.into_iter();
    !objects.any(|object| is_excluded(object, own.as_ref()))
}

/// Returns the keys and values that mark an answer without marks.
pub(super) fn training_entries(trained: bool, key: Option<&str>) -> Vec<(&str, &'static str)> {
    match key {
        Some(key) => vec![(key, if trained { "true" } else { "false" })],
        None if trained => Vec::new(),
        None => vec![(WEIGHT, "0")],
    }
}

/// Marks an answer, given as a JSON object, as trained on or not.
pub(super) fn mark_trained(message: &mut Vec<u8>, trained: bool, key: Option<&str>) {
    if let Some(key) = key {
        let value: &[u8] = if trained { b"true" } else { b"false" };
        set_value(message, key, value, true);
    }
    // A weight in the log must not contradict the user's key.
    if !trained {
        set_value(message, WEIGHT, b"0", key.is_none());
    }
}

/// Sets all values of a key. If the object does not have the key, adds it if `add` is true.
fn set_value(object: &mut Vec<u8>, key: &str, value: &[u8], add: bool) {
    let mut splices: Vec<Splice> = find_values(object, key)
        .into_iter()
        .map(|span| Splice { span, bytes: value.to_vec() })
        .collect();
    if splices.is_empty() {
        let end = object.iter().rposition(|byte| *byte == b'}');
        let Some(end) = end.filter(|_| add) else {
            return;
        };
        let mut bytes = b", ".to_vec();
        write_literal(key, &mut bytes);
        bytes.extend_from_slice(b": ");
        bytes.extend_from_slice(value);
        splices.push(Splice { span: Span { start: end, end }, bytes });
    }
    let mut marked = Vec::with_capacity(object.len() + 16);
    apply_splices(object, &mut splices, &mut marked);
    *object = marked;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render_marked(message: &str, trained: bool, key: Option<&str>) -> String {
        let mut bytes = message.as_bytes().to_vec();
        mark_trained(&mut bytes, trained, key);
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_mark_is_added_replaced_or_left() {
        assert_eq!(
            render_marked(r#"{"role": "assistant", "a": {} }"#, false, None),
            r#"{"role": "assistant", "a": {} , "weight": 0}"#
        );
        assert_eq!(
            render_marked(r#"{"weight": 1, "role": "assistant"}"#, false, None),
            r#"{"weight": 0, "role": "assistant"}"#
        );
        assert_eq!(render_marked(r#"{"weight": 1}"#, true, None), r#"{"weight": 1}"#);
        assert_eq!(
            render_marked(r#"{"weight": 1, "train": null}"#, false, Some("train")),
            r#"{"weight": 0, "train": false}"#
        );
        assert_eq!(
            render_marked(r#"{"role": "assistant"}"#, true, Some("train")),
            r#"{"role": "assistant", "train": true}"#
        );
    }
}
