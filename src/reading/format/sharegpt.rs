//! ShareGPT: `{"conversations": [{"from", "value"}], "system", "tools"}` with its variants for
//! tools (`function_call`, `observation`), as LLaMA-Factory trains on it.
//!
//! Calls have no ids: a result answers the call right before it. Turns must alternate, so a summary
//! is inserted into the human turn that follows it.

use crate::reading::format::chat_row::{ChatEvidence, ChatReads, ChatRow};
use crate::reading::format::prelude::*;
use crate::reading::format::sharegpt_calls::thought_and_calls;
use crate::reading::format::sharegpt_turns::{ShareGptTurn, TURNS, read_turns};

pub(super) const SHAREGPT_CHAT: ChatRow = ChatRow {
    name: "sharegpt",
    help: "ShareGPT: {\"conversations\": [{\"from\": ..., \"value\": ...}], \"system\": ..., \"tools\": ...}, with function_call and observation",
    told: ChatEvidence::Rows(&[
        chat(
            "a list conversations of objects with from and value",
            &[If::Of(FIRST, &[all("from|value")])],
        ),
        chat(
            "a list conversations of objects with a role",
            &[If::Of(FIRST, &[has("role"), has("content|value")])],
        ),
    ]),
    reads: ChatReads::Own(|records, _| read_turns(records, &LISTS, read_turn)),
    ..TURNS
};

/// The keys under which a record may hold its list of turns.
const LISTS: [&str; 2] = ["conversations", "conversation"];

const FIRST: At = at("conversations.0|conversation.0");

const CALL_TAGS: [&str; 2] = ["function_call", "function"];

fn read_turn(bytes: &[u8], turn: ShareGptTurn<'_>, messages: &mut Vec<Message>) {
    let message = turn.to_message(turn.role);
    if turn.role == Role::User {
        return messages.extend(split_off_summary(bytes, message));
    }
    if !CALL_TAGS.contains(&turn.tag.as_ref()) {
        return messages.push(message);
    }
    let (thought, calls) = turn
        .value
        .as_literal()
        .map_or_else(Default::default, |literal| thought_and_calls(bytes, literal));
    messages.push(if calls.is_empty() {
        // A turn that cannot be parsed is an opaque call, so that its result stays with it.
        Message {
            calls: vec![ToolCall { span: turn.value.span(), ..ToolCall::default() }],
            ..message
        }
    } else {
        Message { calls, content: thought.map_or(Content::Absent, Content::Text), ..message }
    });
}
