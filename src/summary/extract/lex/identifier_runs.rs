//! Where identifiers may stand in a text, found 64 bytes at a time.
//!
//! A run is a stretch of bytes that can belong to an identifier. Most runs are
//! plain words; only those that hold a mark (a digit, `_`, `/`, `@`, a capital
//! inside, a dot between letters) are looked at one by one.

use crate::json::lanes::{LANES, Lanes, Level, Simd, dispatch};

/// What joins letters to an identifier: from `-` to `:` that is `-`, `.`, `/`, digits and `:`.
const RANGE: [u8; 2] = [b'-', b':'];
const JOINTS: [u8; 4] = [b'+', b'~', b'_', b'@'];
/// What no plain word has, beside digits, capitals inside and dots between letters.
const MARKS: [u8; 3] = [b'_', b'/', b'@'];

/// Whether a byte can belong to an identifier.
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic()
        || byte >= 0x80
        || (RANGE[0]..=RANGE[1]).contains(&byte)
        || JOINTS.contains(&byte)
}

/// Of each byte of a block a bit: can it belong to an identifier, and is it a mark?
#[derive(Debug, Clone, Copy, Default)]
struct ByteBlock {
    words: u64,
    marks: u64,
}

/// Blocks that are looked at in a row, so that the processor is asked but once what it can do.
const ROW: usize = 16;

/// Looks at the blocks from `base` on.
#[inline(always)]
fn look<S: Simd>(simd: S, bytes: &[u8], base: usize, row: &mut [ByteBlock; ROW]) {
    let is_letter = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at))
            .is_some_and(u8::is_ascii_alphanumeric)
    };
    let mut before = u64::from(is_letter(base.checked_sub(1)));
    for (block, base) in row.iter_mut().zip((base..bytes.len()).step_by(LANES)) {
        let lanes = Lanes::load(simd, bytes, base);
        let letters = lanes.mask_alphanumerics();
        let after = letters << 1 | before;
        before = letters >> (LANES - 1);
        let dots = lanes.mask_byte(b'.') & after;
        let inner = if dots == 0 {
            0
        } else {
            dots & (letters >> 1 | u64::from(is_letter(Some(base + LANES))) << (LANES - 1))
        };
        block.words = lanes.mask_letters_or(RANGE, JOINTS);
        block.marks = lanes.mask_digits_or(MARKS) | (lanes.mask_capitals() & after) | inner;
    }
}

/// How many bytes from `at` on can belong to an identifier.
fn words_at(bytes: &[u8], at: usize) -> usize {
    bytes
        .get(at..)
        .unwrap_or_default()
        .iter()
        .take_while(|byte| is_word(**byte))
        .count()
}

/// Calls `found` with the bounds of every run that holds a mark, in order.
pub(crate) fn runs(bytes: &[u8], found: &mut impl FnMut(usize, usize)) {
    let level = Level::new();
    let mut row = [ByteBlock::default(); ROW];
    // Where the run begins that reaches into the block, and where the last one found ends.
    let (mut open, mut done) = (0, 0);
    for base in (0..bytes.len()).step_by(LANES) {
        let number = base / LANES % ROW;
        if number == 0 {
            dispatch!(level, simd => look(simd, bytes, base, &mut row));
        }
        let ByteBlock { words, mut marks } = row[number];
        let gaps = !words;
        if done > base {
            marks &= if done - base >= LANES {
                0
            } else {
                u64::MAX << (done - base)
            };
        }
        while marks != 0 {
            let bit = marks.trailing_zeros();
            let below = gaps & !(u64::MAX << bit);
            let start = if below == 0 {
                open
            } else {
                base + LANES - below.leading_zeros() as usize
            };
            let above = gaps >> bit;
            let end = if above == 0 {
                // Blocks behind the end of the text are what they were before.
                let next = row
                    .get(number + 1)
                    .filter(|next| next.words != u64::MAX && base + LANES < bytes.len());
                base + LANES
                    + next.map_or_else(
                        || words_at(bytes, base + LANES),
                        |next| next.words.trailing_ones() as usize,
                    )
            } else {
                base + bit as usize + above.trailing_zeros() as usize
            };
            found(start, end);
            done = end;
            marks &= if end - base >= LANES {
                0
            } else {
                u64::MAX << (end - base)
            };
        }
        if gaps != 0 {
            open = base + LANES - gaps.leading_zeros() as usize;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fast(text: &str) -> Vec<&str> {
        let mut all = Vec::new();
        runs(text.as_bytes(), &mut |start, end| {
            all.push(&text[start..end])
        });
        all
    }

    /// The same, one byte at a time.
    fn slow(text: &str) -> Vec<&str> {
        let bytes = text.as_bytes();
        let letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
        let marked = |at: usize| {
            let after = at > 0 && letter(at - 1);
            let byte = bytes[at];
            byte.is_ascii_digit()
                || b"_/@".contains(&byte)
                || (after && (byte.is_ascii_uppercase() || (byte == b'.' && letter(at + 1))))
        };
        let mut all = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let end = at
                + bytes[at..]
                    .iter()
                    .take_while(|&&byte| is_word(byte))
                    .count();
            if (at..end).any(marked) {
                all.push(&text[at..end]);
            }
            at = end.max(at + 1);
        }
        all
    }

    #[test]
    fn only_runs_with_a_mark() {
        assert_eq!(
            fast("The plan. Read src/main.rs, fooBar and x_1; no-thing: 42"),
            ["src/main.rs", "fooBar", "x_1", "42"]
        );
        assert!(fast("").is_empty() && fast("plain words, and no more.").is_empty());
    }

    proptest! {
        #[test]
        fn blocks_change_nothing(text in "([a-c]{1,9}[A-Z0-9._/ ,é客-]{0,3}){0,300}", long in "[a-z/]{60,200}", other in any::<String>()) {
            for text in [format!("{text} {long} {text}"), text, other] {
                prop_assert_eq!(fast(&text), slow(&text));
            }
        }
    }
}
