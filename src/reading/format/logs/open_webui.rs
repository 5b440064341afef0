//! Chats that Open WebUI exports: messages in a tree (`history`), of which the path to `currentId`
//! is the conversation. Reasoning and calls are marked in the text of an answer, as the screen
//! shows them.

use crate::reading::format::logs::open_webui_marks::{AnswerPiece, answer_pieces};
use crate::reading::format::row::message_tree::MessageTree;
use crate::reading::format::row::prelude::*;

#[rustfmt::skip]
pub(crate) const OPEN_WEBUI: LogRow = LogRow {
    name: "open-webui",
    help: "Open WebUI exports: {\"chat\": {\"history\": {\"messages\", \"currentId\"}}}, a list or one a line; the path to currentId",
    evidence: &[conversation("a history with messages and currentId", &[
        If::First(&[If::Of(at("chat.history|history"), &[kind("messages", OBJECT), has("currentId")])]),
    ])],
    reads: Reads::Conversations(&ConversationRow {
        messages: Messages::Found(current_path),
        message: &MESSAGE,
        id: ID,
        model: &[Model::OfLastMessage(at("model")), Model::OfConversation(at("chat.models.0|models.0"))],
        read: &["chat", "history", "system"],
        ..ConversationRow::PLAIN
    }),
};

const ID: Id = Id::Text(at("id|chat.id"));

#[rustfmt::skip]
const MESSAGE: MessageRow = message(
    by("role", &[("system", Who::System), ("user", Who::User), ("assistant", Who::Assistant)]),
    &[
        RowStep::NeedText(&[has("content")], "a message"),
        each("files", &[RowStep::When(&[is("type", "image"), kind("url", TEXT)], &[image("url")])]),
        RowStep::Must(at("content"), JsonKind::String, "content"),
        RowStep::Case(&[
            // Newer chats hold the items of an answer beside what the screen shows.
            when(&[If::Some(at("output"), &[is("type", "message|function_call")])], &[
                RowStep::Own(keep_shown),
                each("output", &[RowStep::Case(ITEMS)]),
                RowStep::Quiet,
            ]),
            otherwise(&[RowStep::Own(push_content)]),
        ]),
    ],
);

/// The items of an answer.
#[rustfmt::skip]
const ITEMS: &[Case] = &[
    when(&[is("type", "reasoning")], &[
        RowStep::AfterCalls,
        each("content", &[thought("text")]),
        each("summary", &[thought("text")]),
    ]),
    when(&[is("type", "message")], &[RowStep::AfterCalls, each("content", &[text("text")])]),
    when(&[is("type", "function_call")], &[call("call_id|id", "name", "arguments")]),
    when(&[is("type", "function_call_output")], &[RowStep::Behind(&OUTPUT)]),
    otherwise(&[RowStep::Block]),
];
const OUTPUT: MessageRow = result("call_id", &[text("output"), each("output", &[text("text")])]);

/// Keeps what the screen shows of an answer: its words are those of the items.
fn keep_shown(writer: &mut MessageWriter<'_, '_>, message: JsonNode<'_>) -> Result<()> {
    writer.element.keep_spelling(at("content").literal_or_empty(message));
    Ok(())
}

fn current_path<'t>(thread: &mut JournalThread, export: JsonNode<'t>) -> Result<Vec<JsonNode<'t>>> {
    let chat = export.get_kind("chat", JsonKind::Object).unwrap_or(export);
    let history = chat.need_at("history", "chat.history")?;
    let messages = history
        .need_at("messages", "chat.history.messages")?
        .must_be(JsonKind::Object, "chat.history.messages")?;
    let last = history
        .non_empty_text("currentId")
        .ok_or_else(|| history.missing_key("chat.history.currentId"))?;
    let path = branch(thread, &MessageTree::from_object(messages, "parentId"), &last)?;
    let mut prompts = at("system|params.system").nodes(chat);
    if let Some(prompt) = prompts.find(|prompt| prompt.as_non_empty_text().is_some()) {
        let mut element = MessageBuilder::new("system").with_place(prompt.place());
        element.push_string(prompt);
        element.push_onto(thread);
    }
    if export.has_key("chat") {
        thread.id = ID.of(export);
        // The list of messages is a copy of the path.
        note_other_keys(thread, chat, &["history", "system", "messages"]);
    }
    Ok(path)
}

fn push_content(writer: &mut MessageWriter<'_, '_>, message: JsonNode<'_>) -> Result<()> {
    let literal = at("content").literal_or_empty(message);
    let text = decode_literal(literal);
    let pieces = match message.has_text("role", "assistant") && text.contains("<details ") {
        true => answer_pieces(&text),
        false => Vec::new(),
    };
    let is_text = |piece: &AnswerPiece<'_>| matches!(piece, AnswerPiece::Text(_));
    if pieces.iter().all(is_text) {
        writer.element.push_text(literal);
        return Ok(());
    }
    writer.element.keep_spelling(literal);
    for piece in pieces {
        push_piece(writer, piece)?;
    }
    writer.take_steps(&[RowStep::Quiet], message)
}

/// Adds a piece of an answer. What follows a call follows its result.
fn push_piece(writer: &mut MessageWriter<'_, '_>, piece: AnswerPiece<'_>) -> Result<()> {
    if writer.element.has_calls() && !matches!(piece, AnswerPiece::Call(_)) {
        writer.end();
    }
    match piece {
        AnswerPiece::Text(text) => writer.element.push_text(&encode_literal(text)),
        AnswerPiece::Reasoning(text) => writer.element.push_reasoning(&encode_literal(text)),
        AnswerPiece::Call(call) => {
            let (id, name) = (encode_literal(&call.id), encode_literal(&call.name));
            let arguments = encode_literal(&call.arguments);
            writer.element.push_call_json(&id, &name, &arguments);
            if let Some(text) = call.result {
                let result = MessageBuilder::new_result(Some(&id));
                let mut result = result.with_place(writer.place);
                result.push_text(&encode_literal(&text));
                writer.results.push(result);
            }
        }
    }
    Ok(())
}
