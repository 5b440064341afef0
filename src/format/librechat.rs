//! Conversations that LibreChat exports: messages that name their parents, or hold their children.
//! The conversation is the branch of the last message.

use crate::error::RecordError;
use crate::format::dialects::OPENAI;
use crate::format::export_reader::ExportReader;
use crate::format::journal::{EventPlace, Journal, JournalReader, JournalThread};
use crate::format::message_builder::{MessageBuilder, note_other_keys, unknown_content_error};
use crate::format::message_tree::MessageTree;
use crate::format::recognition::{Recognition, Shape};
use crate::format::tree::JsonNode;
use crate::json::JsonKind;
use crate::transcript::journal::WriteMode;

/// Exports of LibreChat.
pub(super) struct LibreChatJournal;

/// Keys of the messages: a list, or a tree of messages that hold their children.
const LIST_KEYS: [&str; 2] = ["messages", "messagesTree"];

/// Keys of a message that are read.
const MESSAGE_KEYS: [&str; 6] = [
    "messageId",
    "parentMessageId",
    "isCreatedByUser",
    "text",
    "content",
    "children",
];

impl Journal for LibreChatJournal {
    fn name(&self) -> &'static str {
        "librechat"
    }

    fn help_line(&self) -> &'static str {
        "LibreChat exports: {\"conversationId\", \"messages\": [{\"messageId\", \"parentMessageId\", \"isCreatedByUser\"}]}; the last branch"
    }

    fn write_mode(&self) -> WriteMode {
        WriteMode::Nowhere
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let conversation = record.items().next().unwrap_or(record);
        let first = message_list(conversation)?.items().next()?;
        (first.has_key("messageId") && first.has_key("isCreatedByUser")).then(|| {
            let why = "messages with messageId and isCreatedByUser";
            Recognition::by_envelope(Shape::Conversation, why)
        })
    }

    fn new_reader(&self) -> Box<dyn JournalReader> {
        ExportReader::of_elements(build_thread)
    }
}

fn message_list(conversation: JsonNode<'_>) -> Option<JsonNode<'_>> {
    let mut keys = LIST_KEYS.iter();
    keys.find_map(|key| conversation.get_kind(key, JsonKind::Array))
}

fn build_thread(conversation: JsonNode<'_>, at: usize) -> Result<JournalThread, RecordError> {
    let list = message_list(conversation).ok_or_else(|| conversation.missing_key("messages"))?;
    let mut all = Vec::new();
    add_messages(&mut all, list);
    let last = last_message(list);
    let last = last
        .and_then(|message| message.non_empty_text("messageId"))
        .ok_or_else(|| list.missing_key("messageId of the last message"))?;
    let tree = MessageTree::from_list(all.into_iter(), "messageId", "parentMessageId");
    let path = tree.path_to(&last)?;
    let mut thread = JournalThread::new_excerpt(OPENAI, "messages", at);
    for message in &path {
        if let Err(error) = push_message(&mut thread, *message, at) {
            thread.unread.push((at, error));
        }
    }
    for _ in tree.others(&path) {
        thread.note_left_out("messages of other branches".to_owned(), at);
    }
    thread.id = conversation.non_empty_text("conversationId");
    let models = path.iter().rev();
    let mut models = models.filter_map(|message| message.non_empty_text("model"));
    let options = conversation.get_path(&["options", "model"]);
    thread.model = models.next().or_else(|| options?.as_non_empty_text());
    note_other_keys(&mut thread, at, conversation, &LIST_KEYS);
    Ok(thread)
}

/// Adds the messages of a list with all their children.
fn add_messages<'t>(all: &mut Vec<JsonNode<'t>>, list: JsonNode<'t>) {
    for message in list.items() {
        all.push(message);
        if let Some(children) = message.get_kind("children", JsonKind::Array) {
            add_messages(all, children);
        }
    }
}

/// Returns the last message of a list, or the last below it.
fn last_message(list: JsonNode<'_>) -> Option<JsonNode<'_>> {
    let last = list.items().next_back()?;
    let children = last.get_kind("children", JsonKind::Array);
    Some(children.and_then(last_message).unwrap_or(last))
}

fn push_message(
    thread: &mut JournalThread,
    message: JsonNode<'_>,
    at: usize,
) -> Result<(), RecordError> {
    // A message that holds its children is longer than itself; its id stands for its place.
    let has_children = message.items_of("children").next().is_some();
    let id = message.get("messageId").filter(|_| has_children);
    let place = EventPlace::new(at, id.unwrap_or(message).span());
    let is_user = message.has_true("isCreatedByUser");
    let role = if is_user { "user" } else { "assistant" };
    let mut element = MessageBuilder::new(role).with_place(place);
    if let Some(id) = id {
        element.keep_spelling(id.bytes());
        note_other_keys(thread, at, message, &MESSAGE_KEYS);
    }
    let elements = thread.len();
    let parts = message.get_kind("content", JsonKind::Array);
    let has_parts = parts.is_some_and(|parts| parts.items().next().is_some());
    let mut results = Vec::new();
    for part in parts.into_iter().flat_map(JsonNode::items) {
        // What follows a call follows its result.
        if element.has_calls() && !part.has_text("type", "tool_call") {
            let next = MessageBuilder::new(role).with_place(place);
            std::mem::replace(&mut element, next).push_onto(thread);
            for result in std::mem::take(&mut results) {
                MessageBuilder::push_onto(result, thread);
            }
        }
        let is_known = push_part(&mut element, &mut results, part, place);
        // Elsewhere they are found in the message when it is converted.
        if !is_known && has_children {
            thread.note_left_out("parts of other types".to_owned(), at);
        }
    }
    match message.get("text") {
        Some(text) if !has_parts => {
            element.push_string(text);
        }
        None if !has_parts => return Err(unknown_content_error(message, "a message")),
        _ => {}
    }
    if thread.len() > elements {
        element.push_if_said(thread);
    } else {
        element.push_onto(thread);
    }
    for result in results {
        result.push_onto(thread);
    }
    Ok(())
}

/// Adds a part of an answer: a text, reasoning, or a call with its output. Returns false if its
/// type is not known.
fn push_part(
    element: &mut MessageBuilder,
    results: &mut Vec<MessageBuilder>,
    part: JsonNode<'_>,
    place: EventPlace,
) -> bool {
    // A text is a string, or an object with one.
    let text = |key: &str| {
        let value = part.get(key)?;
        value.get("value").unwrap_or(value).as_literal()
    };
    let bytes = part.record_bytes();
    match part.get("type").and_then(JsonNode::as_text).as_deref() {
        Some("text") => {
            if let Some(text) = text("text") {
                element.push_text(text.slice(bytes));
            }
        }
        Some("think") => {
            if let Some(text) = text("think") {
                element.push_reasoning(text.slice(bytes));
            }
        }
        Some("tool_call") => {
            let Some(call) = part.get("tool_call") else {
                return false;
            };
            let call_id = call.literal_bytes("id").unwrap_or(b"\"\"");
            let function = call.get("function").unwrap_or(call);
            element.push_call(
                call_id,
                function.literal_bytes("name").unwrap_or(b"\"\""),
                call.get("args").or_else(|| function.get("arguments")),
            );
            let output = call.get("output").or_else(|| function.get("output"));
            if let Some(output) = output.filter(|output| !output.is_kind(JsonKind::Null)) {
                let mut result = MessageBuilder::new_result(Some(call_id)).with_place(place);
                result.push_value(output);
                results.push(result);
            }
        }
        Some("image_url") => {
            if let Some(url) = part.get_path(&["image_url", "url"]) {
                element.push_image(url.bytes());
            }
        }
        Some("error") => {
            if let Some(text) = text("error") {
                element.push_text(text.slice(bytes));
            }
        }
        _ => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::export_reader::rendered_thread;

    #[test]
    fn outputs_stand_between_the_parts_of_an_answer() {
        let chat = r#"{"conversationId": "c", "messages": [
            {"messageId": "a", "parentMessageId": "00000000", "isCreatedByUser": true, "text": "Why?"},
            {"messageId": "x", "parentMessageId": "a", "isCreatedByUser": false, "text": "No."},
            {"messageId": "b", "parentMessageId": "a", "isCreatedByUser": false, "text": "", "content": [
                {"type": "think", "think": "Look."},
                {"type": "tool_call", "tool_call": {"id": "t", "name": "find", "args": "{\"q\": 1}", "output": "61 C"}},
                {"type": "text", "text": {"value": "Hot."}}]}]}"#;
        assert_eq!(
            rendered_thread(build_thread, chat),
            [
                r#"{"role": "user", "content": "Why?"}"#,
                r#"{"role": "assistant", "content": [{"type": "reasoning", "text": "Look."}], "tool_calls": [{"id": "t", "type": "function", "function": {"name": "find", "arguments": "{\"q\": 1}"}}]}"#,
                r#"{"role": "tool", "tool_call_id": "t", "content": "61 C"}"#,
                r#"{"role": "assistant", "content": "Hot."}"#,
            ]
        );
    }

    #[test]
    fn of_children_the_last_is_read() {
        let chat = r#"{"conversationId": "c", "messagesTree": [
            {"messageId": "a", "parentMessageId": "0", "isCreatedByUser": true, "text": "Why?", "children": [
                {"messageId": "x", "parentMessageId": "a", "isCreatedByUser": false, "text": "No.", "children": []},
                {"messageId": "b", "parentMessageId": "a", "isCreatedByUser": false, "text": "Hot.", "children": []}]}]}"#;
        let rendered = rendered_thread(build_thread, chat);
        assert_eq!(rendered.len(), 2);
        assert!(rendered[1].contains("Hot."));
    }
}
