//! Blocks of Anthropic, as rows and functions write them.

use crate::reading::format::anthropic_blocks::join_blocks;
use crate::reading::format::row::at::Template;
use crate::reading::format::row::condition::{AskedNode, If};
use crate::reading::format::tree::JsonNode;

/// What a logged block becomes: the first that fits counts, and others stay as they are.
pub(crate) struct Block {
    pub(crate) when: &'static [If],
    pub(crate) becomes: BlockJson,
}

pub(crate) enum BlockJson {
    Filled(&'static Template),
    Own(fn(JsonNode<'_>) -> Vec<u8>),
}

pub(crate) fn render_block(rows: &[Block], block: JsonNode<'_>) -> Vec<u8> {
    let mut asked = AskedNode::new(block);
    match rows.iter().find(|row| asked.fulfils(row.when)) {
        None => block.bytes().to_vec(),
        Some(Block { becomes, .. }) => match becomes {
            BlockJson::Filled(json) => json.fill(block),
            BlockJson::Own(render) => render(block),
        },
    }
}

pub(crate) fn render_blocks<'t>(
    rows: &[Block],
    blocks: impl Iterator<Item = JsonNode<'t>>,
) -> Vec<u8> {
    let blocks: Vec<Vec<u8>> = blocks.map(|block| render_block(rows, block)).collect();
    join_blocks(&blocks)
}
