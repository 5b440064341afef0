//! Exports of OpenCode: `{"info", "messages": [{"info", "parts": […]}]}`. A call and its result are
//! one part. A compaction is a question of the user with a `compaction` part and the answer to it;
//! the model sees these two, then the tail that was kept, then the messages that followed. See
//! `docs/reference/opencode.md`.

use crate::reading::format::dialects::ANTHROPIC;
use crate::reading::format::opencode_compaction::{append_compaction, mark_result_cleared};
use crate::reading::format::opencode_live::{
    CompletedCompaction, completed_compactions, live_messages,
};
use crate::reading::format::opencode_messages::{push_message, render_text_part};
use crate::reading::format::opencode_parts::{info_text, is_answer, is_finished_answer};
use crate::reading::format::row::prelude::*;
use crate::reading::transcript::summary_frame::OPENCODE_QUESTION;

/// Exported sessions of OpenCode.
#[rustfmt::skip]
pub(super) const OPENCODE: LogRow = LogRow {
    name: "opencode",
    help: "`opencode export`: {\"info\": ..., \"messages\": [{\"info\": ..., \"parts\": [...]}]}; what its last compaction left",
    evidence: &[conversation("messages of info and parts", &[If::Of(at("messages.0"), &[has("parts"), has("info.role")])])],
    reads: Reads::Written(&WrittenRow {
        mode: WRITE_MODE,
        new_finder: || Box::new(OpenCodeCompactions),
        mark_cleared: |transcript, index| mark_result_cleared(transcript, index).into_iter().collect(),
        ..WrittenRow::new(
            || Box::new(OpenCodeReader { thread: None }),
            |transcript, place, text| append_compaction(transcript, place, text).unwrap_or_default(),
        )
    }),
};

const WRITE_MODE: WriteMode = WriteMode::Appended {
    asked: true,
    clears: true,
    lists: false,
};

/// The search for compactions: questions that were answered by a summary.
struct OpenCodeCompactions;

impl CompactionFinder for OpenCodeCompactions {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>, spans: &mut Vec<CompactionSpan>) {
        let messages: Vec<JsonNode<'_>> = record.items_of("messages").collect();
        let mut end = messages.len();
        let mut found = Vec::new();
        for compaction in completed_compactions(&messages).into_iter().rev() {
            let CompletedCompaction { question, answer } = compaction;
            if answer < end {
                let (first, last) = (messages[question], messages[answer]);
                found.push(CompactionSpan::of_objects(at, first, last));
                end = question;
            }
        }
        spans.extend(found.into_iter().rev());
    }
}

/// An export; its one record is the session.
struct OpenCodeReader {
    thread: Option<JournalThread>,
}

impl JournalReader for OpenCodeReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<()> {
        let list = record.need_kind("messages", JsonKind::Array)?;
        let messages: Vec<JsonNode<'_>> = list.items().collect();
        let mut thread = JournalThread::new(ANTHROPIC, WRITE_MODE, at);
        let id = record.get_path(&["info", "id"]);
        thread.id = id.and_then(JsonNode::as_text).map(Cow::into_owned);
        thread.model = model_of_call(&messages);
        push_live_messages(&mut thread, at, &messages);
        self.thread = Some(thread);
        Ok(())
    }

    fn into_threads(self: Box<Self>, _: &[&[u8]]) -> Vec<JournalThread> {
        self.thread
            .map(JournalThread::into_only_thread)
            .unwrap_or_default()
    }
}

/// Returns the model that answers next: that of the newest message of the user, else the one that
/// answered last.
fn model_of_call(messages: &[JsonNode<'_>]) -> Option<String> {
    let name = |provider: Option<Cow<'_, str>>, model: Option<Cow<'_, str>>| {
        Some(format!("{}/{}", provider?, model?))
    };
    let mut infos = messages.iter().rev().filter_map(|node| node.get("info"));
    let asked = infos
        .find(|info| info.has_text("role", "user"))
        .and_then(|info| {
            let model = info.get("model")?;
            name(
                model.get("providerID")?.as_text(),
                model.get("modelID")?.as_text(),
            )
        });
    asked.or_else(|| {
        let mut answers = messages.iter().rev();
        answers.find_map(|answer| {
            name(
                info_text(*answer, "providerID"),
                info_text(*answer, "modelID"),
            )
        })
    })
}

/// Appends the messages that OpenCode sends, in their order. The others are noted as left out.
fn push_live_messages(thread: &mut JournalThread, at: usize, messages: &[JsonNode<'_>]) {
    let live = live_messages(messages);
    let compactions = completed_compactions(messages);
    let questions: HashSet<usize> = compactions.iter().map(|found| found.question).collect();
    let answers: HashSet<usize> = compactions.iter().map(|found| found.answer).collect();
    // Usage before the last attempt at a summary is not compared again.
    let newest = live.iter().copied().max();
    let last_attempt = live
        .iter()
        .copied()
        .filter(|&index| ends_attempt(messages[index], newest == Some(index)))
        .max();
    let last_answer = compactions
        .last()
        .map(|found| found.answer)
        .max(last_attempt);
    let model = thread.model.clone().unwrap_or_default();
    let mut has_newer = false;
    for &index in &live {
        let message = messages[index];
        if last_answer.is_some_and(|answer| answer < index) && !has_newer {
            thread.begin_newer();
            has_newer = true;
        }
        if questions.contains(&index) {
            push_summary_question(thread, at, message);
        } else if answers.contains(&index) {
            push_summary(thread, at, message);
        } else {
            push_message(thread, at, message, &model);
        }
    }
    if last_answer.is_some() && !has_newer {
        thread.begin_newer();
    }
    for _ in live.len()..messages.len() {
        thread.note_left_out("messages before the last compaction".to_owned(), at);
    }
}

/// Returns true if a message ends an attempt at a summary: usage before it is not compared again.
/// One that was cut off waits as long as it is the newest message, and is tried again with the next
/// question.
fn ends_attempt(message: JsonNode<'_>, is_newest: bool) -> bool {
    is_finished_answer(message) || (is_newest && is_answer(message))
}

fn push_summary_question(thread: &mut JournalThread, at: usize, question: JsonNode<'_>) {
    let (place, words) = (
        EventPlace::new(at, question.span()),
        encode_literal(OPENCODE_QUESTION),
    );
    thread.push_said(ElementMark::Summary, place, "user", &words);
}

fn push_summary(thread: &mut JournalThread, at: usize, answer: JsonNode<'_>) {
    let blocks: Vec<Vec<u8>> = answer
        .items_of("parts")
        .filter_map(|part| render_text_part(part, "text"))
        .collect();
    thread.push_element(
        ElementMark::Summary,
        vec![EventPlace::new(at, answer.span())],
        &message_of_blocks("assistant", &blocks),
    );
}
