//! The live messages of a session: those that OpenCode sends of all that it stores, in the order in
//! which it sends them, and facts about stored messages and their parts. See
//! `docs/reference/opencode.md`.

use crate::reading::format::prelude::*;
use std::ops::Range;

/// A compaction that counts: its question, and the summary that answers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CompletedCompaction {
    /// Index of the question.
    pub(super) question: usize,
    /// Index of the answer.
    pub(super) answer: usize,
}

/// The first messages of a session.
#[derive(Debug, Clone, Copy)]
pub(super) struct StoredMessages<'t> {
    list: JsonNode<'t>,
    /// The number of messages.
    pub(super) count: usize,
}

impl<'t> StoredMessages<'t> {
    pub(super) fn new(list: JsonNode<'t>) -> Self {
        let count = list.item_count();
        Self { list, count }
    }

    /// Returns the messages that end before a byte of the record.
    pub(super) fn before(self, byte: usize) -> Self {
        let count = self.list.items_before(byte);
        Self { count, ..self }
    }

    /// Returns a message, which must exist.
    pub(super) fn at(self, index: usize) -> JsonNode<'t> {
        self.list.item(index).unwrap_or(self.list)
    }
}

/// The questions among the messages that were looked at.
#[derive(Debug, Default)]
pub(super) struct OpenCodeQuestions {
    by_id: HashMap<String, usize>,
}

impl OpenCodeQuestions {
    /// Looks at the next message, which has this index.
    pub(super) fn look_at(&mut self, message: JsonNode<'_>, index: usize) {
        if is_question(message)
            && let Some(id) = info_text(message, "id")
        {
            self.by_id.insert(id.into_owned(), index);
        }
    }

    /// Returns the compactions that count and were answered in a stretch of the messages, in the
    /// order of their answers.
    pub(super) fn answered(
        &self,
        messages: StoredMessages<'_>,
        stretch: Range<usize>,
    ) -> Vec<CompletedCompaction> {
        if self.by_id.is_empty() {
            return Vec::new();
        }
        let completed = stretch.filter_map(|answer| {
            let message = messages.at(answer);
            if !is_completed_summary(message) {
                return None;
            }
            let parent = info_text(message, "parentID")?;
            let question = *self.by_id.get(parent.as_ref())?;
            (question < answer).then_some(CompletedCompaction { question, answer })
        });
        completed.collect()
    }
}

/// Returns true if a message is a summary that was finished without an error.
fn is_completed_summary(message: JsonNode<'_>) -> bool {
    is_finished_answer(message) && !has_error(message)
}

/// Returns the indices of the messages that OpenCode sends, in their order. `live` are those since the
/// last compaction.
pub(super) fn live_messages(messages: StoredMessages<'_>, mut live: Vec<usize>) -> Vec<usize> {
    let with_tail = live.iter().rposition(|&index| tail_start_id(messages.at(index)).is_some());
    let Some(question_at) = with_tail else {
        return live;
    };
    let question = messages.at(live[question_at]);
    let question_id = info_text(question, "id");
    // The first answer counts here, even if it failed and a later one did not.
    let answer_at = (question_at + 1..live.len()).find(|&at| {
        let message = messages.at(live[at]);
        is_answer(message) && info_text(message, "parentID") == question_id
    });
    let tail_id = tail_start_id(question);
    let tail_at = live
        .iter()
        .position(|&index| info_text(messages.at(index), "id") == tail_id)
        .filter(|&tail_at| tail_at < question_at);
    if let (Some(tail_at), Some(answer_at)) = (tail_at, answer_at) {
        // Question and answer move in front of the tail.
        live[tail_at..=answer_at].rotate_left(question_at - tail_at);
        live.drain(..tail_at);
    }
    live
}

/// Returns the indices of all messages from the last compaction that counts on, and of the tail
/// that it kept, in the order in which they are stored.
pub(super) fn since_last_compaction(messages: StoredMessages<'_>) -> Vec<usize> {
    let mut live = Vec::new();
    let mut answered = HashSet::new();
    let mut tail_start = None;
    for index in (0..messages.count).rev() {
        let message = messages.at(index);
        live.push(index);
        let id = info_text(message, "id");
        if tail_start.is_some() {
            if id == tail_start {
                break;
            }
            continue;
        }
        if is_question(message) && id.as_ref().is_some_and(|id| answered.contains(id)) {
            tail_start = tail_start_id(message);
            if tail_start.is_none() || tail_start == id {
                break;
            }
            continue;
        }
        if is_completed_summary(message)
            && let Some(parent) = info_text(message, "parentID")
        {
            answered.insert(parent);
        }
    }
    live.reverse();
    live
}

/// Returns the id of the first message that the compaction of a question kept.
fn tail_start_id(question: JsonNode<'_>) -> Option<Cow<'_, str>> {
    let mut parts = question.items_of("parts");
    parts.find_map(|part| {
        part.get("tail_start_id").filter(|_| part.has_text("type", "compaction"))?.as_text()
    })
}

/// The text that the model sees in place of a result that was cleared.
pub(super) const CLEARED: &str = "[Old tool result content cleared]";

/// Returns true if a message is the question of a compaction.
pub(super) fn is_question(message: JsonNode<'_>) -> bool {
    message.get("info").is_some_and(|info| info.has_text("role", "user"))
        && message.items_of("parts").any(|part| part.has_text("type", "compaction"))
}

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
