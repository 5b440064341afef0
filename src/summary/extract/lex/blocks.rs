//! Folds a text of several lines into a block of lines.

use super::clip::{CLIP_MARK, clip_line, floor_char, is_wide};
use super::fold::fold_line;
use super::frame::escape_heading;
use std::borrow::Cow;

/// Bytes by which breaking tags can lengthen a line.
const TAG_MARGIN: usize = 64;
/// Minimum room in bytes for both ends of a text.
const LEAST_ENDS: usize = 120;
/// Share of the room that the beginning of a text has, in hundredths.
const HEAD_SHARE: usize = 72;

/// Returns true for a mark before code. One that is closed in its line is prose.
pub(crate) fn is_fence(line: &str) -> bool {
    ["```", "~~~"].iter().any(|fence| {
        line.strip_prefix(fence)
            .is_some_and(|rest| !rest.trim_start_matches('`').contains('`'))
    })
}

/// A text folded into lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoldedBlock {
    pub(crate) text: String,
    /// No part of the text was left out.
    pub(crate) is_complete: bool,
}

/// Folds a text into lines of at most `room` bytes together, with `label` before the first line and
/// `indent` before the others. Lines stay separate, so that words of two lines never read as a
/// phrase. Empty lines are left out. Returns `None` if nothing fits.
pub(crate) fn fold_block(
    label: &str,
    indent: &str,
    text: &str,
    room: usize,
) -> Option<FoldedBlock> {
    let mut written = String::new();
    for line in text
        .lines()
        // Of the marks around code one could be cut off.
        .filter(|line| line.chars().any(char::is_alphanumeric) && !is_fence(line.trim_start()))
    {
        let start = if written.is_empty() { label } else { indent };
        let left = room.saturating_sub(written.len() + 1 + start.len());
        let folded = fold_line(line, left.saturating_add(TAG_MARGIN));
        let folded = if start.is_empty() {
            escape_heading(&folded)
        } else {
            Cow::Borrowed(folded.as_ref())
        };
        let Some(kept) = clip_line(&folded, left) else {
            return (!written.is_empty()).then(|| FoldedBlock {
                text: mark_end(written, room),
                is_complete: false,
            });
        };
        if !written.is_empty() {
            written.push('\n');
        }
        written.push_str(start);
        written.push_str(&kept);
        if kept.len() < folded.len()
            || folded.ends_with(CLIP_MARK) && !line.trim_end().ends_with(CLIP_MARK)
        {
            return Some(FoldedBlock {
                text: written,
                is_complete: false,
            });
        }
    }
    (!written.is_empty()).then_some(FoldedBlock {
        text: written,
        is_complete: true,
    })
}

/// Folds a text like `fold_block`. Of a longer text, leaves out the middle: the beginning says what
/// it is about, and the end what is wanted.
pub(crate) fn fold_block_ends(
    label: &str,
    indent: &str,
    text: &str,
    room: usize,
) -> Option<FoldedBlock> {
    // A long text is not folded twice.
    let head_room = if text.len() > 2 * room {
        room * HEAD_SHARE / 100
    } else {
        room
    };
    let block = fold_block(label, indent, text, head_room)?;
    if block.is_complete || room < LEAST_ENDS {
        return if head_room == room {
            Some(block)
        } else {
            fold_block(label, indent, text, room)
        };
    }
    let head = fold_block(label, indent, text, room * HEAD_SHARE / 100)?;
    let tail_room = room.saturating_sub(head.text.len() + 1);
    let tail = fold_block(indent, indent, tail_of(text, tail_room), tail_room)
        .filter(|tail| tail.is_complete);
    Some(FoldedBlock {
        text: match tail {
            Some(tail) => format!("{}\n{}", head.text, tail.text),
            None => head.text,
        },
        is_complete: false,
    })
}

/// Returns the end of a text, from a line, a sentence or a word on. Never begins in a quotation, whose
/// closing mark would open another.
pub(crate) fn tail_of(text: &str, room: usize) -> &str {
    let text = text.trim_end();
    let near = floor_char(text, text.len().saturating_sub(room * 4 / 5));
    if let Some(line) = text[near..].find('\n').filter(|at| *at < room / 2) {
        return &text[near + line..];
    }
    let line_start = text[..near].rfind('\n').map_or(0, |at| at + 1);
    let (mut quotes, mut ticks) = (0, 0);
    let mut first_word = None;
    let mut ends_sentence = false;
    for (at, c) in text[line_start..].char_indices() {
        match c {
            '"' => quotes += 1,
            '`' => ticks += 1,
            '\n' => (quotes, ticks) = (0, 0),
            _ => {}
        }
        let place = line_start + at;
        if place > near + room / 2 && first_word.is_some() {
            break;
        }
        if place >= near && (c.is_whitespace() || is_wide(c)) && quotes % 2 + ticks % 2 == 0 {
            if ends_sentence {
                return without_opening_marks(&text[place..]);
            }
            first_word.get_or_insert(place);
        }
        ends_sentence = matches!(c, '.' | '!' | '?' | '。' | '！' | '？');
    }
    first_word.map_or("", |place| without_opening_marks(&text[place..]))
}

/// Returns a text without the marks at its start that belong to what stood before it.
fn without_opening_marks(text: &str) -> &str {
    let marks = [',', ';', '，', '、', '；', '。', '：'];
    let start = text.trim_start();
    if start.starts_with(marks) {
        start.trim_start_matches(marks)
    } else {
        text
    }
}

/// Marks the end of a block that has no room for its next line.
fn mark_end(written: String, room: usize) -> String {
    if written.len() + CLIP_MARK.len() <= room {
        written + CLIP_MARK
    } else {
        // The mark takes the place of the last word.
        let shorter = room.min(written.len() - 1);
        clip_line(&written, shorter.max(1)).map_or_else(|| written.clone(), Cow::into_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete(text: &str) -> FoldedBlock {
        FoldedBlock {
            text: text.to_owned(),
            is_complete: true,
        }
    }

    fn clipped(text: &str) -> FoldedBlock {
        FoldedBlock {
            text: text.to_owned(),
            is_complete: false,
        }
    }

    #[test]
    fn the_middle_of_a_long_text_is_left_out() {
        let text = format!(
            "Fix the pump.\n{}\nNever push to main.",
            "It is an old story. ".repeat(40)
        );
        let block = fold_block_ends("> ", "  ", &text, 200).unwrap();
        assert!(
            block.text.starts_with("> Fix the pump.\n")
                && block.text.ends_with("Never push to main.")
                && block.text.len() <= 200
                && !block.is_complete,
            "{}",
            block.text
        );
        assert_eq!(
            fold_block_ends("> ", "  ", "short", 200),
            fold_block("> ", "  ", "short", 200)
        );
        for room in 0..300 {
            let text = fold_block_ends("> ", "  ", &text, room).map_or(0, |block| block.text.len());
            assert!(text <= room, "{room}");
        }
        assert!(tail_of("`a b` and \"c d\" are", 11).starts_with(" are"));
        let story = "It is so. That is all.";
        assert_eq!(tail_of(story, 20), " That is all.");
        assert_eq!(tail_of("It is so and it goes on", 10), " goes on");
        assert_eq!(
            tail_of("先写一个计划，然后安装好环境", 30),
            "然后安装好环境"
        );
    }

    #[test]
    fn a_block_keeps_its_lines() {
        assert_eq!(
            fold_block("> ", "  ", "a b\n\n  two `x\ny` three", 100).unwrap(),
            complete("> a b\n  two `x\n  y` three")
        );
        assert_eq!(
            fold_block("> ", "  ", "a b\ntwo three", 16).unwrap(),
            clipped("> a b\n  two …")
        );
        assert_eq!(fold_block("", "", "# a b", 100).unwrap().text, "\\# a b");
        assert_eq!(fold_block("> ", "  ", "-- \n", 100), None);
        for room in 0..60 {
            if let Some(FoldedBlock { text, .. }) =
                fold_block("> ", "  ", "six two\nthree </summary> four\nfive", room)
            {
                assert!(text.len() <= room, "{room}: {text}");
            }
        }
    }
}
