//! Parts of messages that go: content blocks that are dropped, and texts that are cut.

use crate::reading::transcript::prelude::*;
use serde::{Deserialize, Serialize};

/// Content blocks of a message that are dropped. All other blocks stay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DroppedBlocks {
    /// The index of the message.
    pub message: usize,
    /// The indices of the blocks within its content, in order.
    pub blocks: Vec<usize>,
}

impl DroppedBlocks {
    /// Returns true if block `index` is dropped.
    pub(crate) fn contains(&self, index: usize) -> bool {
        self.blocks.binary_search(&index).is_ok()
    }

    /// Returns the changes to the record of the message: each dropped block goes with one comma.
    pub(crate) fn splices(&self, message: &Message) -> Vec<Splice> {
        let blocks = message.content.blocks();
        let mut splices = Vec::new();
        for run in self.blocks.chunk_by(|index, next| index + 1 == *next) {
            let (Some(&first), Some(&last)) = (run.first(), run.last()) else {
                continue;
            };
            let span = match (blocks.get(last + 1), first.checked_sub(1)) {
                (Some(next), _) => Span { start: blocks[first].span.start, end: next.span.start },
                (None, Some(previous)) => {
                    Span { start: blocks[previous].span.end, end: blocks[last].span.end }
                }
                (None, None) => {
                    Span { start: blocks[first].span.start, end: blocks[last].span.end }
                }
            };
            splices.push(Splice { span, bytes: Vec::new() });
        }
        splices
    }

    /// Removes the blocks from a message that was read.
    pub(crate) fn remove_from(&self, message: &mut Message) {
        if let Content::Blocks(blocks) = &mut message.content {
            let mut index = 0;
            blocks.retain(|_| {
                index += 1;
                !self.contains(index - 1)
            });
        }
    }
}

/// Returns true if the blocks of a message are all elements of one list in `record`, so that any
/// of them can be taken out of it.
pub(crate) fn is_one_list(record: &[u8], message: &Message) -> bool {
    let blocks = message.content.blocks();
    let (Some(first), Some(last)) = (blocks.first(), blocks.last()) else {
        return false;
    };
    let before = record[..first.span.start].trim_ascii_end();
    let behind = record[last.span.end..].trim_ascii_start();
    before.ends_with(b"[")
        && behind.starts_with(b"]")
        && blocks.windows(2).all(|pair| {
            let between = record.get(pair[0].span.end..pair[1].span.start);
            between.is_some_and(|bytes| bytes.trim_ascii() == b",")
        })
}

/// Returns the blocks of a message that are objects and not calls, with their indices.
pub(crate) fn object_blocks(message: &Message) -> impl Iterator<Item = (usize, Span)> {
    let blocks = message.content.blocks().iter().enumerate();
    let others = blocks.filter(|(_, block)| !matches!(block.kind, BlockKind::Call(_)));
    others.map(|(index, block)| (index, block.span))
}

/// A message whose text is cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextCut {
    /// The index of the message.
    pub message: usize,
    /// What is left of its text.
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a list of one-letter blocks after those in `dropped` went.
    fn left_of(record: &str, dropped: &[usize]) -> String {
        let places = record.match_indices(|letter: char| letter.is_ascii_lowercase());
        let blocks = places.map(|(start, _)| MessageBlock {
            span: Span { start, end: start + 1 },
            kind: BlockKind::Other,
        });
        let whole = Span { start: 0, end: record.len() };
        let mut message = Message::new(0, whole, Role::Assistant);
        message.content = Content::Blocks(blocks.collect());
        assert!(is_one_list(record.as_bytes(), &message));
        let dropped = DroppedBlocks { message: 0, blocks: dropped.to_vec() };
        let mut out = Vec::new();
        apply_splices(record.as_bytes(), &mut dropped.splices(&message), &mut out);
        dropped.remove_from(&mut message);
        let left = String::from_utf8(out).unwrap();
        let letters = left.matches(|letter: char| letter.is_ascii_lowercase()).count();
        assert_eq!(message.content.blocks().len(), letters);
        left
    }

    #[test]
    fn blocks_go_with_one_comma_each() {
        for (record, dropped, left) in [
            ("[a, b, c]", &[0][..], "[b, c]"),
            ("[a, b, c]", &[1], "[a, c]"),
            ("[a, b ,c ]", &[2], "[a, b ]"),
            ("[a, b, c]", &[1, 2], "[a]"),
            ("[a,b,c,d]", &[0, 2], "[b,d]"),
            ("[a,b,c,d]", &[1, 3], "[a,c]"),
            ("[ a, b ]", &[0, 1], "[  ]"),
        ] {
            assert_eq!(left_of(record, dropped), left, "{record} without {dropped:?}");
        }
    }
}
