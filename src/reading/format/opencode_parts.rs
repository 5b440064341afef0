//! Facts about stored messages of OpenCode and their parts.

use crate::reading::format::tree::JsonNode;
use std::borrow::Cow;

/// The text that the model sees in place of a result that was cleared.
pub(super) const CLEARED: &str = "[Old tool result content cleared]";

/// Returns true if a message is the question of a compaction.
pub(super) fn is_question(message: JsonNode<'_>) -> bool {
    message.get("info").is_some_and(|info| info.has_text("role", "user"))
        && message.items_of("parts").any(|part| part.has_text("type", "compaction"))
}

/// Returns a text of the `info` of a message.
pub(super) fn info_text<'t>(message: JsonNode<'t>, key: &str) -> Option<Cow<'t, str>> {
    message.get_path(&["info", key])?.as_text()
}

/// Returns true if a message ended with an error.
pub(super) fn has_error(message: JsonNode<'_>) -> bool {
    let error = message.get_path(&["info", "error"]);
    error.is_some_and(|error| error.bytes() != b"null")
}

/// Returns true if the result in this state was cleared.
pub(super) fn is_cleared(state: JsonNode<'_>) -> bool {
    state.get_path(&["time", "compacted"]).is_some_and(|at| !matches!(at.bytes(), b"null" | b"0"))
}

/// Returns the output of a call that was interrupted, as a literal.
pub(super) fn interrupted_output(state: JsonNode<'_>) -> Option<&[u8]> {
    let metadata = state.get("metadata")?;
    if metadata.has_true("interrupted") { metadata.literal_bytes("output") } else { None }
}

/// Returns true if a message answers the question of a compaction, with a summary or with an error.
/// In messages of the user `summary` is an object: a title for the screen.
pub(super) fn is_answer(message: JsonNode<'_>) -> bool {
    message.get("info").is_some_and(|info| info.has_true("summary"))
}

/// Returns true if a message answers the question of a compaction and has ended, well or not.
pub(super) fn is_finished_answer(message: JsonNode<'_>) -> bool {
    is_answer(message) && info_text(message, "finish").is_some_and(|reason| !reason.is_empty())
}
