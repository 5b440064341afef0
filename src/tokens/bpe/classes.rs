//! What a character is, as the encodings' patterns ask.

use super::character::BLOCK_BITS;
pub(super) use super::character::{CASELESS, LINE_END, LOWER, MARK, NUMBER, SPACE, UPPER};
use crate::json::lanes::{Level, Simd, dispatch};
use fearless_simd::prelude::*;
use fearless_simd::u8x16;

/// Any letter (L).
pub(super) const LETTER: u8 = UPPER | LOWER | CASELESS;

/// Which block holds the classes of each block of code points.
static INDEX: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/classes.index"));
/// Classes by code point, of the different blocks; ASCII is in the first.
static BLOCKS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/classes.blocks"));

/// The class of a code point.
#[inline]
fn class(point: usize) -> u8 {
    let block = usize::from(INDEX.get(point >> BLOCK_BITS).copied().unwrap_or_default());
    BLOCKS[block << BLOCK_BITS | (point & ((1 << BLOCK_BITS) - 1))]
}

/// Bytes looked at together.
const LANES: usize = 16;

/// Where small ASCII letters stand, or any: one bit a byte.
#[inline(always)]
fn letters<S: Simd>(simd: S, bytes: &[u8; LANES], any_case: bool) -> u64 {
    let bytes = u8x16::load_array_ref(simd, bytes) | if any_case { 0x20 } else { 0 };
    (bytes - b'a').simd_le(b'z' - b'a').to_bitmask()
}

/// Text whose characters are looked at by class.
#[derive(Clone, Copy)]
pub(super) struct Classified<'t> {
    /// UTF-8.
    pub(super) bytes: &'t [u8],
}

impl<'t> Classified<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            bytes: text.as_bytes(),
        }
    }

    /// The class of the character at `at` and where the next begins; none at the end.
    #[inline(always)]
    pub(super) fn at(self, at: usize) -> Option<(u8, usize)> {
        let first = *self.bytes.get(at)?;
        Some(if first < 0x80 {
            (BLOCKS[usize::from(first)], at + 1)
        } else {
            self.beyond_ascii(at, first)
        })
    }

    fn beyond_ascii(self, at: usize, first: u8) -> (u8, usize) {
        let tail = |place: usize| {
            usize::from(self.bytes.get(at + place).copied().unwrap_or_default() & 0x3F)
        };
        let bits = usize::from(first);
        let (point, length) = match first {
            0..0xE0 => ((bits & 0x1F) << 6 | tail(1), 2),
            0xE0..0xF0 => ((bits & 0x0F) << 12 | tail(1) << 6 | tail(2), 3),
            _ => (
                (bits & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3),
                4,
            ),
        };
        (class(point), at + length)
    }

    /// Where the run of ASCII letters ends that begins at `at`; of lowercase ones only, or of any.
    #[inline(always)]
    pub(super) fn ascii_letters(self, mut at: usize, any_case: bool) -> usize {
        // So many at a time: words end where a branch can't foresee.
        while let Some(bytes) = self
            .bytes
            .get(at..)
            .and_then(|rest| rest.first_chunk::<LANES>())
        {
            // They are too short to ask what the processor can do.
            let letters = dispatch!(Level::baseline(), simd => letters(simd, bytes, any_case));
            let run = letters.trailing_ones() as usize;
            if run < LANES {
                return at + run;
            }
            at += LANES;
        }
        let letter = |byte: &u8| byte.is_ascii_lowercase() || any_case && byte.is_ascii_uppercase();
        at + self.bytes[at..]
            .iter()
            .take_while(|byte| letter(byte))
            .count()
    }

    /// Whether a character of one of these classes stands at `at`.
    #[inline]
    pub(super) fn is(self, at: usize, classes: u8) -> bool {
        self.at(at).is_some_and(|(class, _)| class & classes != 0)
    }

    /// Where the run of characters of these classes ends that begins at `at`.
    #[inline]
    pub(super) fn run(self, mut at: usize, classes: u8) -> usize {
        while let Some((class, next)) = self.at(at)
            && class & classes != 0
        {
            at = next;
        }
        at
    }

    /// Where the run of characters of none of these classes ends.
    #[inline]
    pub(super) fn run_without(self, mut at: usize, classes: u8) -> usize {
        while let Some((class, next)) = self.at(at)
            && class & classes == 0
        {
            at = next;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_unicode_s() {
        let class = |c: char| {
            Classified::new(c.encode_utf8(&mut [0; 4]))
                .at(0)
                .map(|(class, _)| class)
        };
        let got = [
            'A', 'ǅ', 'é', '中', 'ʰ', '\u{301}', '5', '½', '\n', '\u{3000}', '!', '😀',
        ]
        .map(class);
        let want = [
            UPPER,
            UPPER,
            LOWER,
            CASELESS,
            CASELESS,
            MARK,
            NUMBER,
            NUMBER,
            SPACE | LINE_END,
            SPACE,
            0,
            0,
        ];
        assert_eq!(got, want.map(Some));
    }
}
