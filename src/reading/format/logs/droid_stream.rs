//! The stream of `droid exec --output-format stream-json`: init, messages, calls, results and the
//! completion. The stream is a report, from which no session can be resumed.

use crate::reading::format::row::prelude::*;

#[rustfmt::skip]
pub(crate) const DROID_STREAM: LogRow = LogRow {
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

/// A stream, read event by event.
#[derive(Default)]
struct DroidStreamReader {
    id: Option<String>,
    model: Option<String>,
    answer: Option<MessageBuilder>,
    messages: Vec<MessageBuilder>,
}

impl JournalReader for DroidStreamReader {
    fn observe_record(&mut self, record: JsonNode<'_>) -> Result<()> {
        let place = record.place();
        at("session_id").first_into(&mut self.id, record);
        match record.get_text("type").as_deref() {
            Some("system") => {
                self.model = record.non_empty_text("model").or(self.model.take());
            }
            Some("message") => self.observe_message(record, place)?,
            Some("reasoning") => {
                let text = record.literal_bytes("text");
                let text = text.ok_or_else(|| record.missing_key("text"))?;
                self.end_answer();
                self.grow(place).set_reasoning(Some(text));
            }
            Some("tool_call") => {
                let parameters = record.get("parameters");
                self.grow(place).push_logged_call(
                    record.bytes_or_null("id"),
                    record.bytes_or_null("toolName"),
                    parameters.map_or(b"{}", JsonNode::bytes),
                );
            }
            Some("tool_result") => {
                let value = at("error|value").node(record);
                let value = value.ok_or_else(|| record.missing_key("value"))?;
                self.end_answer();
                let result = MessageBuilder::new_result(Some(record.bytes_or_null("id")));
                let mut result = result.with_output(value.bytes()).with_place(place);
                result.set_failed(record.has_true("isError"));
                self.messages.push(result);
            }
            _ => {}
        }
        Ok(())
    }

    fn into_threads(mut self: Box<Self>, _: &[&[u8]]) -> Vec<JournalThread> {
        self.end_answer();
        let mut thread = JournalThread::new_read_only(OPENAI);
        (thread.id, thread.model) = (self.id, self.model);
        for message in self.messages {
            message.push_whole(&mut thread);
        }
        thread.into_only_thread()
    }
}

impl DroidStreamReader {
    fn observe_message(&mut self, message: JsonNode<'_>, place: EventPlace) -> Result<()> {
        let text = message.need_kind("text", JsonKind::String)?;
        let is_answer = message.has_text("role", "assistant");
        let is_next = |answer: &MessageBuilder| answer.has_content() || answer.has_calls();
        if !is_answer || self.answer.as_ref().is_some_and(is_next) {
            self.end_answer();
        }
        if is_answer {
            let answer = self.grow(place);
            *answer = std::mem::replace(answer, MessageBuilder::new("assistant"))
                .with_content(text.bytes());
        } else {
            let user = MessageBuilder::new("user").with_content(text.bytes());
            self.messages.push(user.with_place(place));
        }
        Ok(())
    }

    /// Returns the answer that grows, with a place of the event.
    fn grow(&mut self, place: EventPlace) -> &mut MessageBuilder {
        let new = || MessageBuilder::new("assistant");
        let answer = self.answer.get_or_insert_with(new);
        answer.add_place(place);
        answer
    }

    /// Ends the answer that grows, if there is any.
    fn end_answer(&mut self) {
        self.messages.extend(self.answer.take());
    }
}
