//! LLaMA-Factory v1: `{"messages": [{"role", "content": [{"type", "value"}], "loss_weight"}]}`.
//! Calls have no ids, and one tool message may answer several calls.

use crate::reading::format::chat_row::{
    ChatEvidence, ChatList, ChatReads, ChatRow, MessageForm, SummaryJoins,
};
use crate::reading::format::prelude::*;
use crate::reading::format::sharegpt_calls::calls_in_string;

/// Conversations of LLaMA-Factory v1.
pub(super) const LLAMA_FACTORY: ChatRow = ChatRow {
    name: "llamafactory",
    help: "LLaMA-Factory v1: {\"messages\": [{\"role\": ..., \"content\": [{\"type\": ..., \"value\": ...}]}]}",
    told: ChatEvidence::Rows(&[chat(
        "content blocks with type and value",
        &[If::Some(at("messages"), VALUE_MESSAGE)],
    )]),
    reads: ChatReads::List(&BLOCK_LIST),
    joins: SummaryJoins::Blocks("content"),
    message: MessageForm::Pattern(
        Role::name,
        r#"{$"role": "$", "content": [{"type": "text", "value": $}], "loss_weight": 0.0}"#,
    ),
    text_block: r#"{"type": "text", "value": $}"#,
    result: r#"[{"type": "text", "value": $}]"#,
    ..ChatRow::PLAIN
};

pub(super) const BLOCK_LIST: ChatList = ChatList {
    prompt: |_| None,
    tools: (at("tools"), TEXT_OR_LIST),
    read: read_messages,
    ..ChatList::PLAIN
};

const ROLES: RoleNames = RoleNames("user|assistant|tool|system");

const VALUE_MESSAGE: &[If] = &[has("role"), If::Some(at("content"), &[all("type|value")])];

/// Appends the messages that one logged message holds: an earlier summary is a separate message.
fn read_messages(element: LocatedNode<'_>, messages: &mut Vec<Message>) -> Result<()> {
    let role = element.read_role("role", ROLES)?;
    let calls_in = |block: JsonNode<'_>| {
        let is_call = block.has_text("type", "tool_call");
        is_call.then(|| read_calls(block))
    };
    let block_kind = |block: JsonNode<'_>| match block.get_text("type").as_deref() {
        Some("text") => BlockKind::Text(block.literal_at("value").unwrap_or_default()),
        Some("image_url" | "image") => BlockKind::Image,
        _ => BlockKind::Other,
    };
    let message = element.read_message(role, calls_in, block_kind)?;
    match role {
        Role::User => messages.extend(split_off_summary(element.node.record_bytes(), message)),
        _ => messages.push(message),
    }
    Ok(())
}

/// Reads the calls of a block. There is at least one: what cannot be read is an opaque call.
fn read_calls(block: JsonNode<'_>) -> Vec<ToolCall> {
    let mut calls = block
        .literal_at("value")
        .map_or_else(Vec::new, |literal| calls_in_string(block.record_bytes(), literal, None));
    match calls.len() {
        0 => calls.push(ToolCall { span: block.span(), ..ToolCall::default() }),
        1 => {}
        // Several calls in one block are never cut: the block is shown as an edit of one of them
        // leaves it.
        _ => calls.iter_mut().for_each(|call| call.valid = false),
    }
    calls
}
