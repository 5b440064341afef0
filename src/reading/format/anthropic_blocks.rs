//! Blocks and messages of Anthropic by the JSON of their parts, as logs of agents are rewritten.

use crate::reading::json::fill_json;
/// Renders a list of blocks that are rendered.
pub(crate) fn join_blocks(blocks: &[Vec<u8>]) -> Vec<u8> {
    fill_json("[$]", &[&blocks.join(b", ".as_slice())])
}

/// Renders a text by its literal.
pub(crate) fn text_block(literal: &[u8]) -> Vec<u8> {
    fill_json(r#"{"type": "text", "text": $}"#, &[literal])
}

/// Renders a call by the JSON of its parts.
pub(crate) fn call_block(id: &[u8], name: &[u8], input: &[u8]) -> Vec<u8> {
    fill_json(r#"{"type": "tool_use", "id": $, "name": $, "input": $}"#, &[id, name, input])
}

/// Renders a result by the JSON of its parts.
pub(crate) fn result_block(id: &[u8], content: &[u8], has_failed: bool) -> Vec<u8> {
    let failure: &[u8] = match has_failed {
        true => b", \"is_error\": true",
        false => b"",
    };
    fill_json(
        r#"{"type": "tool_result", "tool_use_id": $, "content": $$}"#,
        &[id, content, failure],
    )
}

/// Renders a message of this role by the JSON of its content.
pub(crate) fn chat_message(role: &str, content: &[u8]) -> Vec<u8> {
    fill_json(r#"{"role": "$", "content": $}"#, &[role.as_bytes(), content])
}

/// Renders a message of this role with blocks that are rendered.
pub(crate) fn message_of_blocks(role: &str, blocks: &[Vec<u8>]) -> Vec<u8> {
    chat_message(role, &join_blocks(blocks))
}
