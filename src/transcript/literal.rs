//! Where a JSON string ends, and how many code points it has: one walk.

use crate::transcript::lanes::{Escapes, LANES, Lanes};
use crate::transcript::text::{hex, is_high_surrogate, is_low_surrogate};

/// A string that was walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Walked {
    /// Where its closing quote stands.
    pub quote: usize,
    /// Its code points once decoded; a lone surrogate is one.
    pub points: usize,
}

/// Walks the string whose content begins at `start`. None: it does not end, or something in it is not allowed.
#[must_use]
pub fn walk(bytes: &[u8], start: usize) -> Option<Walked> {
    let mut escapes = Escapes::default();
    let (mut at, mut saved) = (start, 0);
    loop {
        let lanes = Lanes::at(bytes, at);
        let escaped = escapes.next(lanes.equal(b'\\'));
        let end = lanes.equal(b'"') & !escaped;
        // All bits below the closing quote's.
        let inside = end.wrapping_sub(1) & !end;
        if lanes.controls() & inside != 0 {
            return None;
        }
        saved += (lanes.continuations() & inside).count_ones() as usize;
        let mut odd = escaped & inside;
        if odd != 0 {
            saved += odd.count_ones() as usize;
            odd &= !lanes.escapable();
            while odd != 0 {
                saved += saved_by_unit(bytes, start, at + odd.trailing_zeros() as usize)?;
                odd &= odd - 1;
            }
        }
        if end != 0 {
            let quote = at + end.trailing_zeros() as usize;
            return Some(Walked { quote, points: quote - start - saved });
        }
        at += LANES;
        if at >= bytes.len() {
            return None;
        }
    }
}

/// What `\uXXXX` is longer than one code point, its backslash not counted; `at` is that of the `u`.
fn saved_by_unit(bytes: &[u8], start: usize, at: usize) -> Option<usize> {
    let unit = hex(&bytes[at - 1..])?;
    // The second half of a pair is no code point of its own.
    let second = is_low_surrogate(unit) && at >= start + 7 && hex(&bytes[at - 7..]).is_some_and(is_high_surrogate) && starts_an_escape(bytes, start, at - 7);
    Some(if second { 5 } else { 4 })
}

/// Whether the backslash at `at` is not itself escaped.
fn starts_an_escape(bytes: &[u8], start: usize, at: usize) -> bool {
    bytes[start..at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 0
}
