//! Reading and shortening of text: lines, words and names. Nothing here knows what a conversation is.

pub(super) mod fixed;
pub(super) mod json;
pub(super) mod phrases;
pub(super) mod sentences;
pub(super) mod shape;
mod tokens;

pub(super) use fixed::{Symbol, symbol_of};
pub(super) use json::{JsonValue, parse_json};
pub(super) use shape::NameKind;
pub(super) use tokens::{Token, TokenKind, visit_names, visit_tokens};

use std::borrow::Cow;

/// Marks a place where something was cut.
const CLIP_MARK: &str = "…";
/// Stands for a line end within a line of a summary.
pub(crate) const LINE_END: &str = " ⏎ ";

/// Returns the greatest boundary of a character that is at most `at`.
pub(crate) fn floor_char(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Returns the least boundary of a character that is at least `at`.
pub(crate) fn ceil_char(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

/// Appends a text on one line: runs of white space become a blank. Control characters are left out.
fn fold_into(text: &str, out: &mut String) {
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if word.is_empty() {
            continue;
        }
        if !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
        out.push_str(word);
    }
}

/// Returns true if a text without white space at its ends is on one line already.
fn is_folded(text: &str) -> bool {
    let bytes = text.as_bytes();
    // Plain questions, which are asked of many bytes at once.
    let has_control = bytes.iter().fold(false, |has, byte| has | (*byte < b' ') | (*byte == 0x7f));
    if has_control || memchr::memmem::find(bytes, b"  ").is_some() {
        return false;
    }
    // Other white space and control characters are encoded in several bytes.
    text.is_ascii() || !text.chars().any(is_odd_blank)
}

fn is_odd_blank(c: char) -> bool {
    !c.is_ascii() && (c.is_whitespace() || c.is_control())
}

/// Returns a text on one line.
pub(crate) fn fold_line(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    if text.is_empty() || is_folded(text) {
        return Cow::Borrowed(text);
    }
    let mut line = String::with_capacity(text.len());
    fold_into(text, &mut line);
    Cow::Owned(line)
}

/// Returns the beginning of a line, of at most `room` bytes with the mark that it was cut. It is cut
/// between words if there is a blank in its second half.
pub(crate) fn clip_text(line: &str, room: usize) -> Cow<'_, str> {
    if line.len() <= room {
        return Cow::Borrowed(line);
    }
    let end = floor_char(line, room.saturating_sub(CLIP_MARK.len() + 1));
    let head = &line[..end];
    let cut = head.rfind(' ').filter(|&blank| blank * 2 > end);
    let head = head[..cut.unwrap_or(end)].trim_end();
    let joint = if cut.is_some() { " " } else { "" };
    Cow::Owned([head, joint, CLIP_MARK].concat())
}

/// The same of a text that may be owned.
pub(crate) fn clip_cow(text: Cow<'_, str>, room: usize) -> Cow<'_, str> {
    if text.len() <= room { text } else { Cow::Owned(clip_text(&text, room).into_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_folded() {
        assert_eq!(fold_line(" a\n\t b\u{7}c "), "a b c");
        assert!(matches!(fold_line("a b"), Cow::Borrowed("a b")));
        assert_eq!(fold_line("\u{3000}a\u{2028}b"), "a b");
    }

    #[test]
    fn a_line_is_cut_between_words() {
        assert_eq!(clip_text("one two three", 12), "one two …");
        assert_eq!(clip_text("abcdefghijkl", 8), "abcd…");
        assert_eq!(clip_text("short", 8), "short");
        assert_eq!(clip_text("äöüäöü", 7).len(), 5);
    }
}
