//! Transcripts of Antigravity (`~/.gemini/antigravity*/brain/*/.system_generated/logs`): one step a
//! line. What the user says and what the model answers are steps of their own types; every other
//! step of the model is the result of a call, which has no id.

use crate::reading::format::row::prelude::*;
use std::collections::VecDeque;

#[rustfmt::skip]
pub(crate) const ANTIGRAVITY: LogRow = LogRow {
    name: "antigravity",
    help: "Antigravity transcripts (transcript.jsonl, transcript_full.jsonl): {\"step_index\", \"source\", \"type\", \"content\"}, one step a line",
    evidence: &[
        event("a step_index beside a source and a type", &[all("step_index|source|type")]),
    ],
    reads: Reads::Own(AntigravityReader::boxed),
};

/// A transcript, read step by step.
struct AntigravityReader {
    thread: JournalThread,
    /// The literals of the ids of calls without a result, the oldest first.
    open_calls: VecDeque<Vec<u8>>,
}

impl AntigravityReader {
    fn boxed() -> Box<dyn JournalReader> {
        Box::new(Self { thread: JournalThread::new_read_only(OPENAI), open_calls: VecDeque::new() })
    }
}

impl JournalReader for AntigravityReader {
    fn observe_record(&mut self, step: JsonNode<'_>) -> Result<()> {
        let place = step.place();
        if step.has_text("type", "USER_INPUT") {
            let content =
                step.get("content").ok_or_else(|| unknown_content_error(step, "a step"))?;
            self.open_calls.clear();
            let mut element = MessageBuilder::new("user").with_place(place);
            element.push_value(content);
            element.push_onto(&mut self.thread);
        } else if step.has_text("type", "PLANNER_RESPONSE") {
            self.push_answer(step, place);
        } else {
            self.push_told(step, place);
        }
        Ok(())
    }

    fn into_threads(self: Box<Self>, _: &[&[u8]]) -> Vec<JournalThread> {
        self.thread.into_only_thread()
    }
}

impl AntigravityReader {
    /// Appends an answer. Its calls are named after the step.
    fn push_answer(&mut self, step: JsonNode<'_>, place: EventPlace) {
        self.open_calls.clear();
        let mut element = MessageBuilder::new("assistant").with_place(place);
        if let Some(thinking) = step.literal_bytes("thinking") {
            element.push_reasoning(thinking);
        }
        if let Some(content) = step.get("content") {
            element.push_value(content);
        }
        let index = step.get("step_index").and_then(JsonNode::as_u64);
        for (number, call) in step.items_of("tool_calls").enumerate() {
            let id = format!("\"step-{}-{number}\"", index.unwrap_or_default()).into_bytes();
            let name = call.literal_or_empty("name");
            element.push_call(&id, name, call.get("args"));
            self.open_calls.push_back(id);
        }
        element.push_if_said(&mut self.thread);
    }

    /// Appends what the model is told by others than the user: the result of the oldest call
    /// without one, or a note of the program.
    fn push_told(&mut self, step: JsonNode<'_>, place: EventPlace) {
        let is_result = !step.has_text("source", "SYSTEM");
        let call = if is_result { self.open_calls.pop_front() } else { None };
        let mut element = match &call {
            Some(id) => MessageBuilder::new_result(Some(id)),
            None => MessageBuilder::new("user"),
        }
        .with_place(place);
        for key in ["content", "error"] {
            if let Some(text) = step.get(key) {
                element.push_value(text);
            }
        }
        element.set_failed(call.is_some() && step.has_text("status", "ERROR"));
        element.push_if_said(&mut self.thread);
    }
}
