//! Answers that are beside the messages of a record: those to choose from in preference data, and
//! completions. They are no messages of the conversation.

use crate::reading::format::tree::JsonTree;
use crate::reading::json::JsonKind;

/// Keys that hold such answers.
const ANSWER_KEYS: [&str; 9] = [
    "chosen", "rejected", "chosen_messages", "rejected_messages", "preferred_output",
    "preferred_completion", "non_preferred_output", "non_preferred_completion", "completion",
];

/// Returns the first key of a record that holds an answer beside the messages, if there is one.
pub(crate) fn answer_key(record: &[u8]) -> Option<&'static str> {
    let tree = JsonTree::new(record).ok()?;
    let holds_answer = |key: &&&str| {
        let value = tree.root().get(key);
        value.is_some_and(|value| matches!(value.kind(), JsonKind::Array | JsonKind::Object))
    };
    ANSWER_KEYS.iter().find(holds_answer).copied()
}
