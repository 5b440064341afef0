//! Exports of OpenCode: `{"info", "messages": [{"info", "parts": […]}]}`. A call and its result are
//! one part. A compaction is a question of the user with a `compaction` part and the answer to it;
//! the model sees these two, then the tail that was kept, then the messages that followed. See
//! `docs/reference/opencode.md`.

use crate::error::RecordError;
use crate::format::dialects::ANTHROPIC;
use crate::format::insertion::SummaryPlace;
use crate::format::journal::{
    CompactionFinder, CompactionSpan, ElementMark, EventPlace, Journal, JournalReader,
    JournalThread,
};
use crate::format::opencode_compaction::{append_compaction, mark_result_cleared};
use crate::format::opencode_messages::{is_question, is_summary, push_message, render_text_part};
use crate::format::recognition::{Recognition, Shape};
use crate::format::tree::JsonNode;
use crate::json::{JsonKind, encode_literal};
use crate::transcript::Transcript;
use crate::transcript::journal::WriteMode;
use crate::transcript::splice::Splice;
use crate::transcript::summary_frame::OPENCODE_QUESTION;
use std::borrow::Cow;
use std::collections::HashMap;

/// Exported sessions of OpenCode.
pub(super) struct OpenCodeJournal;

const WRITE_MODE: WriteMode = WriteMode::Appended {
    asked: true,
    clears: true,
};

impl Journal for OpenCodeJournal {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn help_line(&self) -> &'static str {
        "`opencode export`: {\"info\": ..., \"messages\": [{\"info\": ..., \"parts\": [...]}]}; what its last compaction left"
    }

    fn write_mode(&self) -> WriteMode {
        WRITE_MODE
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let first = record.items_of("messages").next()?;
        let has_role = first.get("info").is_some_and(|info| info.has_key("role"));
        (first.has_key("parts") && has_role)
            .then(|| Recognition::by_envelope(Shape::Conversation, "messages of info and parts"))
    }

    fn new_reader(&self) -> Box<dyn JournalReader> {
        Box::new(OpenCodeReader { thread: None })
    }

    fn new_compaction_finder(&self) -> Box<dyn CompactionFinder> {
        Box::new(OpenCodeCompactions)
    }

    fn append_summary(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        text: &str,
    ) -> Vec<(usize, Splice)> {
        append_compaction(transcript, place, text).unwrap_or_default()
    }

    fn mark_cleared(&self, transcript: &Transcript<'_>, index: usize) -> Vec<(usize, Splice)> {
        mark_result_cleared(transcript, index).into_iter().collect()
    }
}

/// The search for compactions: questions that were answered by a summary.
struct OpenCodeCompactions;

impl CompactionFinder for OpenCodeCompactions {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>, spans: &mut Vec<CompactionSpan>) {
        let messages: Vec<JsonNode<'_>> = record.items_of("messages").collect();
        let questions = CompactionQuestions::new(&messages);
        let mut end = messages.len();
        let mut found = Vec::new();
        while let Some(LastCompaction { question, answer }) =
            questions.last_answered(&messages[..end])
        {
            let (first, last) = (messages[question], messages[answer]);
            found.push(CompactionSpan::of_objects(at, first, last));
            end = question;
        }
        spans.extend(found.into_iter().rev());
    }
}

/// An export; its one record is the session.
struct OpenCodeReader {
    thread: Option<JournalThread>,
}

impl JournalReader for OpenCodeReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<(), RecordError> {
        let list = record
            .get("messages")
            .ok_or_else(|| record.missing_key("messages"))?
            .must_be(JsonKind::Array, "messages")?;
        let messages: Vec<JsonNode<'_>> = list.items().collect();
        let mut thread = JournalThread::new(ANTHROPIC, "messages", WRITE_MODE, at);
        let id = record.get_path(&["info", "id"]);
        thread.id = id.and_then(JsonNode::as_text).map(Cow::into_owned);
        thread.model = messages.iter().rev().find_map(|message| {
            let provider = info_text(*message, "providerID")?;
            let model = info_text(*message, "modelID")?;
            Some(format!("{provider}/{model}"))
        });
        let mut live = messages.as_slice();
        if let Some(compaction) = CompactionQuestions::new(&messages).last_answered(&messages) {
            push_compaction(&mut thread, at, &messages, compaction);
            live = &messages[compaction.question + 1..];
        }
        for message in live {
            push_message(&mut thread, at, *message);
        }
        self.thread = Some(thread);
        Ok(())
    }

    fn into_threads(self: Box<Self>, _: &[&[u8]]) -> Vec<JournalThread> {
        self.thread
            .map(JournalThread::into_only_thread)
            .unwrap_or_default()
    }
}

fn info_text<'t>(message: JsonNode<'t>, key: &str) -> Option<Cow<'t, str>> {
    message.get_path(&["info", key])?.as_text()
}

/// The last question that was answered by a summary.
#[derive(Clone, Copy)]
struct LastCompaction {
    /// Index of the question.
    question: usize,
    /// Index of the answer.
    answer: usize,
}

/// The questions of the compactions of a session.
struct CompactionQuestions<'t> {
    /// Their indices, in order, by the ids of the questions.
    by_id: HashMap<Cow<'t, str>, Vec<usize>>,
}

impl<'t> CompactionQuestions<'t> {
    fn new(messages: &[JsonNode<'t>]) -> Self {
        let mut by_id: HashMap<_, Vec<usize>> = HashMap::new();
        for (index, message) in messages.iter().enumerate() {
            if is_question(*message)
                && let Some(id) = info_text(*message, "id")
            {
                by_id.entry(id).or_default().push(index);
            }
        }
        Self { by_id }
    }

    /// Returns the last question that a summary among the first messages answers.
    fn last_answered(&self, messages: &[JsonNode<'_>]) -> Option<LastCompaction> {
        if self.by_id.is_empty() {
            return None;
        }
        let answers = (0..messages.len())
            .rev()
            .filter(|&index| is_summary(messages[index]));
        answers.into_iter().find_map(|answer| {
            let parent = info_text(messages[answer], "parentID")?;
            let questions = self.by_id.get(&parent)?;
            let before = questions.partition_point(|&question| question < answer);
            let question = *questions[..before].last()?;
            Some(LastCompaction { question, answer })
        })
    }
}

/// Appends the messages of a compaction and the tail that it kept.
fn push_compaction(
    thread: &mut JournalThread,
    at: usize,
    messages: &[JsonNode<'_>],
    compaction: LastCompaction,
) {
    let LastCompaction { question, answer } = compaction;
    thread.push_element(
        ElementMark::Summary,
        vec![EventPlace::new(at, messages[question].span())],
        &[
            b"{\"role\": \"user\", \"content\": ",
            &encode_literal(OPENCODE_QUESTION),
            b"}",
        ],
    );
    let blocks: Vec<Vec<u8>> = messages[answer]
        .items_of("parts")
        .filter_map(|part| render_text_part(part, "text"))
        .collect();
    thread.push_element(
        ElementMark::Summary,
        vec![EventPlace::new(at, messages[answer].span())],
        &[
            b"{\"role\": \"assistant\", \"content\": [",
            &blocks.join(b", ".as_slice()),
            b"]}",
        ],
    );
    let tail_id = messages[question]
        .items_of("parts")
        .find_map(|part| part.get("tail_start_id")?.as_text());
    let tail = tail_id.and_then(|id| {
        messages[..question]
            .iter()
            .position(|message| info_text(*message, "id").as_ref() == Some(&id))
    });
    let hidden = tail.unwrap_or(question);
    for message in &messages[hidden..question] {
        push_message(thread, at, *message);
    }
    for _ in 0..hidden {
        thread.note_left_out("messages before the last compaction".to_owned(), at);
    }
}
