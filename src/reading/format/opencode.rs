//! Exports of OpenCode: `{"info", "messages": [{"info", "parts": […]}]}`. A call and its result are
//! one part. A compaction is a question of the user with a `compaction` part and the answer to it;
//! the model sees these two, then the tail that was kept, then the messages that followed. See
//! `docs/reference/opencode.md`.

use crate::reading::format::opencode_compaction::{append_compaction, mark_result_cleared};
use crate::reading::format::opencode_live::{
    CompletedCompaction, OpenCodeQuestions, StoredMessages, is_answer, is_finished_answer,
    live_messages, since_last_compaction,
};
use crate::reading::format::opencode_messages::{push_message, render_text_part};
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
            || Box::new(OpenCodeReader::default()),
            |place, text| append_compaction(place, text).unwrap_or_default(),
        )
    }),
};

const WRITE_MODE: WriteMode = WriteMode::Appended { asked: true, clears: true, lists: false };

/// The search for compactions: questions that were answered by a summary.
struct OpenCodeCompactions;

impl CompactionFinder for OpenCodeCompactions {
    fn observe_record(&mut self, record: JsonNode<'_>, spans: &mut Vec<CompactionSpan>) {
        let Some(list) = record.get("messages") else {
            return;
        };
        let messages = StoredMessages::new(list);
        let mut questions = OpenCodeQuestions::default();
        for index in 0..messages.count {
            questions.look_at(messages.at(index), index);
        }
        let mut end = messages.count;
        let mut found = Vec::new();
        let answered = questions.answered(messages, 0..messages.count);
        for CompletedCompaction { question, answer } in answered.into_iter().rev() {
            if answer < end {
                let (first, last) = (messages.at(question), messages.at(answer));
                found.push(CompactionSpan::of_objects(first, last));
                end = question;
            }
        }
        spans.extend(found.into_iter().rev());
    }
}

/// An export; its one record is the session.
#[derive(Default)]
struct OpenCodeReader {
    questions: OpenCodeQuestions,
    models: OpenCodeModels,
    /// The number of messages that were looked at.
    looked_at: usize,
    thread: Option<JournalThread>,
}

impl JournalReader for OpenCodeReader {
    fn observe_record(&mut self, record: JsonNode<'_>) -> Result<()> {
        self.observe_beginning(record, usize::MAX)
    }

    fn observe_beginning(&mut self, record: JsonNode<'_>, byte: usize) -> Result<()> {
        let list = record.need_kind("messages", JsonKind::Array)?;
        let messages = StoredMessages::new(list).before(byte);
        let mut thread = JournalThread::new(ANTHROPIC, WRITE_MODE, record.record_index());
        let id = record.get_path(&["info", "id"]);
        thread.id = id.and_then(JsonNode::as_text).map(Cow::into_owned);
        for index in self.looked_at..messages.count {
            self.questions.look_at(messages.at(index), index);
            self.models.look_at(messages.at(index));
        }
        self.looked_at = messages.count;
        let OpenCodeModels { asked, answered } = &self.models;
        thread.model = asked.as_ref().or(answered.as_ref()).cloned();
        push_live_messages(&mut thread, record, messages, &self.questions);
        self.thread = Some(thread);
        Ok(())
    }

    fn threads_so_far(&mut self, _: &[&[u8]]) -> Vec<JournalThread> {
        let thread = self.thread.take();
        thread.map(JournalThread::into_only_thread).unwrap_or_default()
    }
}

/// The models of the messages that were looked at, each as `provider/name`.
#[derive(Default)]
struct OpenCodeModels {
    /// That of the newest message of the user.
    asked: Option<String>,
    /// The one that answered last.
    answered: Option<String>,
}

impl OpenCodeModels {
    fn look_at(&mut self, message: JsonNode<'_>) {
        let name = |node: JsonNode<'_>| {
            let text = |key| node.get(key)?.as_text();
            Some(format!("{}/{}", text("providerID")?, text("modelID")?))
        };
        let Some(info) = message.get("info") else {
            return;
        };
        if info.has_text("role", "user") {
            self.asked = info.get("model").and_then(name);
        }
        self.answered = name(info).or(self.answered.take());
    }
}

/// Appends the messages that OpenCode sends, in their order. The others are noted as left out.
fn push_live_messages(
    thread: &mut JournalThread,
    record: JsonNode<'_>,
    messages: StoredMessages<'_>,
    questions: &OpenCodeQuestions,
) {
    let since = since_last_compaction(messages);
    let oldest = since.first().copied().unwrap_or(0);
    let compactions = questions.answered(messages, oldest..messages.count);
    let live = live_messages(messages, since);
    let questions: HashSet<usize> = compactions.iter().map(|found| found.question).collect();
    let answers: HashSet<usize> = compactions.iter().map(|found| found.answer).collect();
    // Usage before the last attempt at a summary is not compared again.
    let newest = live.iter().copied().max();
    let last_attempt = live
        .iter()
        .copied()
        .filter(|&index| {
            // One that was cut off waits as long as it is the newest message, and is tried again
            // with the next question.
            let message = messages.at(index);
            is_finished_answer(message) || (newest == Some(index) && is_answer(message))
        })
        .max();
    let last_answer = compactions.last().map(|found| found.answer).max(last_attempt);
    let model = thread.model.clone().unwrap_or_default();
    let mut has_newer = false;
    for &index in &live {
        let message = messages.at(index);
        if last_answer.is_some_and(|answer| answer < index) && !has_newer {
            thread.begin_newer();
            has_newer = true;
        }
        if questions.contains(&index) {
            let words = encode_literal(OPENCODE_QUESTION);
            thread.push_said(ElementMark::Summary, message.place(), "user", &words);
        } else if answers.contains(&index) {
            push_summary(thread, message);
        } else {
            push_message(thread, message, &model);
        }
    }
    if last_answer.is_some() && !has_newer {
        thread.begin_newer();
    }
    let left_out = (messages.count - live.len()) as u64;
    let what = "messages before the last compaction";
    thread.note_all_left_out(what, record.record_index(), left_out);
}

fn push_summary(thread: &mut JournalThread, answer: JsonNode<'_>) {
    let blocks: Vec<Vec<u8>> =
        answer.items_of("parts").filter_map(|part| render_text_part(part, "text")).collect();
    let message = message_of_blocks("assistant", &blocks);
    thread.push_element(ElementMark::Summary, vec![answer.place()], &message);
}
