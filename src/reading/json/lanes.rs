//! Bit masks over blocks of 64 bytes: bit `n` says something about byte `n`.
//!
//! The idea is simdjson's (Langdale and Lemire, "Parsing gigabytes of JSON per
//! second", 2019): in logs every second or third word holds an escape, and a
//! branch for each of them costs more than all else. Without the blocks,
//! `compact` takes 12 to 18 % longer and `count` 38 to 49 %.
//!
//! `dispatch!` with [`Level::new`] compiles its block for each instruction set
//! and selects by the CPU at run time. Without it, reading takes 3 to 8 % longer.
//!
//! Measured by `cargo bench --features benching --bench tricks` (2026-11): the best
//! instruction set of the CPU wins 1.12 over the baseline.

use fearless_simd::prelude::*;
use fearless_simd::{i8x16, i8x64, mask8x64, u8x16, u8x64};

pub(crate) use fearless_simd::{Level, Simd, dispatch};

/// Bytes in a block.
pub(crate) const LANES: usize = 64;

/// A block of 64 bytes. `S` is the instruction set.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lanes<S: Simd>(u8x64<S>);

impl<S: Simd> Lanes<S> {
    /// Loads the bytes from `at` on. Places beyond the end of `bytes` are blanks.
    #[inline(always)]
    pub(crate) fn load(simd: S, bytes: &[u8], at: usize) -> Self {
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

    /// Loads a full block.
    #[inline(always)]
    pub(crate) fn new(simd: S, chunk: &[u8; LANES]) -> Self {
        Self(u8x64::load_array_ref(simd, chunk))
    }

    /// Returns the bytes as signed numbers. Bytes beyond ASCII are negative.
    #[inline(always)]
    fn as_signed(self) -> i8x64<S> {
        self.0.bitcast()
    }

    /// Adds any of `bytes` to a selection.
    #[inline(always)]
    fn or_any<const N: usize>(self, selected: mask8x64<S>, bytes: [u8; N]) -> mask8x64<S> {
        bytes.into_iter().fold(selected, |selected, byte| selected | self.0.simd_eq(byte))
    }

    #[inline(always)]
    pub(crate) fn mask_byte(self, byte: u8) -> u64 {
        self.0.simd_eq(byte).to_bitmask()
    }

    /// Masks control characters (below 0x20).
    #[inline(always)]
    pub(crate) fn mask_controls(self) -> u64 {
        self.0.simd_le(0x1F).to_bitmask()
    }

    /// Masks bytes that continue a code point (0x80 to 0xBF in UTF-8).
    #[inline(always)]
    pub(crate) fn mask_continuations(self) -> u64 {
        self.as_signed().simd_lt(-0x40).to_bitmask()
    }

    /// Returns true if all bytes are ASCII and none is a control character below 0x20.
    #[inline(always)]
    pub(crate) fn is_ascii_without_controls(self) -> bool {
        !self.as_signed().simd_lt(0x20).any_true()
    }

    /// Masks DEL and bytes beyond ASCII: 0x7F and above.
    #[inline(always)]
    pub(crate) fn mask_beyond_ascii(self) -> u64 {
        self.0.simd_ge(0x7F).to_bitmask()
    }

    #[inline(always)]
    pub(crate) fn mask_any<const N: usize>(self, bytes: [u8; N]) -> u64 {
        self.or_any(self.0.simd_eq(bytes[0]), bytes).to_bitmask()
    }
}

/// Finds escaped bytes, block after block.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct EscapeTracker {
    /// 1 if the first byte of the next block is escaped, else 0.
    carry: u64,
}

/// A mask of the odd places.
const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;

impl EscapeTracker {
    /// Masks the bytes of the next block that a backslash before them escapes, given the mask of
    /// its backslashes.
    ///
    /// Backslashes pair up from the start of each run. A subtraction carries through the run and
    /// shows whether its length is odd.
    #[inline]
    pub(crate) fn next_block(&mut self, backslashes: u64) -> u64 {
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

/// Returns the offset of the first byte from `at` on that does not stand for itself in a JSON
/// string: a quote, a backslash, a control character, or a byte beyond ASCII. The search stops
/// within the last 15 bytes, at the offset where they begin.
// Uses the baseline instruction set: most strings are too short to pay for a selection by CPU.
#[inline(always)]
pub(crate) fn find_plain_end(bytes: &[u8], at: usize) -> usize {
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

    fn mask_places(mask: u64) -> Vec<usize> {
        (0..LANES).filter(|place| mask >> place & 1 == 1).collect()
    }

    /// Runs the test with each instruction set of this machine.
    macro_rules! with_each_level {
        ($simd:ident => $test:expr) => {
            for level in [Level::baseline(), Level::new()] {
                dispatch!(level, $simd => $test);
            }
        };
    }

    fn masks_agree_with_byte_classes_by<S: Simd>(simd: S) {
        for first in (0..=255_u8).step_by(LANES) {
            let bytes: Vec<u8> = (first..=first + 63).collect();
            let lanes = Lanes::load(simd, &bytes, 0);
            let places_where = |test: &dyn Fn(u8) -> bool| -> Vec<usize> {
                (0..LANES).filter(|at| test(bytes[*at])).collect()
            };
            assert_eq!(mask_places(lanes.mask_controls()), places_where(&|byte| byte < 0x20));
            let continuations = places_where(&|byte| byte & 0xC0 == 0x80);
            assert_eq!(mask_places(lanes.mask_continuations()), continuations);
            assert_eq!(mask_places(lanes.mask_beyond_ascii()), places_where(&|byte| byte >= 0x7F));
            let some = [first + 5, first + 9, b'x'];
            let any = places_where(&|byte| some.contains(&byte));
            assert_eq!(mask_places(lanes.mask_any(some)), any);
            let later = Lanes::load(simd, &bytes, 60).mask_byte(first + 62);
            assert_eq!(mask_places(later), [2]);
            assert_eq!(Lanes::load(simd, &bytes, 99).mask_controls(), 0);
            for byte in &bytes {
                assert_eq!(mask_places(lanes.mask_byte(*byte)), [usize::from(byte - first)]);
                let alone = Lanes::new(simd, &[*byte; LANES]).is_ascii_without_controls();
                assert_eq!(alone, (0x20..0x80).contains(byte), "{byte:#x}");
                let mut chunk = [b'a'; LANES];
                chunk[usize::from(byte % 64)] = *byte;
                assert_eq!(Lanes::new(simd, &chunk).is_ascii_without_controls(), alone);
            }
        }
    }

    #[test]
    fn masks_agree_with_byte_classes() {
        with_each_level!(simd => masks_agree_with_byte_classes_by(simd));
    }

    #[test]
    fn plain_end_is_the_first_byte_with_a_meaning() {
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
        assert_eq!((find_plain_end(b"abc", 2), find_plain_end(b"abc", 9)), (2, 9));
    }

    proptest! {
        #[test]
        fn escapes_agree_with_a_byte_loop(text in r#"[\\n"]{0,200}"#) {
            let bytes = text.as_bytes();
            let (mut expected, mut at) = (Vec::new(), 0);
            while at < bytes.len() {
                if bytes[at] == b'\\' {
                    expected.push(at + 1);
                    at += 1;
                }
                at += 1;
            }
            expected.retain(|at| *at < bytes.len());
            let mut escapes = EscapeTracker::default();
            let found: Vec<usize> = (0..bytes.len())
                .step_by(LANES)
                .flat_map(|start| {
                    let backslashes = dispatch!(Level::new(), simd => Lanes::load(simd, bytes, start).mask_byte(b'\\'));
                    mask_places(escapes.next_block(backslashes)).into_iter().map(move |place| start + place)
                })
                .filter(|at| *at < bytes.len())
                .collect();
            prop_assert_eq!(found, expected);
        }
    }
}
