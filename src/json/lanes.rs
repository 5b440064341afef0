//! Sixty-four bytes at a time: where in them something stands, as a bit mask
//! (the first byte's bit is the lowest).
//!
//! The idea is simdjson's (Langdale and Lemire, "Parsing gigabytes of JSON per
//! second", 2019): in logs every second or third word holds an escape, and a
//! branch for each of them costs more than all else.

use fearless_simd::prelude::*;
use fearless_simd::{i8x16, i8x64, mask8x64, u8x16, u8x64};

pub use fearless_simd::{Level, Simd, dispatch};

/// Bytes looked at together.
pub const LANES: usize = 64;

/// Sixty-four bytes; beyond the end of the text they are blanks. `S` is what the processor can do: `dispatch!` with
/// [`Level::new`] asks it, and writes what is done with it anew for each set of instructions.
#[derive(Debug, Clone, Copy)]
pub struct Lanes<S: Simd>(u8x64<S>);

impl<S: Simd> Lanes<S> {
    /// The bytes from `at` on.
    #[inline(always)]
    #[must_use]
    pub fn load(simd: S, bytes: &[u8], at: usize) -> Self {
        let rest = bytes.get(at..).unwrap_or_default();
        match rest.first_chunk::<LANES>() {
            Some(chunk) => Self::new(simd, chunk),
            None => {
                let mut chunk = [b' '; LANES];
                chunk[..rest.len()].copy_from_slice(rest);
                Self::new(simd, &chunk)
            }
        }
    }

    /// These bytes.
    #[inline(always)]
    #[must_use]
    pub fn new(simd: S, chunk: &[u8; LANES]) -> Self {
        Self(u8x64::load_array_ref(simd, chunk))
    }

    /// Bytes beyond ASCII are the negative ones.
    #[inline(always)]
    fn signed(self) -> i8x64<S> {
        self.0.bitcast()
    }

    #[inline(always)]
    fn within(self, first: u8, last: u8) -> mask8x64<S> {
        (self.0 - first).simd_le(last - first)
    }

    #[inline(always)]
    fn letters(self) -> mask8x64<S> {
        // This bit is what tells small letters from capitals.
        Self(self.0 | 0x20).within(b'a', b'z')
    }

    #[inline(always)]
    fn or_any<const N: usize>(self, found: mask8x64<S>, bytes: [u8; N]) -> mask8x64<S> {
        bytes
            .into_iter()
            .fold(found, |found, byte| found | self.0.simd_eq(byte))
    }

    /// Where `byte` stands.
    #[inline(always)]
    #[must_use]
    pub fn mask_byte(self, byte: u8) -> u64 {
        self.0.simd_eq(byte).to_bitmask()
    }

    /// Where control characters stand (below 0x20).
    #[inline(always)]
    #[must_use]
    pub fn mask_controls(self) -> u64 {
        self.0.simd_le(0x1F).to_bitmask()
    }

    /// Where bytes stand that continue a code point (UTF-8's 0x80 to 0xBF).
    #[inline(always)]
    #[must_use]
    pub fn mask_continuations(self) -> u64 {
        self.signed().simd_lt(-0x40).to_bitmask()
    }

    /// Whether all is ASCII and no control character.
    #[inline(always)]
    #[must_use]
    pub fn is_ascii_without_controls(self) -> bool {
        !self.signed().simd_lt(0x20).any_true()
    }

    /// Where bytes stand that are no printable ASCII and no control character: 0x7F and above.
    #[inline(always)]
    #[must_use]
    pub fn mask_beyond_ascii(self) -> u64 {
        self.0.simd_ge(0x7F).to_bitmask()
    }

    /// Where one of these bytes stands.
    #[inline(always)]
    #[must_use]
    pub fn mask_any<const N: usize>(self, bytes: [u8; N]) -> u64 {
        self.or_any(self.0.simd_eq(bytes[0]), bytes).to_bitmask()
    }

    /// Where ASCII letters and digits stand.
    #[inline(always)]
    #[must_use]
    pub fn mask_alphanumerics(self) -> u64 {
        (self.letters() | self.within(b'0', b'9')).to_bitmask()
    }

    /// Where ASCII capitals stand.
    #[inline(always)]
    #[must_use]
    pub fn mask_capitals(self) -> u64 {
        self.within(b'A', b'Z').to_bitmask()
    }

    /// Where ASCII digits stand, or one of these bytes.
    #[inline(always)]
    #[must_use]
    pub fn mask_digits_or<const N: usize>(self, bytes: [u8; N]) -> u64 {
        self.or_any(self.within(b'0', b'9'), bytes).to_bitmask()
    }

    /// Where ASCII letters stand, what is between `first` and `last`, one of these bytes, or a part of a letter beyond ASCII
    /// (0x80 and above).
    #[inline(always)]
    #[must_use]
    pub fn mask_letters_or<const N: usize>(self, [first, last]: [u8; 2], bytes: [u8; N]) -> u64 {
        let found = self.letters() | self.within(first, last) | self.signed().simd_lt(0);
        self.or_any(found, bytes).to_bitmask()
    }
}

/// Tells escaped bytes from others, block after block.
#[derive(Debug, Clone, Copy, Default)]
pub struct EscapeTracker {
    /// Whether the first byte of the next block is escaped.
    carry: u64,
}

const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;

impl EscapeTracker {
    /// Where in a block bytes stand that a backslash before them escapes.
    /// Backslashes are taken in pairs from the first of each run: one subtraction
    /// carries through a run and leaves a trace of whether it is odd.
    #[inline]
    #[must_use]
    pub fn next_block(&mut self, backslashes: u64) -> u64 {
        if backslashes == 0 {
            return std::mem::take(&mut self.carry);
        }
        let escaping = backslashes & !self.carry;
        let run_ends = ((escaping << 1) | ODD).wrapping_sub(escaping) ^ ODD;
        let escaped = run_ends ^ (backslashes | self.carry);
        self.carry = (run_ends & backslashes) >> 63;
        escaped
    }
}

/// From `at` on, where the first byte stands that does not stand for itself in a JSON string: a quote, a backslash, a
/// control character or what is beyond ASCII. Of the last 15 bytes of the text nothing is told: then where they begin.
// Most strings are too short to ask what the processor can do: this is done with what all of its kind can.
#[inline(always)]
#[must_use]
pub fn find_plain_end(bytes: &[u8], at: usize) -> usize {
    dispatch!(Level::baseline(), simd => find_plain_end_by(simd, bytes, at))
}

#[inline(always)]
fn find_plain_end_by<S: Simd>(simd: S, bytes: &[u8], at: usize) -> usize {
    let Some(mut rest) = bytes.get(at..) else {
        return at;
    };
    while let Some((chunk, behind)) = rest.split_first_chunk() {
        let lane = u8x16::load_array_ref(simd, chunk);
        let found =
            (lane.simd_eq(b'"') | lane.simd_eq(b'\\') | lane.bitcast::<i8x16<S>>().simd_lt(0x20))
                .to_bitmask();
        if found != 0 {
            return bytes.len() - rest.len() + found.trailing_zeros() as usize;
        }
        rest = behind;
    }
    bytes.len() - rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn places(mask: u64) -> Vec<usize> {
        (0..LANES).filter(|place| mask >> place & 1 == 1).collect()
    }

    /// By each set of instructions that there is here.
    macro_rules! by_all {
        ($simd:ident => $test:expr) => {
            for level in [Level::baseline(), Level::new()] {
                dispatch!(level, $simd => $test);
            }
        };
    }

    fn masks_tell_places_by<S: Simd>(simd: S) {
        let bytes = "a\"b\\c\u{1f} \u{e9}\u{7f}~".as_bytes();
        let lanes = Lanes::load(simd, bytes, 0);
        assert_eq!(places(lanes.mask_byte(b'b')), [2]);
        assert_eq!(places(lanes.mask_controls()), [5]);
        assert_eq!(places(lanes.mask_continuations()), [8]);
        assert_eq!(places(lanes.mask_beyond_ascii()), [7, 8, 9]);
        assert_eq!(places(lanes.mask_any([b'b', b'\\', b'x'])), [2, 3]);
        assert_eq!(places(Lanes::load(simd, bytes, 2).mask_byte(b'\\')), [1]);
        assert_eq!(Lanes::load(simd, bytes, 100).mask_controls(), 0);
    }

    #[test]
    fn masks_tell_places() {
        by_all!(simd => masks_tell_places_by(simd));
    }

    fn classes_are_those_of_bytes_by<S: Simd>(simd: S) {
        for first in (0..=255_u8).step_by(LANES) {
            let bytes: Vec<u8> = (first..=first + 63).collect();
            let lanes = Lanes::load(simd, &bytes, 0);
            let all = |test: &dyn Fn(u8) -> bool| -> Vec<usize> {
                (0..LANES).filter(|at| test(bytes[*at])).collect()
            };
            assert_eq!(
                places(lanes.mask_alphanumerics()),
                all(&|byte| byte.is_ascii_alphanumeric())
            );
            assert_eq!(
                places(lanes.mask_capitals()),
                all(&|byte| byte.is_ascii_uppercase())
            );
            assert_eq!(places(lanes.mask_controls()), all(&|byte| byte < 0x20));
            assert_eq!(
                places(lanes.mask_continuations()),
                all(&|byte| byte & 0xC0 == 0x80)
            );
            assert_eq!(places(lanes.mask_beyond_ascii()), all(&|byte| byte >= 0x7F));
            for byte in &bytes {
                let alone = Lanes::new(simd, &[*byte; LANES]).is_ascii_without_controls();
                assert_eq!(alone, (0x20..0x80).contains(byte), "{byte:#x}");
                let mut chunk = [b'a'; LANES];
                chunk[usize::from(byte % 64)] = *byte;
                assert_eq!(Lanes::new(simd, &chunk).is_ascii_without_controls(), alone);
            }
            assert_eq!(
                places(lanes.mask_digits_or([b'_', b'~'])),
                all(&|byte| byte.is_ascii_digit() || b"_~".contains(&byte))
            );
            let wanted = all(&|byte| {
                byte.is_ascii_alphabetic()
                    || (b'-'..=b'7').contains(&byte)
                    || byte == b'_'
                    || byte >= 0x80
            });
            assert_eq!(places(lanes.mask_letters_or([b'-', b'7'], [b'_'])), wanted);
        }
    }

    #[test]
    fn classes_are_those_of_bytes() {
        by_all!(simd => classes_are_those_of_bytes_by(simd));
    }

    #[test]
    fn plain_bytes_end_where_one_has_a_meaning() {
        for (text, end) in [
            ("role\": \"user\", \"content\"", 4),
            ("\", and what comes behind", 0),
            ("fifteen letters\": long enough", 15),
            ("sixteen letters!\": and a block more behind", 16),
            ("a \\\"b\": \"user\", \"content\"", 2),
            ("tab\t\": \"user\", \"content", 3),
            ("caf\u{e9}\": \"user\", \"content", 3),
            ("delete \u{7f}\": \"user\", \"content", 8),
            ("near the \"end", 0),
            ("too near the end, as well\"", 16),
        ] {
            assert_eq!(find_plain_end(text.as_bytes(), 0), end, "{text}");
        }
        assert_eq!(
            (find_plain_end(b"abc", 2), find_plain_end(b"abc", 9)),
            (2, 9)
        );
    }

    proptest! {
        #[test]
        fn escapes_are_those_of_a_walk(text in r#"[\\n"]{0,200}"#) {
            let bytes = text.as_bytes();
            let (mut walked, mut at) = (Vec::new(), 0);
            while at < bytes.len() {
                if bytes[at] == b'\\' {
                    walked.push(at + 1);
                    at += 1;
                }
                at += 1;
            }
            walked.retain(|at| *at < bytes.len());
            let mut escapes = EscapeTracker::default();
            let found: Vec<usize> = (0..bytes.len())
                .step_by(LANES)
                .flat_map(|start| {
                    let backslashes = dispatch!(Level::new(), simd => Lanes::load(simd, bytes, start).mask_byte(b'\\'));
                    places(escapes.next_block(backslashes)).into_iter().map(move |place| start + place)
                })
                .filter(|at| *at < bytes.len())
                .collect();
            prop_assert_eq!(found, walked);
        }
    }
}
