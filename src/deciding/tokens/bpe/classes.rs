//! The classes of characters in the encodings' patterns.

use super::character::BLOCK_BITS;
pub(super) use super::character::{CASELESS, LINE_END, LOWER, MARK, NUMBER, SPACE, UPPER};

/// Any letter (L).
pub(super) const LETTER: u8 = UPPER | LOWER | CASELESS;

/// The index in [`BLOCKS`] of each block of code points.
static INDEX: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/classes.index"));
/// Classes by code point, of the distinct blocks. ASCII is in the first.
static BLOCKS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/classes.blocks"));

#[inline]
fn class_of_point(point: usize) -> u8 {
    let block = usize::from(INDEX.get(point >> BLOCK_BITS).copied().unwrap_or_default());
    BLOCKS[block << BLOCK_BITS | (point & ((1 << BLOCK_BITS) - 1))]
}

/// Text with access to the classes of its characters.
#[derive(Clone, Copy)]
pub(crate) struct Classified<'t> {
    /// UTF-8.
    pub(crate) bytes: &'t [u8],
}

impl<'t> Classified<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { bytes: text.as_bytes() }
    }

    /// Returns the class of the character at `at` and the offset of the next. Returns `None` at the
    /// end.
    #[inline(always)]
    pub(super) fn class_at(self, at: usize) -> Option<(u8, usize)> {
        let first = *self.bytes.get(at)?;
        Some(if first < 0x80 {
            (BLOCKS[usize::from(first)], at + 1)
        } else {
            self.class_beyond_ascii(at, first)
        })
    }

    fn class_beyond_ascii(self, at: usize, first: u8) -> (u8, usize) {
        let tail = |place| continuation_bits(self.bytes, at + place);
        let bits = usize::from(first);
        let (point, length) = match first {
            0..0xE0 => ((bits & 0x1F) << 6 | tail(1), 2),
            0xE0..0xF0 => ((bits & 0x0F) << 12 | tail(1) << 6 | tail(2), 3),
            _ => ((bits & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3), 4),
        };
        (class_of_point(point), at + length)
    }

    /// Returns the end of the run of ASCII letters at `at`: lower case only, or any case.
    #[inline(always)]
    pub(crate) fn end_of_ascii_letters(self, at: usize, any_case: bool) -> usize {
        at + self.bytes[at..]
            .iter()
            .take_while(|byte| byte.is_ascii_lowercase() || any_case && byte.is_ascii_uppercase())
            .count()
    }

    /// Returns true if the character at `at` is in one of these classes.
    #[inline]
    pub(super) fn has_class(self, at: usize, classes: u8) -> bool {
        self.class_at(at).is_some_and(|(class, _)| class & classes != 0)
    }

    /// Returns the end of the run of characters in these classes at `at`.
    #[inline]
    pub(super) fn end_of_run(self, mut at: usize, classes: u8) -> usize {
        while let Some((class, next)) = self.class_at(at)
            && class & classes != 0
        {
            at = next;
        }
        at
    }

    /// Returns the end of the run of characters in none of these classes.
    #[inline]
    pub(super) fn end_of_run_without(self, mut at: usize, classes: u8) -> usize {
        while let Some((class, next)) = self.class_at(at)
            && class & classes == 0
        {
            at = next;
        }
        at
    }
}

/// Returns the payload bits of a continuation byte, 0 beyond the end.
#[inline(always)]
fn continuation_bits(bytes: &[u8], at: usize) -> usize {
    usize::from(bytes.get(at).copied().unwrap_or_default() & 0x3F)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_those_of_unicode() {
        let class = |c: char| {
            Classified::new(c.encode_utf8(&mut [0; 4])).class_at(0).map(|(class, _)| class)
        };
        let got =
            ['A', 'ǅ', 'é', '中', 'ʰ', '\u{301}', '5', '½', '\n', '\u{3000}', '!', '😀'].map(class);
        let end = SPACE | LINE_END;
        let want =
            [UPPER, UPPER, LOWER, CASELESS, CASELESS, MARK, NUMBER, NUMBER, end, SPACE, 0, 0];
        assert_eq!(got, want.map(Some));
    }
}
