//! The JSON of summaries, and the splices that insert a summary into a message that stays.

use crate::reading::format::insertion::{SummaryInsertion, SummaryPlace};
use crate::reading::format::tree::JsonTree;
use crate::reading::transcript::prelude::*;
use crate::reading::transcript::summary_frame::SUMMARY_JOINT;

/// Renders the thread key and its value, followed by a comma: the first entry of a message that is
/// a record. Empty if the messages are elements of a list.
pub(super) fn render_thread_entry(place: &SummaryPlace<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    if let Some((key, value)) = place.thread_entry() {
        push_json(&mut out, "$: $, ", &[&encode_literal(key), value]);
    }
    out
}

/// Blocks of text, each with `$` for the literal: of a summary, and of the text that it precedes.
#[derive(Clone, Copy)]
pub(super) struct SummaryBlocks {
    pub summary: &'static str,
    pub text: &'static str,
}

/// Inserts a summary as the first block of the user message that follows it. `key` holds that
/// message's content; a string becomes a list of two blocks. Returns `None` if no user message follows, or if its content is neither a list
/// nor a string.
pub(super) fn place_in_user_message(
    place: &SummaryPlace<'_>,
    key: &str,
    text: &str,
    blocks: SummaryBlocks,
) -> Option<SummaryInsertion> {
    let message = place.user_that_follows()?;
    let element = message.span.slice(place.transcript.records[message.record].bytes);
    let tree = JsonTree::new(element).ok()?;
    let value = tree.root().get(key)?;
    let block = fill_json(blocks.summary, &[&encode_literal(text)]);
    let Span { start, end } = value.span();
    let splices = match value.kind() {
        JsonKind::Array => {
            let separator: &[u8] = match value.items().next() {
                Some(_) => b", ",
                None => b"",
            };
            let bytes = [&block, separator].concat();
            vec![insert_in(message, start + 1, bytes)]
        }
        JsonKind::String => {
            // The literal stays where it is; the block around it is written in two halves.
            let around = fill_json(blocks.text, &[b"\0"]);
            let middle = around.iter().position(|byte| *byte == 0)?;
            let before = fill_json("[$, $", &[block.as_slice(), &around[..middle]]);
            let after = fill_json("$]", &[&around[middle + 1..]]);
            vec![insert_in(message, start, before), insert_in(message, end, after)]
        }
        _ => return None,
    };
    Some(SummaryInsertion::from_splices(splices))
}

/// Returns the splices that insert `text` before the text of a string value, separated by
/// [`SUMMARY_JOINT`].
pub(super) fn prepend_text(
    transcript: &Transcript<'_>,
    message: &Message,
    key: &str,
    text: &str,
) -> Option<Vec<(usize, Splice)>> {
    let element = message.span.slice(transcript.records[message.record].bytes);
    let tree = JsonTree::new(element).ok()?;
    let first_char = tree.root().literal_at(key)?.start + 1;
    let literal = encode_literal(&format!("{text}{SUMMARY_JOINT}"));
    let bytes = literal[1..literal.len() - 1].to_vec();
    Some(vec![insert_in(message, first_char, bytes)])
}

/// Returns the splice that inserts bytes at an offset of a message's element.
pub(super) fn insert_in(message: &Message, offset: usize, bytes: Vec<u8>) -> (usize, Splice) {
    let at = message.span.start + offset;
    let span = Span { start: at, end: at };
    (message.record, Splice { span, bytes })
}
