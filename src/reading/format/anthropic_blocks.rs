//! Blocks and messages of Anthropic by the JSON of their parts, as logs of agents are rewritten.

/// Renders a list of blocks that are rendered.
pub(in crate::reading::format) fn join_blocks(blocks: &[Vec<u8>]) -> Vec<u8> {
    [b"[".as_slice(), &blocks.join(b", ".as_slice()), b"]"].concat()
}

/// Renders a text by its literal.
pub(in crate::reading::format) fn text_block(literal: &[u8]) -> Vec<u8> {
    [b"{\"type\": \"text\", \"text\": ".as_slice(), literal, b"}"].concat()
}

/// Renders a call by the JSON of its parts.
pub(in crate::reading::format) fn call_block(id: &[u8], name: &[u8], input: &[u8]) -> Vec<u8> {
    [
        b"{\"type\": \"tool_use\", \"id\": ".as_slice(),
        id,
        b", \"name\": ",
        name,
        b", \"input\": ",
        input,
        b"}",
    ]
    .concat()
}

/// Renders a result by the JSON of its parts.
pub(in crate::reading::format) fn result_block(
    id: &[u8],
    content: &[u8],
    has_failed: bool,
) -> Vec<u8> {
    let failure: &[u8] = match has_failed {
        true => b", \"is_error\": true",
        false => b"",
    };
    [
        b"{\"type\": \"tool_result\", \"tool_use_id\": ".as_slice(),
        id,
        b", \"content\": ",
        content,
        failure,
        b"}",
    ]
    .concat()
}

/// Renders a message of this role with blocks that are rendered.
pub(in crate::reading::format) fn message_of_blocks(role: &str, blocks: &[Vec<u8>]) -> Vec<u8> {
    let role = format!("{{\"role\": \"{role}\", \"content\": ");
    [role.as_bytes(), &join_blocks(blocks), b"}"].concat()
}
