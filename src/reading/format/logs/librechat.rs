//! Conversations that LibreChat exports: messages that name their parents, or hold their children.
//! The conversation is the branch of the last message.

use crate::reading::format::row::message_tree::MessageTree;
use crate::reading::format::row::prelude::*;

#[rustfmt::skip]
pub(crate) const LIBRECHAT: LogRow = LogRow {
    name: "librechat",
    help: "LibreChat exports: {\"conversationId\", \"messages\": [{\"messageId\", \"parentMessageId\", \"isCreatedByUser\"}]}; the last branch",
    evidence: &[conversation("messages with messageId and isCreatedByUser", &[
        If::First(&[If::Of(at("messages.0|messagesTree.0"), &[all("messageId|isCreatedByUser")])]),
    ])],
    reads: Reads::Conversations(&ConversationRow {
        messages: Messages::Found(last_branch),
        message: &MESSAGE,
        id: Id::Text(at("conversationId")),
        model: &[Model::OfLastMessage(at("model")), Model::OfConversation(at("options.model"))],
        read: &LIST_KEYS,
        ..ConversationRow::PLAIN
    }),
};

/// Keys of the messages: a list, or a tree of messages that hold their children.
const LIST_KEYS: [&str; 2] = ["messages", "messagesTree"];
/// Keys of a message that are read.
const MESSAGE_KEYS: [&str; 6] =
    ["messageId", "parentMessageId", "isCreatedByUser", "text", "content", "children"];

#[rustfmt::skip]
const MESSAGE: MessageRow = message(
    SpeakerRow::First(&[(&[truth("isCreatedByUser")], Who::User), (&[], Who::Assistant)]),
    &[
        RowStep::When(&[some("children")], &[RowStep::Own(place_by_id)]),
        each("content", &[RowStep::Case(PARTS)]),
        RowStep::When(&[If::Not(&[some("content")])], &[
            RowStep::NeedText(&[has("text")], "a message"),
            text("text"),
        ]),
        // Elsewhere they are found in the message when it is converted.
        RowStep::When(&[some("children")], &[each("content", &[RowStep::Case(&[
            when(&[is("type", "text|think|image_url|error")], &[]),
            when(&[is("type", "tool_call"), has("tool_call")], &[]),
            otherwise(&[RowStep::Note("parts of other types")]),
        ])])]),
    ],
);

/// Parts of an answer. A text is a string, or an object with one.
#[rustfmt::skip]
const PARTS: &[Case] = &[
    when(&[is("type", "tool_call")], &[inside("tool_call", &[
        call("id", "function.name|name", "args|function.arguments|arguments"),
        RowStep::When(&[kind(OUTPUT, FILLED)], &[RowStep::Behind(&result("id", &[value(OUTPUT)]))]),
    ])]),
    otherwise(&[RowStep::AfterCalls, RowStep::Case(&[
        when(&[is("type", "text")], &[text("text.value|text")]),
        when(&[is("type", "think")], &[thought("think.value|think")]),
        when(&[is("type", "image_url")], &[image("image_url.url")]),
        when(&[is("type", "error")], &[text("error.value|error")]),
    ])]),
];
const OUTPUT: &str = "output|function.output";

fn last_branch<'t>(
    thread: &mut JournalThread,
    conversation: JsonNode<'t>,
) -> Result<Vec<JsonNode<'t>>> {
    let mut keys = LIST_KEYS.iter();
    let list = keys.find_map(|key| conversation.get_kind(key, JsonKind::Array));
    let list = list.ok_or_else(|| conversation.missing_key("messages"))?;
    let mut all = Vec::new();
    add_messages(&mut all, list);
    let last = last_message(list);
    let last = last
        .and_then(|message| message.non_empty_text("messageId"))
        .ok_or_else(|| list.missing_key("messageId of the last message"))?;
    let tree = MessageTree::from_list(all.into_iter(), "messageId", "parentMessageId");
    branch(thread, &tree, &last)
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

/// Lets the id of a message stand for its place: with its children it is longer than itself.
fn place_by_id(writer: &mut MessageWriter<'_, '_>, message: JsonNode<'_>) -> Result<()> {
    if let Some(id) = message.get("messageId") {
        writer.place = id.place();
        writer.element = writer.element.new_alike(writer.place);
        writer.element.keep_spelling(id.bytes());
        note_other_keys(writer.thread, message, &MESSAGE_KEYS);
    }
    Ok(())
}
