//! The live messages of a session: those that OpenCode sends of all that it stores, in the order in
//! which it sends them. See `docs/reference/opencode.md`.

use crate::reading::format::opencode_parts::{
    has_error, info_text, is_answer, is_finished_answer, is_question,
};
use crate::reading::format::prelude::*;

/// A compaction that counts: its question, and the summary that answers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CompletedCompaction {
    /// Index of the question.
    pub(super) question: usize,
    /// Index of the answer.
    pub(super) answer: usize,
}

/// Returns true if a message is a summary that was finished without an error.
fn is_completed_summary(message: JsonNode<'_>) -> bool {
    is_finished_answer(message) && !has_error(message)
}

/// Returns the compactions among some messages that count, in the order of their answers.
pub(super) fn completed_compactions(messages: &[JsonNode<'_>]) -> Vec<CompletedCompaction> {
    let questions: HashMap<Cow<'_, str>, usize> = messages
        .iter()
        .enumerate()
        .filter(|(_, message)| is_question(**message))
        .filter_map(|(index, message)| Some((info_text(*message, "id")?, index)))
        .collect();
    if questions.is_empty() {
        return Vec::new();
    }
    let answers = messages.iter().enumerate();
    answers
        .filter(|(_, message)| is_completed_summary(**message))
        .filter_map(|(answer, message)| {
            let parent = info_text(*message, "parentID")?;
            let question = *questions.get(&parent)?;
            (question < answer).then_some(CompletedCompaction { question, answer })
        })
        .collect()
}

/// Returns the indices of the messages that OpenCode sends, in their order.
pub(super) fn live_messages(messages: &[JsonNode<'_>]) -> Vec<usize> {
    let mut live = since_last_compaction(messages);
    let with_tail = live
        .iter()
        .rposition(|&index| tail_start_id(messages[index]).is_some());
    let Some(question_at) = with_tail else {
        return live;
    };
    let question = messages[live[question_at]];
    let question_id = info_text(question, "id");
    // The first answer counts here, even if it failed and a later one did not.
    let answer_at = (question_at + 1..live.len()).find(|&at| {
        let message = messages[live[at]];
        is_answer(message) && info_text(message, "parentID") == question_id
    });
    let tail_id = tail_start_id(question);
    let tail_at = live
        .iter()
        .position(|&index| info_text(messages[index], "id") == tail_id)
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
fn since_last_compaction(messages: &[JsonNode<'_>]) -> Vec<usize> {
    let mut live = Vec::new();
    let mut answered = HashSet::new();
    let mut tail_start = None;
    for (index, message) in messages.iter().enumerate().rev() {
        live.push(index);
        let id = info_text(*message, "id");
        if tail_start.is_some() {
            if id == tail_start {
                break;
            }
            continue;
        }
        if is_question(*message) && id.as_ref().is_some_and(|id| answered.contains(id)) {
            tail_start = tail_start_id(*message);
            if tail_start.is_none() || tail_start == id {
                break;
            }
            continue;
        }
        if is_completed_summary(*message)
            && let Some(parent) = info_text(*message, "parentID")
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
        part.get("tail_start_id")
            .filter(|_| part.has_text("type", "compaction"))?
            .as_text()
    })
}
