//! Chats that Open WebUI exports: messages in a tree (`history`), of which the path to `currentId`
//! is the conversation. Reasoning and calls are marked in the text of an answer, as the screen
//! shows them.

use crate::error::RecordError;
use crate::format::dialects::OPENAI;
use crate::format::journal::{EventPlace, JournalThread};
use crate::format::located_node::unknown_role_reason;
use crate::format::logs::open_webui_marks::{AnswerPiece, answer_pieces};
use crate::format::message_builder::{MessageBuilder, note_other_keys, unknown_content_error};
use crate::format::row::message_tree::MessageTree;
use crate::format::row::*;
use crate::format::tree::JsonNode;
use crate::json::{JsonKind, decode_literal, encode_literal};

/// Exports of Open WebUI.
pub(in crate::format) const OPEN_WEBUI: LogRow = LogRow {
    name: "open-webui",
    help: "Open WebUI exports: {\"chat\": {\"history\": {\"messages\", \"currentId\"}}}, a list or one a line; the path to currentId",
    evidence: &[conversation(
        "a history with messages and currentId",
        &[If::First(&[If::Of(
            at("chat.history|history"),
            &[kind("messages", OBJECT), has("currentId")],
        )])],
    )],
    reads: Reads::Built(None, build_thread),
};

const ROLES: [&str; 3] = ["system", "user", "assistant"];
/// The beginning of a mark in an answer.
const MARK: &str = "<details ";

/// Returns the chat of an export, which may stand by itself.
fn chat_of(export: JsonNode<'_>) -> JsonNode<'_> {
    export.get_kind("chat", JsonKind::Object).unwrap_or(export)
}

fn build_thread(export: JsonNode<'_>, at: usize) -> Result<JournalThread, RecordError> {
    let chat = chat_of(export);
    let history = chat
        .get("history")
        .ok_or_else(|| chat.missing_key("chat.history"))?;
    let messages = history
        .get("messages")
        .ok_or_else(|| history.missing_key("chat.history.messages"))?
        .must_be(JsonKind::Object, "chat.history.messages")?;
    let last = history
        .non_empty_text("currentId")
        .ok_or_else(|| history.missing_key("chat.history.currentId"))?;
    let tree = MessageTree::from_object(messages, "parentId");
    let path = tree.path_to(&last)?;
    let mut thread = JournalThread::new_excerpt(OPENAI, "messages", at);
    let prompts = [chat.get("system"), chat.get_path(&["params", "system"])];
    let mut prompts = prompts.into_iter().flatten();
    if let Some(prompt) = prompts.find(|prompt| prompt.as_non_empty_text().is_some()) {
        let mut element =
            MessageBuilder::new("system").with_place(EventPlace::new(at, prompt.span()));
        element.push_string(prompt);
        element.push_onto(&mut thread);
    }
    for message in &path {
        if let Err(error) = push_message(&mut thread, *message, at) {
            thread.unread.push((at, error));
        }
    }
    for _ in tree.others(&path) {
        thread.note_left_out("messages of other branches".to_owned(), at);
    }
    thread.id = export
        .non_empty_text("id")
        .or_else(|| chat.non_empty_text("id"));
    let models = path.iter().rev();
    let mut models = models.filter_map(|message| message.non_empty_text("model"));
    let first = chat.items_of("models").next();
    thread.model = models.next().or_else(|| first?.as_non_empty_text());
    note_other_keys(&mut thread, at, export, &["chat", "history", "system"]);
    // The list of messages is a copy of the path.
    let read = ["history", "system", "messages"];
    if export.has_key("chat") {
        note_other_keys(&mut thread, at, chat, &read);
    }
    Ok(thread)
}

fn push_message(
    thread: &mut JournalThread,
    message: JsonNode<'_>,
    at: usize,
) -> Result<(), RecordError> {
    let role = message.get("role").and_then(JsonNode::as_text);
    let role = role.unwrap_or_default();
    let Some(role) = ROLES.iter().find(|known| **known == role) else {
        let reason = unknown_role_reason("role", &role, &ROLES);
        return Err(RecordError::at(message.span().start, reason));
    };
    let content = message
        .get("content")
        .ok_or_else(|| unknown_content_error(message, "a message"))?;
    let place = EventPlace::new(at, message.span());
    let mut element = MessageBuilder::new(role).with_place(place);
    for file in message.items_of("files") {
        let is_image = file.has_text("type", "image");
        if let Some(url) = file.literal_bytes("url").filter(|_| is_image) {
            element.push_image(url);
        }
    }
    let literal = content.must_be(JsonKind::String, "content")?.bytes();
    let text = decode_literal(literal);
    let pieces = match *role {
        "assistant" if text.contains(MARK) => answer_pieces(&text),
        _ => Vec::new(),
    };
    if pieces
        .iter()
        .all(|piece| matches!(piece, AnswerPiece::Text(_)))
    {
        element.push_text(literal);
        element.push_onto(thread);
    } else {
        element.keep_spelling(literal);
        push_pieces(thread, element, pieces, place);
    }
    Ok(())
}

/// Appends the pieces of an answer. What follows a call follows its result.
fn push_pieces(
    thread: &mut JournalThread,
    mut element: MessageBuilder,
    pieces: Vec<AnswerPiece<'_>>,
    place: EventPlace,
) {
    let mut results: Vec<MessageBuilder> = Vec::new();
    for piece in pieces {
        if element.has_calls() && !matches!(piece, AnswerPiece::Call(_)) {
            let next = MessageBuilder::new("assistant").with_place(place);
            std::mem::replace(&mut element, next).push_if_said(thread);
            for result in results.drain(..) {
                result.push_onto(thread);
            }
        }
        match piece {
            AnswerPiece::Text(text) => element.push_text(&encode_literal(text)),
            AnswerPiece::Reasoning(text) => element.push_reasoning(&encode_literal(text)),
            AnswerPiece::Call(call) => {
                let id = encode_literal(&call.id);
                element.push_call_json(
                    &id,
                    &encode_literal(&call.name),
                    &encode_literal(&call.arguments),
                );
                if let Some(text) = call.result {
                    let mut result = MessageBuilder::new_result(Some(&id)).with_place(place);
                    result.push_text(&encode_literal(&text));
                    results.push(result);
                }
            }
        }
    }
    element.push_if_said(thread);
    for result in results {
        result.push_onto(thread);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::row::rendered;

    #[test]
    fn reasoning_in_the_text_is_kept_apart() {
        let chat = r#"{"id": "c", "chat": {"history": {"currentId": "b", "messages": {
            "a": {"id": "a", "parentId": null, "role": "user", "content": "Why?"},
            "b": {"id": "b", "parentId": "a", "role": "assistant", "content": "<details type=\"reasoning\" done=\"true\">\n<summary>Thought</summary>\n> Look.\n</details>\nHot.", "model": "m"}}}}}"#;
        assert_eq!(
            rendered(&OPEN_WEBUI, chat),
            [
                r#"{"role": "user", "content": "Why?"}"#,
                r#"{"role": "assistant", "content": [{"type": "reasoning", "text": "> Look."}, {"type": "text", "text": "Hot."}], "logged_as": ["<details type=\"reasoning\" done=\"true\">\n<summary>Thought</summary>\n> Look.\n</details>\nHot."]}"#,
            ]
        );
    }
}
