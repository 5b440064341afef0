//! Places in a text where a secret may begin, and what is asked of the text there.

use std::ops::Range;

/// A keyword found in a text.
pub(super) struct KeywordHit<'t> {
    pub(super) text: &'t str,
    /// The byte range of the keyword.
    pub(super) keyword: Range<usize>,
}

impl<'t> KeywordHit<'t> {
    /// Returns the text behind the keyword.
    pub(super) fn behind(&self) -> &'t str {
        &self.text[self.keyword.end..]
    }

    /// Returns at most `max` bytes before the keyword.
    pub(super) fn before(&self, max: usize) -> &'t str {
        let start = self.text.floor_char_boundary(self.keyword.start.saturating_sub(max));
        &self.text[start..self.keyword.start]
    }

    /// Returns true if the keyword begins with a capital and goes on in lower case.
    pub(super) fn is_capitalized(&self) -> bool {
        let keyword = &self.text.as_bytes()[self.keyword.clone()];
        keyword[0].is_ascii_uppercase() && keyword[1..].iter().all(u8::is_ascii_lowercase)
    }

    /// Returns the byte range of a part of the text.
    pub(super) fn range_of(&self, part: &str) -> Range<usize> {
        let start = part.as_ptr() as usize - self.text.as_ptr() as usize;
        start..start + part.len()
    }
}

/// Returns true at the start of a word, or behind an escape of JSON in JSON or of a Python string.
pub(super) fn is_word_start(bytes: &[u8], at: usize) -> bool {
    let before = &bytes[..at];
    let Some(last) = before.last() else {
        return true;
    };
    !is_word_byte(*last) || ends_with_escape(before)
}

pub(super) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn ends_with_escape(before: &[u8]) -> bool {
    let is_hex = |length: usize, letter: u8| match before.len().checked_sub(length + 2) {
        Some(at) => {
            before[at..at + 2] == [b'\\', letter]
                && before[at + 2..].iter().all(u8::is_ascii_hexdigit)
        }
        None => false,
    };
    let [.., backslash, letter] = before else {
        return false;
    };
    (*backslash == b'\\' && b"nrtfbv".contains(letter)) || is_hex(4, b'u') || is_hex(2, b'x')
}

/// Returns the longest prefix of matching characters. Returns none if it is longer than `max`
/// bytes.
pub(super) fn bounded_prefix(
    text: &str,
    max: usize,
    is_part: impl Fn(char) -> bool,
) -> Option<&str> {
    let end = text
        .char_indices()
        .find(|&(at, c)| at > max || !is_part(c))
        .map_or(text.len(), |(at, _)| at);
    (end <= max).then(|| &text[..end])
}

/// Removes characters from the start, but at most `max`.
pub(super) fn skip_some(text: &str, max: usize, is_skipped: impl Fn(char) -> bool) -> &str {
    let end = text
        .char_indices()
        .enumerate()
        .find(|&(number, (_, c))| number >= max || !is_skipped(c))
        .map_or(text.len(), |(_, (at, _))| at);
    &text[end..]
}

/// Removes a prefix, whatever the case of its ASCII letters.
pub(super) fn strip_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let head = text.get(..word.len())?;
    head.eq_ignore_ascii_case(word).then(|| &text[word.len()..])
}
