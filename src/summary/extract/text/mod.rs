//! Reading and shortening of text: lines, words and names. Nothing here knows what a conversation is.

pub(super) mod fixed;
pub(super) mod json;
pub(super) mod phrases;
pub(super) mod sentences;
pub(super) mod shape;
mod tokens;

pub(super) use json::{JsonValue, parse_json};
pub(super) use shape::NameKind;
pub(super) use tokens::{Token, TokenKind, visit_names, visit_tokens};

use shape::ends_run;
use std::borrow::Cow;

/// Marks a place where something was cut.
pub(crate) const CLIP_MARK: &str = "…";
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
pub(crate) fn fold_into(text: &str, out: &mut String) {
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
    let has_control = bytes
        .iter()
        .fold(false, |has, byte| has | (*byte < b' ') | (*byte == 0x7f));
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

/// A word or name, whatever its case. Two different texts have the same symbol only by chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Symbol(pub u64);

const LENGTH_FACTOR: u64 = 0xa5a3_564e_27f8_9d25;
const ONES: u64 = 0x0101_0101_0101_0101;

/// Returns the symbol of a text.
pub(crate) fn symbol_of(text: &str) -> Symbol {
    symbol_within(text.as_bytes(), 0, text.len())
}

/// Returns the symbol of a part of a text. The last bytes are read together with those behind them where
/// there are enough, which is faster than one by one.
pub(crate) fn symbol_within(bytes: &[u8], start: usize, end: usize) -> Symbol {
    let mut hash = ((end - start) as u64).wrapping_mul(LENGTH_FACTOR);
    let mut at = start;
    while end - at >= 8 {
        hash = mix(hash, lower_bytes(eight_bytes(bytes, at)));
        at += 8;
    }
    let left = end - at;
    let last = if at + 8 <= bytes.len() {
        eight_bytes(bytes, at) & ((1 << (8 * left)) - 1)
    } else {
        let rest = bytes[at..end].iter().rev();
        rest.fold(0, |number, byte| number << 8 | u64::from(*byte))
    };
    Symbol(mix(hash, lower_bytes(last)))
}

/// Returns the length and the symbol of the word at a place: fewer than eight lower-case letters, the
/// first of which may be a capital. Most words are such, and eight bytes are looked at together.
pub(crate) fn short_word(bytes: &[u8], at: usize) -> Option<(usize, Symbol)> {
    let eight = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>)?;
    let letters = u64::from_le_bytes(*eight) | u64::from(eight[0].is_ascii_uppercase()) << 5;
    let length = (!are_lower(letters) & (0x80 * ONES)).trailing_zeros() as usize / 8;
    if length == 0 || length == 8 || !ends_run(eight[length]) {
        return None;
    }
    let hash = (length as u64).wrapping_mul(LENGTH_FACTOR);
    let symbol = Symbol(mix(hash, letters & ((1 << (8 * length)) - 1)));
    Some((length, symbol))
}

/// Returns the highest bit of each byte that is one of `a` to `z`.
const fn are_lower(bytes: u64) -> u64 {
    let low = bytes & (0x7f * ONES);
    let from_a = low + (0x80 - b'a' as u64) * ONES;
    let past_z = low + (0x7f - b'z' as u64) * ONES;
    from_a & !past_z & !bytes & (0x80 * ONES)
}

fn eight_bytes(bytes: &[u8], at: usize) -> u64 {
    let eight = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>);
    eight.map_or(0, |eight| u64::from_le_bytes(*eight))
}

/// Mixes eight bytes into a hash by both halves of a long product: tables look at any of its bits.
const fn mix(hash: u64, bytes: u64) -> u64 {
    let product = (hash ^ bytes ^ 0x9e37_79b9_7f4a_7c15) as u128 * 0xd6e8_feb8_6659_fd93_u128;
    (product >> 64) as u64 ^ product as u64
}

/// Returns eight bytes with those of `A` to `Z` in lower case.
const fn lower_bytes(bytes: u64) -> u64 {
    let low = bytes & (0x7f * ONES);
    let from_a = low + (0x80 - b'A' as u64) * ONES;
    let past_z = low + (0x7f - b'Z' as u64) * ONES;
    let is_upper = from_a & !past_z & !bytes & (0x80 * ONES);
    bytes | (is_upper >> 2)
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

    #[test]
    fn the_place_of_a_text_makes_no_difference() {
        let text = "The QUICK_brown-fox.rs ran";
        for (start, end) in [(4, 9), (4, 22), (4, 12), (23, 26), (0, 0)] {
            let symbol = symbol_within(text.as_bytes(), start, end);
            assert_eq!(symbol, symbol_of(&text[start..end].to_lowercase()));
        }
        assert_ne!(symbol_of("ab"), symbol_of("ba"));
        for (word, length) in [(4, None), (10, None), (23, None), (0, Some(3))] {
            assert_eq!(short_word(text.as_bytes(), word).map(|word| word.0), length);
        }
        assert_eq!(short_word(text.as_bytes(), 0).unwrap().1, symbol_of("the"));
    }
}
