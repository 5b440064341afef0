//! Blocks of Anthropic, as rows and functions write them.

use crate::format::row::at::Template;
use crate::format::row::condition::{AskedNode, If};
use crate::format::tree::JsonNode;

/// What a logged block becomes: the first that fits counts, and others stay as they are.
pub(in crate::format) struct Block {
    pub(in crate::format) when: &'static [If],
    pub(in crate::format) becomes: BlockJson,
}

/// The JSON of a block.
pub(in crate::format) enum BlockJson {
    Filled(&'static Template),
    Own(fn(JsonNode<'_>) -> Vec<u8>),
}

/// Renders a block.
pub(in crate::format) fn render_block(rows: &[Block], block: JsonNode<'_>) -> Vec<u8> {
    let mut asked = AskedNode::new(block);
    match rows.iter().find(|row| asked.fulfils(row.when)) {
        None => block.bytes().to_vec(),
        Some(Block { becomes, .. }) => match becomes {
            BlockJson::Filled(json) => json.fill(block),
            BlockJson::Own(render) => render(block),
        },
    }
}

/// Renders a list of blocks.
pub(in crate::format) fn render_blocks<'t>(
    rows: &[Block],
    blocks: impl Iterator<Item = JsonNode<'t>>,
) -> Vec<u8> {
    let blocks: Vec<Vec<u8>> = blocks.map(|block| render_block(rows, block)).collect();
    join_blocks(&blocks)
}

/// Renders a list of blocks that are rendered.
pub(in crate::format) fn join_blocks(blocks: &[Vec<u8>]) -> Vec<u8> {
    [b"[".as_slice(), &blocks.join(b", ".as_slice()), b"]"].concat()
}

/// Renders a text by its literal.
pub(in crate::format) fn text_block(literal: &[u8]) -> Vec<u8> {
    [b"{\"type\": \"text\", \"text\": ".as_slice(), literal, b"}"].concat()
}

/// Renders a call by the JSON of its parts.
pub(in crate::format) fn call_block(id: &[u8], name: &[u8], input: &[u8]) -> Vec<u8> {
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
pub(in crate::format) fn result_block(id: &[u8], content: &[u8], has_failed: bool) -> Vec<u8> {
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
