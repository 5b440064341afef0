//! Chats of Aider, as its history in Markdown is read: messages of the user and the model, and what
//! Aider itself said, which the model did not see.

use crate::reading::format::row::prelude::*;

#[rustfmt::skip]
pub(crate) const AIDER: LogRow = LogRow {
    name: "aider",
    help: "Aider chat histories (.aider.chat.history.md): #### before lines of the user, > before Aider's own",
    evidence: &[conversation("a chat of Aider", &[kind("aider_chat", TEXT), kind("messages", LIST)])],
    reads: Reads::Conversations(&ConversationRow {
        message: &MESSAGE,
        id: Id::Text(at("aider_chat")),
        read: &["aider_chat", "messages"],
        ..ConversationRow::PLAIN
    }),
};

#[rustfmt::skip]
const MESSAGE: MessageRow = message(
    by("role", &[
        ("user", Who::User),
        ("assistant", Who::Assistant),
        ("aider", Who::Nobody("notes of Aider itself")),
    ]),
    &[
        RowStep::Need(&[has("content")], "content"),
        RowStep::Must(at("content"), JsonKind::String, "content"),
        text("content"),
    ],
);
