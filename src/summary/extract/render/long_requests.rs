//! Shortens a long request: its beginning says what it is about, its end what is wanted, and of its
//! middle the sentences with a wish or a limit stay.

use crate::summary::extract::ablation::SummaryRule;
use crate::summary::extract::lex::blocks::{FoldedBlock, fold_block, fold_block_ends, tail_of};
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lexicon::speech_words::CONSTRAINT_WORDS;
use std::sync::LazyLock;

/// Minimum room in bytes in which wishes have a part of their own.
const LEAST_FOR_WISHES: usize = 400;
/// The room of the beginning, and the most that the wishes have, in hundredths.
const HEAD_SHARE: usize = 45;
const WISHES_SHARE: usize = 35;
/// Minimum and maximum length in bytes of a wish.
const LEAST_WISH: usize = 14;
const LONGEST_WISH: usize = 200;
/// Maximum number of bytes of a request that are searched for wishes.
const LONGEST_READ: usize = 16 * 1024;
/// Number of bytes at the start of a wish by which it is known again.
const KNOWN_LENGTH: usize = 40;
/// The mark around code.
const FENCE: &str = "```";

/// Searches for the words of a wish.
pub(super) static WISHES: LazyLock<PhraseSearch> =
    LazyLock::new(|| PhraseSearch::new(&[CONSTRAINT_WORDS]));

/// Folds a request into lines of at most `room` bytes together, with `label` before the first line
/// and `indent` before the others. Returns `None` if nothing fits.
pub(super) fn fold_request(
    label: &str,
    indent: &str,
    text: &str,
    room: usize,
) -> Option<FoldedBlock> {
    let block = fold_block_ends(label, indent, text, room)?;
    if block.is_complete || room < LEAST_FOR_WISHES || SummaryRule::LongRequests.is_off() {
        return Some(block);
    }
    let head = fold_block(label, indent, text, room * HEAD_SHARE / 100)?.text;
    let mut wishes = String::new();
    for wish in wishes_of(text) {
        let known = wish.get(..KNOWN_LENGTH).unwrap_or(wish);
        let line = fold_line(wish, LONGEST_WISH);
        if head.contains(known) || wishes.contains(known) {
            continue;
        }
        if wishes.len() + indent.len() + line.len() + 1 > room * WISHES_SHARE / 100 {
            break;
        }
        wishes.push('\n');
        wishes.push_str(indent);
        wishes.push_str(&line);
    }
    if wishes.is_empty() {
        return Some(block);
    }
    let left = room.saturating_sub(head.len() + wishes.len() + 1);
    let end = tail_of(text, left);
    let tail = fold_block(indent, indent, end, left)
        .filter(|tail| tail.is_complete && !ends_with_line(&wishes, &tail.text));
    let tail = tail.map_or_else(String::new, |tail| format!("\n{}", tail.text));
    Some(FoldedBlock {
        text: head + &wishes + &tail,
        is_complete: false,
    })
}

/// Returns true if the last line of a text begins a block.
fn ends_with_line(text: &str, block: &str) -> bool {
    let last = text.rsplit('\n').next().unwrap_or_default();
    block.lines().any(|line| line == last)
}

/// Returns the sentences of a request that hold a wish or a limit, without those in code.
fn wishes_of(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    let lines = text
        .get(..LONGEST_READ)
        .unwrap_or(text)
        .lines()
        .filter(move |line| {
            let is_fence = line.trim_start().starts_with(FENCE);
            is_code ^= is_fence;
            !is_code && !is_fence
        });
    lines.flat_map(sentences_of).map(str::trim).filter(|wish| {
        (LEAST_WISH..=LONGEST_WISH).contains(&wish.len())
            && !wish.contains(['{', '}', ';', '='])
            && !wish.starts_with('>')
            && WISHES.has_words(wish)
    })
}

/// Splits a line into sentences. A short line, like the item of a list, stays whole.
fn sentences_of(line: &str) -> impl Iterator<Item = &str> {
    let end = if line.len() <= LONGEST_WISH {
        "\n"
    } else {
        ". "
    };
    line.split_inclusive(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wishes_in_the_middle_stay() {
        let story = "It is an old story of the pump. ".repeat(20);
        let text = format!(
            "Fix the pump.\n{story}\n- Never push to main.\n- See the log.\n{story}\nThat is all of it."
        );
        let block = fold_request("", "", &text, 500).unwrap();
        assert!(
            block.text.starts_with("Fix the pump.\n")
                && block.text.contains("\n- Never push to main.\n")
                && block.text.ends_with("That is all of it.")
                && !block.text.contains("See the log")
                && block.text.len() <= 500
                && !block.is_complete,
            "{}",
            block.text
        );
        for room in 0..900 {
            let length = fold_request("> ", "  ", &text, room).map_or(0, |block| block.text.len());
            assert!(length <= room, "{room}");
        }
    }

    #[test]
    fn code_holds_no_wishes() {
        let text = "Do it.\n```\nonly_if(never) do not do this at all here\n```\nmust = {\"never\": 1, \"only\": 2};";
        assert_eq!(wishes_of(text).count(), 0);
    }
}
