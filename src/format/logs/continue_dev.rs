//! Sessions of Continue: a `history` of messages with what was attached to them (`contextItems`)
//! and the state of their calls. What a summary stands for is no part of the live conversation.

use crate::error::RecordError;
use crate::format::dialects::OPENAI;
use crate::format::journal::{ElementMark, EventPlace, JournalThread};
use crate::format::located_node::unknown_role_reason;
use crate::format::message_builder::{MessageBuilder, note_other_keys, unknown_content_error};
use crate::format::row::*;
use crate::format::tree::JsonNode;
use crate::json::JsonKind;
use std::collections::HashSet;

/// Sessions of Continue.
pub(in crate::format) const CONTINUE: LogRow = LogRow {
    name: "continue",
    help: "Continue sessions: {\"sessionId\", \"history\": [{\"message\": {\"role\", \"content\"}, \"contextItems\"}]}",
    evidence: &[conversation(
        "a history of messages with contextItems",
        &[If::First(&[If::Of(
            at("history.0"),
            &[has("message.role"), has("contextItems")],
        )])],
    )],
    reads: Reads::Built(None, build_thread),
};

const ROLES: [&str; 5] = ["system", "user", "assistant", "thinking", "tool"];
/// The key of a summary of all that is before, in the item that it was made at.
const SUMMARY: &str = "conversationSummary";

fn build_thread(session: JsonNode<'_>, at: usize) -> Result<JournalThread, RecordError> {
    let history = session
        .get("history")
        .ok_or_else(|| session.missing_key("history"))?
        .must_be(JsonKind::Array, "history")?;
    let items: Vec<JsonNode<'_>> = history.items().collect();
    let is_summarized = |item: &JsonNode<'_>| item.non_empty_text(SUMMARY).is_some();
    let summarized = items.iter().rposition(is_summarized);
    let start = summarized.map_or(0, |at| at + 1);
    let mut chat = ContinueSession {
        thread: JournalThread::new_excerpt(OPENAI, "messages", at),
        at,
        answered: items[start..].iter().filter_map(answered_call).collect(),
        reasoning: None,
    };
    if let Some(item) = summarized.map(|at| items[at]) {
        for _ in 0..start {
            let what = "messages that a summary stands for".to_owned();
            chat.thread.note_left_out(what, at);
        }
        let summary = item.get(SUMMARY).unwrap_or(item);
        let mut element =
            MessageBuilder::new("user").with_place(EventPlace::new(at, summary.span()));
        element.push_string(summary);
        element.mark = ElementMark::Summary;
        element.push_onto(&mut chat.thread);
    }
    for item in &items[start..] {
        if let Err(error) = chat.push_item(*item) {
            chat.thread.unread.push((at, error));
        }
    }
    chat.end_reasoning();
    let mut thread = chat.thread;
    thread.id = session.non_empty_text("sessionId");
    thread.model = session.non_empty_text("chatModelTitle");
    note_other_keys(&mut thread, at, session, &["sessionId", "history"]);
    Ok(thread)
}

/// Returns the literal of the id of the call that an item answers, if it is a result with a text.
fn answered_call(item: &JsonNode<'_>) -> Option<Vec<u8>> {
    let message = item.get("message")?;
    let id = message.literal_bytes("toolCallId")?;
    let has_text = message.non_empty_text("content").is_some();
    (message.has_text("role", "tool") && has_text).then(|| id.to_vec())
}

/// A session, built item by item.
struct ContinueSession {
    thread: JournalThread,
    at: usize,
    /// The literals of the ids of calls with results of their own. The state of other calls holds
    /// their output.
    answered: HashSet<Vec<u8>>,
    /// Reasoning that belongs to the next answer.
    reasoning: Option<MessageBuilder>,
}

impl ContinueSession {
    fn push_item(&mut self, item: JsonNode<'_>) -> Result<(), RecordError> {
        let message = item
            .get("message")
            .ok_or_else(|| item.missing_key("message"))?;
        let role = message.get("role").and_then(JsonNode::as_text);
        let role = role.unwrap_or_default();
        let Some(role) = ROLES.iter().find(|known| **known == role) else {
            let reason = unknown_role_reason("message.role", &role, &ROLES);
            return Err(RecordError::at(message.span().start, reason));
        };
        let content = message
            .get("content")
            .ok_or_else(|| unknown_content_error(message, "a message"))?;
        let place = EventPlace::new(self.at, item.span());
        let mut element = match *role {
            "tool" => MessageBuilder::new_result(message.literal_bytes("toolCallId")),
            "thinking" => MessageBuilder::new("assistant"),
            role => MessageBuilder::new(role),
        };
        element.add_place(place);
        if *role == "thinking" {
            if content.is_kind(JsonKind::String) {
                element.push_reasoning(content.bytes());
            }
            self.reasoning = Some(element);
            return Ok(());
        }
        if *role == "user" {
            push_context(&mut element, item);
        }
        if *role == "tool" {
            let id = message.literal_bytes("toolCallId").unwrap_or_default();
            // The state of the call holds the same output.
            if !self.answered.contains(id) {
                return Ok(());
            }
        }
        push_content(&mut element, content);
        if *role != "assistant" {
            self.end_reasoning();
            element.push_onto(&mut self.thread);
            return Ok(());
        }
        if let Some(text) = item.get_path(&["reasoning", "text"])
            && text.is_kind(JsonKind::String)
            && self.reasoning.is_none()
        {
            element.push_reasoning(text.bytes());
        }
        if let Some(reasoning) = self.reasoning.take() {
            element.prepend(reasoning);
        }
        for call in message.items_of("toolCalls") {
            let function = call.get("function").unwrap_or(call);
            element.push_call(
                call.literal_bytes("id").unwrap_or(b"\"\""),
                function.literal_bytes("name").unwrap_or(b"\"\""),
                function.get("arguments"),
            );
        }
        element.push_onto(&mut self.thread);
        self.push_outputs(item, place);
        Ok(())
    }

    /// Appends the outputs of calls that have no results of their own.
    fn push_outputs(&mut self, item: JsonNode<'_>, place: EventPlace) {
        let states = item.items_of("toolCallStates");
        for state in states.chain(item.get("toolCallState")) {
            let Some(id) = state.literal_bytes("toolCallId") else {
                continue;
            };
            if self.answered.contains(id) || !state.has_key("output") {
                continue;
            }
            let mut result = MessageBuilder::new_result(Some(id)).with_place(place);
            for output in state.items_of("output") {
                if let Some(content) = output.get("content") {
                    result.push_value(content);
                }
            }
            result.set_failed(state.has_text("status", "errored"));
            result.push_onto(&mut self.thread);
        }
    }

    fn end_reasoning(&mut self) {
        if let Some(reasoning) = self.reasoning.take() {
            reasoning.push_onto(&mut self.thread);
        }
    }
}

/// Adds what was attached to a message: it is sent before the words.
fn push_context(element: &mut MessageBuilder, item: JsonNode<'_>) {
    for context in item.items_of("contextItems") {
        if let Some(content) = context.literal_bytes("content") {
            element.push_text(content);
        }
    }
}

/// Adds a content: a text, or a list of texts and images.
fn push_content(element: &mut MessageBuilder, content: JsonNode<'_>) {
    element.push_string(content);
    for part in content.items() {
        if let Some(text) = part.literal_bytes("text") {
            element.push_text(text);
        } else if let Some(url) = part.get_path(&["imageUrl", "url"]) {
            element.push_image(url.bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::row::rendered;

    #[test]
    fn context_goes_before_the_words_and_outputs_behind_the_calls() {
        let session = r#"{"sessionId": "s", "history": [
            {"message": {"role": "user", "content": "Old."}, "contextItems": []},
            {"message": {"role": "assistant", "content": "Old, too."}, "contextItems": [], "conversationSummary": "They met."},
            {"message": {"role": "user", "content": [{"type": "text", "text": "Why?"}]}, "contextItems": [{"name": "a.txt", "content": "61 C"}]},
            {"message": {"role": "thinking", "content": "Look."}, "contextItems": []},
            {"message": {"role": "assistant", "content": "", "toolCalls": [{"id": "t", "type": "function", "function": {"name": "find", "arguments": "{}"}}]}, "contextItems": [], "toolCallStates": [{"toolCallId": "t", "status": "done", "output": [{"name": "find", "content": "oil"}]}]},
            {"message": {"role": "tool", "content": "", "toolCallId": "t"}, "contextItems": []}]}"#;
        assert_eq!(
            rendered(&CONTINUE, session),
            [
                r#"{"role": "user", "content": "They met."}"#,
                r#"{"role": "user", "content": [{"type": "text", "text": "61 C"}, {"type": "text", "text": "Why?"}]}"#,
                r#"{"role": "assistant", "content": [{"type": "reasoning", "text": "Look."}], "tool_calls": [{"id": "t", "type": "function", "function": {"name": "find", "arguments": "{}"}}]}"#,
                r#"{"role": "tool", "tool_call_id": "t", "content": "oil"}"#,
            ]
        );
    }
}
