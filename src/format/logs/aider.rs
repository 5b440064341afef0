//! Chats of Aider, as its history in Markdown is read: messages of the user and the model, and what
//! Aider itself said, which the model did not see.

use crate::format::row::*;
use crate::json::JsonKind;

#[rustfmt::skip]
pub(in crate::format) const AIDER: LogRow = LogRow {
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
        Step::Need(&[has("content")], "content"),
        Step::Must(at("content"), JsonKind::String, "content"),
        text("content"),
    ],
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::journal::{recognizes, tell_threads};

    #[test]
    fn what_aider_itself_says_is_left_out() {
        let chat = r#"{"aider_chat": "2026-03-02 09:00:00", "messages": [{"role": "user", "content": "Check it."}, {"role": "aider", "content": "Tokens: 2k sent."}, {"role": "assistant", "content": "It runs."}]}"#;
        assert!(recognizes(&AIDER, chat));
        let threads = tell_threads(&AIDER, chat);
        assert_eq!(threads[0].id.as_deref(), Some("2026-03-02 09:00:00"));
        assert_eq!(
            threads[0].messages,
            ["user: Check it.", "assistant: It runs."]
        );
    }
}
