//! Folds a text of several lines into a block of lines.

use super::clip::{CLIP_MARK, clip_line};
use super::fold::fold_line;
use super::frame::escape_heading;
use std::borrow::Cow;

/// Bytes by which breaking tags can lengthen a line.
const TAG_MARGIN: usize = 64;

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
        .filter(|line| line.chars().any(char::is_alphanumeric))
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

/// Marks the end of a block that has no room for its next line.
fn mark_end(written: String, room: usize) -> String {
    if written.len() + CLIP_MARK.len() <= room {
        written + CLIP_MARK
    } else {
        clip_line(&written, room.max(1)).map_or_else(|| written.clone(), Cow::into_owned)
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
