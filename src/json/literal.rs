//! Where a JSON string ends, and how many code points it has: one walk.

use crate::json::lanes::{Escapes, LANES, Lanes, Level, Simd, dispatch, plain_end};
use crate::json::text::{hex, is_high_surrogate, is_low_surrogate};

/// So many escapes in a block are few.
const FEW: usize = 4;

/// A string that was walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Walked {
    /// Where its closing quote stands.
    pub quote: usize,
    /// Its code points once decoded; a lone surrogate is one.
    pub points: usize,
    /// Whether a code unit is escaped in it: `\uXXXX`.
    pub units: bool,
}

/// Walks the string whose content begins at `start`. None: it does not end, or something in it is not allowed.
#[inline]
#[must_use]
pub fn walk(bytes: &[u8], start: usize) -> Option<Walked> {
    walk_by::<false>(bytes, start)
}

/// The same where control characters may stand as they are: Python's `json.loads(…, strict=False)`.
#[inline]
#[must_use]
pub fn walk_with_controls(bytes: &[u8], start: usize) -> Option<Walked> {
    walk_by::<true>(bytes, start)
}

#[inline(always)]
fn walk_by<const CONTROLS: bool>(bytes: &[u8], start: usize) -> Option<Walked> {
    let plain = plain_end(bytes, start);
    if bytes.get(plain) == Some(&b'"') {
        return Some(Walked {
            quote: plain,
            points: plain - start,
            units: false,
        });
    }
    walk_on::<CONTROLS>(bytes, start, plain)
}

/// Walks from `at` on: what stands before it stands for itself.
// A call of its own, so that what leads to it stays small enough to be written in line.
#[inline(never)]
fn walk_on<const CONTROLS: bool>(bytes: &[u8], start: usize, at: usize) -> Option<Walked> {
    dispatch!(Level::new(), simd => walk_on_by::<_, CONTROLS>(simd, bytes, start, at))
}

#[inline(always)]
fn walk_on_by<S: Simd, const CONTROLS: bool>(
    simd: S,
    bytes: &[u8],
    start: usize,
    mut at: usize,
) -> Option<Walked> {
    let mut content = Content {
        bytes,
        start,
        escapes: Escapes::default(),
        saved: 0,
        units: false,
    };
    while at < bytes.len() {
        let lanes = Lanes::at(simd, bytes, at);
        let escaped = content.escapes.next(lanes.equal(b'\\'));
        let end = lanes.equal(b'"') & !escaped;
        // All bits below the closing quote's.
        let inside = end.wrapping_sub(1) & !end;
        if !lanes.is_text_of_ascii() {
            if !CONTROLS && lanes.controls() & inside != 0 {
                return None;
            }
            content.saved += (lanes.continuations() & inside).count_ones() as usize;
        }
        content.see(lanes, at, escaped & inside)?;
        if end != 0 {
            let quote = at + end.trailing_zeros() as usize;
            return Some(Walked {
                quote,
                points: quote - start - content.saved,
                units: content.units,
            });
        }
        at += LANES;
    }
    None
}

/// Code points of the content of a string that was walked before, or of a part of one.
#[must_use]
pub fn points(bytes: &[u8]) -> usize {
    dispatch!(Level::new(), simd => points_by(simd, bytes))
}

#[inline(always)]
fn points_by<S: Simd>(simd: S, bytes: &[u8]) -> usize {
    let mut content = Content {
        bytes,
        start: 0,
        escapes: Escapes::default(),
        saved: 0,
        units: false,
    };
    for at in (plain_end(bytes, 0)..bytes.len()).step_by(LANES) {
        let lanes = Lanes::at(simd, bytes, at);
        let inside = u64::MAX >> LANES.saturating_sub(bytes.len() - at);
        let escaped = content.escapes.next(lanes.equal(b'\\')) & inside;
        if !lanes.is_text_of_ascii() {
            content.saved += (lanes.continuations() & inside).count_ones() as usize;
        }
        if content.see(lanes, at, escaped).is_none() {
            break;
        }
    }
    bytes.len() - content.saved
}

/// The content of a string, while it is walked.
struct Content<'a> {
    bytes: &'a [u8],
    start: usize,
    escapes: Escapes,
    /// How many bytes more than code points there are so far.
    saved: usize,
    /// Whether a code unit is escaped.
    units: bool,
}

impl Content<'_> {
    /// Looks at the escaped ones of the bytes at `at`. None: an escape is not allowed.
    #[inline(always)]
    fn see<S: Simd>(&mut self, lanes: Lanes<S>, at: usize, escaped: u64) -> Option<()> {
        let mut units = escaped;
        // Where there are few, each is looked at: nearly all are one of these.
        for _ in 0..FEW {
            if units == 0 {
                return Some(());
            }
            if !matches!(
                self.bytes.get(at + units.trailing_zeros() as usize),
                Some(b'n' | b't' | b'"' | b'\\')
            ) {
                break;
            }
            self.saved += 1;
            units &= units - 1;
        }
        if units != 0 {
            self.saved += units.count_ones() as usize;
            units &= !lanes.one_of(*br#"nt"\/bfr"#);
            while units != 0 {
                self.units = true;
                self.saved +=
                    saved_by_unit(self.bytes, self.start, at + units.trailing_zeros() as usize)?;
                units &= units - 1;
            }
        }
        Some(())
    }
}

/// What `\uXXXX` is longer than one code point, its backslash not counted; `at` is that of the `u`.
fn saved_by_unit(bytes: &[u8], start: usize, at: usize) -> Option<usize> {
    let unit = hex(&bytes[at - 1..])?;
    // The second half of a pair is no code point of its own.
    let second = is_low_surrogate(unit)
        && at >= start + 7
        && hex(&bytes[at - 7..]).is_some_and(is_high_surrogate)
        && starts_an_escape(bytes, start, at - 7);
    Some(if second { 5 } else { 4 })
}

/// Whether the backslash at `at` is not itself escaped.
fn starts_an_escape(bytes: &[u8], start: usize, at: usize) -> bool {
    bytes[start..at]
        .iter()
        .rev()
        .take_while(|byte| **byte == b'\\')
        .count()
        % 2
        == 0
}
