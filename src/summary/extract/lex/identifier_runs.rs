//! Finds the runs of bytes that may hold identifiers, 64 bytes at a time.
//!
//! A run is a stretch of bytes that can belong to an identifier. Most runs are
//! plain words. Only runs with a mark (a digit, `_`, `/`, `@`, a capital inside a
//! word, or a dot between letters) are reported.

use crate::json::lanes::{LANES, Lanes, Level, Simd, dispatch};

/// The range from `-` to `:`, which covers `-`, `.`, `/`, the digits and `:`.
const JOINT_RANGE: [u8; 2] = [b'-', b':'];
/// The other bytes that join letters to an identifier.
const JOINTS: [u8; 4] = [b'+', b'~', b'_', b'@'];
/// Bytes that mark a run as more than a plain word, besides digits, inner capitals and inner dots.
const MARKS: [u8; 3] = [b'_', b'/', b'@'];
/// Number of blocks scanned in a row. The processor's abilities are queried once per row.
const ROW: usize = 16;

/// Returns true if a byte can belong to an identifier.
pub(crate) fn is_identifier_byte(byte: u8) -> bool {
    byte.is_ascii_alphabetic()
        || byte >= 0x80
        || (JOINT_RANGE[0]..=JOINT_RANGE[1]).contains(&byte)
        || JOINTS.contains(&byte)
}

/// Bit masks over a block of 64 bytes.
#[derive(Debug, Clone, Copy, Default)]
struct ByteBlock {
    /// Bytes that can belong to an identifier.
    identifier_bytes: u64,
    /// Bytes that make a run worth reporting.
    marks: u64,
}

#[inline(always)]
fn is_alphanumeric_at(bytes: &[u8], at: Option<usize>) -> bool {
    at.and_then(|at| bytes.get(at))
        .is_some_and(u8::is_ascii_alphanumeric)
}

/// Fills a row with the masks of the blocks that start at byte `base`.
#[inline(always)]
fn scan_row<S: Simd>(simd: S, bytes: &[u8], base: usize, row: &mut [ByteBlock; ROW]) {
    let mut carry = u64::from(is_alphanumeric_at(bytes, base.checked_sub(1)));
    for (block, base) in row.iter_mut().zip((base..bytes.len()).step_by(LANES)) {
        let lanes = Lanes::load(simd, bytes, base);
        let letters = lanes.mask_alphanumerics();
        let after_letter = letters << 1 | carry;
        carry = letters >> (LANES - 1);
        let dots = lanes.mask_byte(b'.') & after_letter;
        let inner_dots = if dots == 0 {
            0
        } else {
            let next = u64::from(is_alphanumeric_at(bytes, Some(base + LANES)));
            dots & (letters >> 1 | next << (LANES - 1))
        };
        block.identifier_bytes = lanes.mask_letters_or(JOINT_RANGE, JOINTS);
        block.marks =
            lanes.mask_digits_or(MARKS) | (lanes.mask_capitals() & after_letter) | inner_dots;
    }
}

/// Returns the number of bytes from `at` on that can belong to an identifier.
fn run_length_at(bytes: &[u8], at: usize) -> usize {
    bytes
        .get(at..)
        .unwrap_or_default()
        .iter()
        .take_while(|byte| is_identifier_byte(**byte))
        .count()
}

/// Returns a mask of the bits from `bit` on. Empty if `bit` is beyond the block.
fn mask_from(bit: usize) -> u64 {
    if bit >= LANES { 0 } else { u64::MAX << bit }
}

/// Calls `found` with the bounds of every run that holds a mark, in order.
pub(crate) fn find_runs(bytes: &[u8], found: &mut impl FnMut(usize, usize)) {
    let level = Level::new();
    let mut row = [ByteBlock::default(); ROW];
    // Start of the run that reaches into the current block.
    let mut open_start = 0;
    // End of the last run that was reported.
    let mut reported_end = 0;
    for base in (0..bytes.len()).step_by(LANES) {
        let number = base / LANES % ROW;
        if number == 0 {
            dispatch!(level, simd => scan_row(simd, bytes, base, &mut row));
        }
        let ByteBlock {
            identifier_bytes,
            mut marks,
        } = row[number];
        let gaps = !identifier_bytes;
        if reported_end > base {
            marks &= mask_from(reported_end - base);
        }
        while marks != 0 {
            let bit = marks.trailing_zeros();
            let below = gaps & !(u64::MAX << bit);
            let start = if below == 0 {
                open_start
            } else {
                base + LANES - below.leading_zeros() as usize
            };
            let above = gaps >> bit;
            let end = if above == 0 {
                // Blocks of the row beyond the end of the text still hold old masks.
                let next = row
                    .get(number + 1)
                    .filter(|next| next.identifier_bytes != u64::MAX && base + LANES < bytes.len());
                base + LANES
                    + next.map_or_else(
                        || run_length_at(bytes, base + LANES),
                        |next| next.identifier_bytes.trailing_ones() as usize,
                    )
            } else {
                base + bit as usize + above.trailing_zeros() as usize
            };
            found(start, end);
            reported_end = end;
            marks &= mask_from(end - base);
        }
        if gaps != 0 {
            open_start = base + LANES - gaps.leading_zeros() as usize;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn runs_by_blocks(text: &str) -> Vec<&str> {
        let mut all = Vec::new();
        find_runs(text.as_bytes(), &mut |start, end| {
            all.push(&text[start..end])
        });
        all
    }

    /// Finds the same runs byte by byte.
    fn runs_by_bytes(text: &str) -> Vec<&str> {
        let bytes = text.as_bytes();
        let mut all = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let end = at
                + bytes[at..]
                    .iter()
                    .take_while(|&&byte| is_identifier_byte(byte))
                    .count();
            if (at..end).any(|at| is_mark(bytes, at)) {
                all.push(&text[at..end]);
            }
            at = end.max(at + 1);
        }
        all
    }

    fn is_mark(bytes: &[u8], at: usize) -> bool {
        let byte = bytes[at];
        let after_letter = is_alphanumeric_at(bytes, at.checked_sub(1));
        let before_letter = is_alphanumeric_at(bytes, Some(at + 1));
        byte.is_ascii_digit()
            || b"_/@".contains(&byte)
            || (after_letter && (byte.is_ascii_uppercase() || (byte == b'.' && before_letter)))
    }

    #[test]
    fn only_runs_with_a_mark_are_found() {
        assert_eq!(
            runs_by_blocks("The plan. Read src/main.rs, fooBar and x_1; no-thing: 42"),
            ["src/main.rs", "fooBar", "x_1", "42"]
        );
        assert!(
            runs_by_blocks("").is_empty() && runs_by_blocks("plain words, and no more.").is_empty()
        );
    }

    proptest! {
        #[test]
        fn blocks_and_bytes_find_the_same_runs(text in "([a-c]{1,9}[A-Z0-9._/ ,é客-]{0,3}){0,300}", long in "[a-z/]{60,200}", other in any::<String>()) {
            for text in [format!("{text} {long} {text}"), text, other] {
                prop_assert_eq!(runs_by_blocks(&text), runs_by_bytes(&text));
            }
        }
    }
}
