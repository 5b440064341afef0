//! The scan of one JSON string: where it ends, and how many code points it has.
//!
//! Measured by `cargo bench --features benching --bench tricks` (2026-11): a loop over bytes
//! takes 3.7 times as long on long strings, and 4.2 times on short ones.

use crate::reading::json::lanes::{
    EscapeTracker, LANES, Lanes, Level, Simd, dispatch, find_plain_end,
};
use crate::reading::json::unescape::{is_high_surrogate, is_low_surrogate, parse_unicode_escape};

/// The most escapes of a block that are checked one by one. More are checked by a mask.
const MAX_SINGLE_ESCAPES: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ScannedString {
    /// Offset of the closing quote.
    pub closing_quote: usize,
    /// Code points of the decoded string. A lone surrogate is one.
    pub code_points: usize,
    /// True if the string holds a `\uXXXX` escape.
    pub has_unicode_escape: bool,
}

/// Scans the string whose content begins at `start`. Returns `None` if it does not end, or holds a
/// raw control character or a bad escape.
#[inline]
pub(crate) fn scan_string(bytes: &[u8], start: usize) -> Option<ScannedString> {
    scan_string_by::<false>(bytes, start)
}

/// Scans a string that may hold raw control characters, as Python's `json.loads(…, strict=False)`
/// allows.
#[inline]
pub(crate) fn scan_string_with_controls(bytes: &[u8], start: usize) -> Option<ScannedString> {
    scan_string_by::<true>(bytes, start)
}

#[inline(always)]
fn scan_string_by<const CONTROLS: bool>(bytes: &[u8], start: usize) -> Option<ScannedString> {
    let plain_end = find_plain_end(bytes, start);
    if bytes.get(plain_end) == Some(&b'"') {
        return Some(ScannedString {
            closing_quote: plain_end,
            code_points: plain_end - start,
            has_unicode_escape: false,
        });
    }
    scan_blocks::<CONTROLS>(bytes, start, plain_end)
}

/// Scans from `at` on. The bytes from `start` to `at` are ASCII without escapes and quotes.
// Not inlined, so that its callers stay small enough to be inlined.
#[inline(never)]
fn scan_blocks<const CONTROLS: bool>(
    bytes: &[u8],
    start: usize,
    at: usize,
) -> Option<ScannedString> {
    dispatch!(Level::new(), simd => scan_blocks_by::<_, CONTROLS>(simd, bytes, start, at))
}

#[inline(always)]
fn scan_blocks_by<S: Simd, const CONTROLS: bool>(
    simd: S,
    bytes: &[u8],
    start: usize,
    mut at: usize,
) -> Option<ScannedString> {
    let mut content = StringContent::new(bytes, start);
    while at < bytes.len() {
        let lanes = Lanes::load(simd, bytes, at);
        let escaped = content.escapes.next_block(lanes.mask_byte(b'\\'));
        let end = lanes.mask_byte(b'"') & !escaped;
        // All bits below that of the closing quote.
        let inside = end.wrapping_sub(1) & !end;
        if !lanes.is_ascii_without_controls() {
            if !CONTROLS && lanes.mask_controls() & inside != 0 {
                return None;
            }
            content.extra_bytes += (lanes.mask_continuations() & inside).count_ones() as usize;
        }
        content.add_escapes(lanes, at, escaped & inside)?;
        if end != 0 {
            let closing_quote = at + end.trailing_zeros() as usize;
            return Some(ScannedString {
                closing_quote,
                code_points: closing_quote - start - content.extra_bytes,
                has_unicode_escape: content.has_unicode_escape,
            });
        }
        at += LANES;
    }
    None
}

/// Counts the code points in the content of a string that was scanned before, or in a part of it.
pub(crate) fn count_code_points(bytes: &[u8]) -> usize {
    dispatch!(Level::new(), simd => count_code_points_by(simd, bytes))
}

#[inline(always)]
pub(crate) fn count_code_points_by<S: Simd>(simd: S, bytes: &[u8]) -> usize {
    let mut content = StringContent::new(bytes, 0);
    for at in (find_plain_end(bytes, 0)..bytes.len()).step_by(LANES) {
        let lanes = Lanes::load(simd, bytes, at);
        let inside = u64::MAX >> LANES.saturating_sub(bytes.len() - at);
        let escaped = content.escapes.next_block(lanes.mask_byte(b'\\')) & inside;
        if !lanes.is_ascii_without_controls() {
            content.extra_bytes += (lanes.mask_continuations() & inside).count_ones() as usize;
        }
        if content.add_escapes(lanes, at, escaped).is_none() {
            break;
        }
    }
    bytes.len() - content.extra_bytes
}

/// The content of a string during its scan.
struct StringContent<'a> {
    bytes: &'a [u8],
    /// Offset of the first byte of the content.
    start: usize,
    escapes: EscapeTracker,
    /// The bytes beyond one per code point so far: continuation bytes, and the bytes that an escape
    /// takes beyond the code point that it spells.
    extra_bytes: usize,
    has_unicode_escape: bool,
}

impl<'a> StringContent<'a> {
    #[inline(always)]
    fn new(bytes: &'a [u8], start: usize) -> Self {
        Self {
            bytes,
            start,
            escapes: EscapeTracker::default(),
            extra_bytes: 0,
            has_unicode_escape: false,
        }
    }

    /// Adds the extra bytes of the escapes in the block at `at`. `escaped` is the mask of the bytes
    /// that follow a backslash. Returns `None` on a bad escape.
    #[inline(always)]
    fn add_escapes<S: Simd>(&mut self, lanes: Lanes<S>, at: usize, escaped: u64) -> Option<()> {
        let mut unchecked = escaped;
        // Nearly all escapes are these four.
        for _ in 0..MAX_SINGLE_ESCAPES {
            if unchecked == 0 {
                return Some(());
            }
            if !matches!(
                self.bytes.get(at + unchecked.trailing_zeros() as usize),
                Some(b'n' | b't' | b'"' | b'\\')
            ) {
                break;
            }
            self.extra_bytes += 1;
            unchecked &= unchecked - 1;
        }
        if unchecked != 0 {
            self.extra_bytes += unchecked.count_ones() as usize;
            unchecked &= !lanes.mask_any(*br#"nt"\/bfr"#);
            while unchecked != 0 {
                self.has_unicode_escape = true;
                let escape = at + unchecked.trailing_zeros() as usize;
                self.extra_bytes += unicode_escape_extra_bytes(self.bytes, self.start, escape)?;
                unchecked &= unchecked - 1;
            }
        }
        Some(())
    }
}

/// Returns the extra bytes of the `\uXXXX` whose `u` is at `at`, without its backslash, which
/// [`StringContent::add_escapes`] counts as extra already. These are 4, or 5 for the second half of a
/// surrogate pair, which adds no code point.
fn unicode_escape_extra_bytes(bytes: &[u8], start: usize, at: usize) -> Option<usize> {
    let unit = parse_unicode_escape(&bytes[at - 1..])?;
    let is_second_half = is_low_surrogate(unit)
        && at >= start + 7
        && parse_unicode_escape(&bytes[at - 7..]).is_some_and(is_high_surrogate)
        && starts_escape(bytes, start, at - 7);
    Some(if is_second_half { 5 } else { 4 })
}

/// Returns true if the backslash at `at` is not itself escaped.
fn starts_escape(bytes: &[u8], start: usize, at: usize) -> bool {
    bytes[start..at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 0
}
