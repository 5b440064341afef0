//! Logs of a made-up program, Pier: `{"talk": [{"who": "me" | "pier", "said": ...}], "ship": ...}`.

use crate::reading::format::chat_row::{ChatEvidence, ChatList, ChatReads, ChatRow, MessageForm};
use crate::reading::format::prelude::*;

/// Logs of Pier.
pub(super) const PIER: ChatRow = ChatRow {
    name: "pier",
    help: "logs of Pier: {\"talk\": [{\"who\": ..., \"said\": ...}]}",
    told: ChatEvidence::Rows(&[conversation(
        "a list talk of objects with who and said",
        &[If::Of(at("talk.0"), &[all("who|said")])],
    )]),
    reads: ChatReads::List(&ChatList {
        thread: Some("ship"),
        list: "talk",
        alternates: false,
        read: read_message,
        ..ChatList::PLAIN
    }),
    message: MessageForm::Pattern(
        |role| {
            if role == Role::Assistant { "pier" } else { "me" }
        },
        r#"{$"who": "$", "said": $}"#,
    ),
    ..ChatRow::PLAIN
};

const ROLES: RoleNames = RoleNames("me=user|pier=assistant");

fn read_message(element: LocatedNode<'_>, messages: &mut Vec<Message>) -> Result<()> {
    let role = element.read_role("who", ROLES)?;
    // A list of blocks would be read as well: the closure says what kind a block is.
    let (content, content_span) = element.read_content("said", |_| BlockKind::Other)?;
    messages.push(Message { content, content_span, ..element.new_message(role) });
    Ok(())
}
