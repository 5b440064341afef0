//! The stream of `droid exec --output-format stream-json`: init, messages, calls, results and the
//! completion. The stream is a report, from which no session can be resumed.

use crate::error::RecordError;
use crate::format::dialects::OPENAI;
use crate::format::journal::{ElementMark, EventPlace, JournalReader, JournalThread};
use crate::format::logs::chat_elements::{
    ChatAnswer, render_chat_call, render_chat_element, render_chat_result,
};
use crate::format::row::*;
use crate::format::tree::JsonNode;
use crate::json::JsonKind;
use crate::transcript::journal::WriteMode;

#[rustfmt::skip]
pub(in crate::format) const DROID_STREAM: LogRow = LogRow {
    name: "droid-stream",
    help: "the stream of `droid exec --output-format stream-json`: system/init, message, tool_call, tool_result, completion",
    evidence: &[
        event(WHY, &[is("type", "system"), all("session_id|reasoning_effort")]),
        event(WHY, &[is("type", "message"), all("role|text")]),
        event(WHY, &[is("type", "reasoning"), all("text|session_id")]),
        event(WHY, &[is("type", "tool_call"), all("toolName|parameters")]),
        event(WHY, &[is("type", "tool_result"), all("isError|messageId")]),
        event(WHY, &[is("type", "completion"), all("finalText|session_id")]),
        // Before it names its effort, the first line is the one of a stream of Claude Code.
        fits("a system line of subtype init", &[is("type", "system"), is("subtype", "init"), has("session_id")]),
    ],
    reads: Reads::Own(|| Box::new(DroidStreamReader::default())),
};

const WHY: &str = "a message with text, or a call with toolName";

/// An answer that grows event by event.
#[derive(Default)]
struct DroidAnswer {
    answer: ChatAnswer,
    places: Vec<EventPlace>,
}

/// A stream, read event by event.
#[derive(Default)]
struct DroidStreamReader {
    id: Option<String>,
    model: Option<String>,
    answer: DroidAnswer,
    /// The elements of the document, and the events that they come from.
    elements: Vec<(Vec<u8>, Vec<EventPlace>)>,
}

impl JournalReader for DroidStreamReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<(), RecordError> {
        let place = EventPlace::new(at, record.span());
        self.id = self
            .id
            .take()
            .or_else(|| record.non_empty_text("session_id"));
        match record.get("type").and_then(JsonNode::as_text).as_deref() {
            Some("system") => {
                self.model = record.non_empty_text("model").or(self.model.take());
            }
            Some("message") => self.observe_message(record, place)?,
            Some("reasoning") => {
                let text = record
                    .literal_bytes("text")
                    .ok_or_else(|| record.missing_key("text"))?;
                self.close_answer();
                self.answer.answer.reasoning = Some(text.to_vec());
                self.answer.places.push(place);
            }
            Some("tool_call") => {
                let parameters = record.get("parameters");
                self.answer.answer.calls.push(render_chat_call(
                    record.bytes_or_null("id"),
                    record.bytes_or_null("toolName"),
                    parameters.map_or(b"{}".as_slice(), JsonNode::bytes),
                ));
                self.answer.places.push(place);
            }
            Some("tool_result") => {
                let mut value = ["value", "error"].iter().filter_map(|key| record.get(key));
                let value = value
                    .next_back()
                    .ok_or_else(|| record.missing_key("value"))?;
                self.close_answer();
                let id = record.bytes_or_null("id");
                let result = render_chat_result(id, value.bytes(), record.has_true("isError"));
                self.elements.push((result, vec![place]));
            }
            _ => {}
        }
        Ok(())
    }

    fn into_threads(mut self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread> {
        self.close_answer();
        let last = records.len().saturating_sub(1);
        let mut thread = JournalThread::new(OPENAI, "messages", WriteMode::Nowhere, last);
        (thread.id, thread.model) = (self.id, self.model);
        for (json, places) in self.elements {
            thread.push_element(ElementMark::Message, places, &[&json]);
        }
        thread.into_only_thread()
    }
}

impl DroidStreamReader {
    fn observe_message(
        &mut self,
        message: JsonNode<'_>,
        place: EventPlace,
    ) -> Result<(), RecordError> {
        let text = message
            .get("text")
            .ok_or_else(|| message.missing_key("text"))?
            .must_be(JsonKind::String, "text")?;
        if message.has_text("role", "assistant") {
            let answer = &self.answer.answer;
            if answer.content.is_some() || !answer.calls.is_empty() {
                self.close_answer();
            }
            self.answer.answer.content = Some(text.bytes().to_vec());
            self.answer.places.push(place);
        } else {
            self.close_answer();
            let element = render_chat_element("user", text.bytes());
            self.elements.push((element, vec![place]));
        }
        Ok(())
    }

    /// Ends the answer that grows, if there is any.
    fn close_answer(&mut self) {
        let DroidAnswer { answer, places } = std::mem::take(&mut self.answer);
        if !places.is_empty() {
            self.elements.push((answer.render(), places));
        }
    }
}
