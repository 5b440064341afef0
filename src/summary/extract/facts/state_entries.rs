//! Writes the entries of the final state within their room.

use super::closing_words::closing_part;
use crate::summary::extract::lex::blocks::{FoldedBlock, fold_block, fold_block_ends};
use crate::summary::extract::lex::clip::GAP_BEFORE;

/// Minimum length in bytes of a clipped entry without its label.
const LEAST_CLIPPED: usize = 20;
/// Minimum room in bytes for the beginning and the end of a reply.
const LEAST_FOR_ENDS: usize = 360;
/// Before the further lines of an entry.
const INDENT: &str = "  ";

/// Entries within the room that is left.
pub(super) struct EntryList {
    pub(super) lines: Vec<String>,
    /// Room that is left, in bytes.
    pub(super) left: usize,
}

impl EntryList {
    /// Adds an entry of at most `most` bytes, if a part that is worth its room fits.
    pub(super) fn push_entry(&mut self, label: &str, text: &str, most: usize) {
        self.push_block(label, fold_block(label, INDENT, text, most.min(self.left)));
    }

    /// Adds an entry like `push_entry`, of a long one its beginning and its end.
    pub(super) fn push_ends(&mut self, label: &str, text: &str, most: usize) {
        let room = most.min(self.left);
        if room < LEAST_FOR_ENDS {
            self.push_closing(label, text, most);
        } else {
            self.push_block(label, fold_block_ends(label, INDENT, text, room));
        }
    }

    /// Adds an entry like `push_entry`, of a long one what it comes to at its end.
    pub(super) fn push_closing(&mut self, label: &str, text: &str, most: usize) {
        let room = most.min(self.left);
        let text = text.trim();
        let closing = closing_part(
            text,
            room.saturating_sub(label.len() + GAP_BEFORE.len() + 1),
        );
        if closing.len() < text.len() {
            self.push_entry(label, &format!("{GAP_BEFORE}{closing}"), most);
        } else {
            self.push_entry(label, closing, most);
        }
    }

    fn push_block(&mut self, label: &str, block: Option<FoldedBlock>) {
        let Some(block) = block
            .filter(|block| block.is_complete || block.text.len() >= label.len() + LEAST_CLIPPED)
        else {
            return;
        };
        self.left = self.left.saturating_sub(block.text.len() + 1);
        self.lines.push(block.text);
    }
}
