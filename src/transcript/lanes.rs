//! Sixty-four bytes at a time: where in them something stands, as a bit mask
//! (the first byte's bit is the lowest).
//!
//! The idea is simdjson's (Langdale and Lemire, "Parsing gigabytes of JSON per
//! second", 2019): in logs every second or third word holds an escape, and a
//! branch for each of them costs more than all else.

use wide::u8x16;

/// Bytes looked at together.
pub const LANES: usize = 64;

/// Sixty-four bytes; beyond the end of the text they are blanks.
#[derive(Debug, Clone, Copy)]
pub struct Lanes([u8x16; 4]);

impl Lanes {
    /// The bytes from `at` on.
    #[inline]
    #[must_use]
    pub fn at(bytes: &[u8], at: usize) -> Self {
        let rest = bytes.get(at..).unwrap_or_default();
        match rest.first_chunk::<LANES>() {
            Some(chunk) => Self::new(chunk),
            None => {
                let mut chunk = [b' '; LANES];
                chunk[..rest.len()].copy_from_slice(rest);
                Self::new(&chunk)
            }
        }
    }

    /// These bytes.
    #[inline]
    #[must_use]
    pub fn new(chunk: &[u8; LANES]) -> Self {
        let mut lanes = [u8x16::ZERO; 4];
        for (lane, part) in lanes.iter_mut().zip(chunk.as_chunks::<16>().0) {
            *lane = u8x16::new(*part);
        }
        Self(lanes)
    }

    #[inline]
    fn mask(self, test: impl Fn(u8x16) -> u8x16) -> u64 {
        let [a, b, c, d] = self.0.map(|lane| u64::from(test(lane).to_bitmask()));
        a | b << 16 | c << 32 | d << 48
    }

    /// Where `byte` stands.
    #[inline]
    #[must_use]
    pub fn equal(self, byte: u8) -> u64 {
        let wanted = u8x16::splat(byte);
        self.mask(|lane| lane.simd_eq(wanted))
    }

    /// Where control characters stand (below 0x20).
    #[inline]
    #[must_use]
    pub fn controls(self) -> u64 {
        let last = u8x16::splat(0x1F);
        self.mask(|lane| lane.min(last).simd_eq(lane))
    }

    /// Where bytes stand that continue a code point (UTF-8's 0x80 to 0xBF).
    #[inline]
    #[must_use]
    pub fn continuations(self) -> u64 {
        let (bits, tail) = (u8x16::splat(0xC0), u8x16::splat(0x80));
        self.mask(|lane| (lane & bits).simd_eq(tail))
    }

    /// Whether all is ASCII and no control character.
    #[inline]
    #[must_use]
    pub fn is_text_of_ascii(self) -> bool {
        let last = u8x16::splat(0x1F);
        let [a, b, c, d] = self.0.map(|lane| lane | lane.min(last).simd_eq(lane));
        (a | b | c | d).to_bitmask() == 0
    }

    /// Where bytes stand that are no printable ASCII and no control character: 0x7F and above.
    #[inline]
    #[must_use]
    pub fn beyond_ascii(self) -> u64 {
        let first = u8x16::splat(0x7F);
        self.mask(|lane| lane.max(first).simd_eq(lane))
    }

    /// Where one of these bytes stands.
    #[inline]
    #[must_use]
    pub fn one_of<const N: usize>(self, bytes: [u8; N]) -> u64 {
        let wanted = bytes.map(u8x16::splat);
        self.mask(|lane| any(lane, &wanted))
    }

    /// Where ASCII letters and digits stand.
    #[inline]
    #[must_use]
    pub fn alphanumerics(self) -> u64 {
        self.mask(|lane| letter(lane) | within(lane, b'0', b'9'))
    }

    /// Where ASCII capitals stand.
    #[inline]
    #[must_use]
    pub fn capitals(self) -> u64 {
        self.mask(|lane| within(lane, b'A', b'Z'))
    }

    /// Where ASCII digits stand, or one of these bytes.
    #[inline]
    #[must_use]
    pub fn digits_or<const N: usize>(self, bytes: [u8; N]) -> u64 {
        let wanted = bytes.map(u8x16::splat);
        self.mask(|lane| within(lane, b'0', b'9') | any(lane, &wanted))
    }

    /// Where ASCII letters stand, what is between `first` and `last`, one of these bytes, or a part of a letter beyond ASCII
    /// (0x80 and above).
    #[inline]
    #[must_use]
    pub fn letters_or<const N: usize>(self, [first, last]: [u8; 2], bytes: [u8; N]) -> u64 {
        let wanted = bytes.map(u8x16::splat);
        // A mask takes the highest bit of each byte: beyond ASCII it is set.
        self.mask(|lane| lane | letter(lane) | within(lane, first, last) | any(lane, &wanted))
    }
}

/// Tells escaped bytes from others, block after block.
#[derive(Debug, Clone, Copy, Default)]
pub struct Escapes {
    /// Whether the first byte of the next block is escaped.
    carry: u64,
}

const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;

impl Escapes {
    /// Where in a block bytes stand that a backslash before them escapes.
    /// Backslashes are taken in pairs from the first of each run: one subtraction
    /// carries through a run and leaves a trace of whether it is odd.
    #[inline]
    #[must_use]
    pub fn next(&mut self, backslashes: u64) -> u64 {
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
#[inline]
#[must_use]
pub fn plain_end(bytes: &[u8], at: usize) -> usize {
    let Some(mut rest) = bytes.get(at..) else { return at };
    let (quote, backslash, last_control) = (u8x16::splat(b'"'), u8x16::splat(b'\\'), u8x16::splat(0x1F));
    while let Some((chunk, behind)) = rest.split_first_chunk() {
        let lane = u8x16::new(*chunk);
        // A mask takes the highest bit of each byte: beyond ASCII it is set.
        let found = (lane.simd_eq(quote) | lane.simd_eq(backslash) | lane.min(last_control).simd_eq(lane) | lane).to_bitmask();
        if found != 0 {
            return bytes.len() - rest.len() + found.trailing_zeros() as usize;
        }
        rest = behind;
    }
    bytes.len() - rest.len()
}

#[inline]
fn any(lane: u8x16, bytes: &[u8x16]) -> u8x16 {
    bytes.iter().fold(u8x16::ZERO, |found, byte| found | lane.simd_eq(*byte))
}

#[inline]
fn within(lane: u8x16, first: u8, last: u8) -> u8x16 {
    let above = lane - u8x16::splat(first);
    above.min(u8x16::splat(last - first)).simd_eq(above)
}

#[inline]
fn letter(lane: u8x16) -> u8x16 {
    // This bit is what tells small letters from capitals.
    within(lane | u8x16::splat(0x20), b'a', b'z')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn places(mask: u64) -> Vec<usize> {
        (0..LANES).filter(|place| mask >> place & 1 == 1).collect()
    }

    #[test]
    fn masks_tell_places() {
        let bytes = "a\"b\\c\u{1f} \u{e9}\u{7f}~".as_bytes();
        let lanes = Lanes::at(bytes, 0);
        assert_eq!(places(lanes.equal(b'b')), [2]);
        assert_eq!(places(lanes.controls()), [5]);
        assert_eq!(places(lanes.continuations()), [8]);
        assert_eq!(places(lanes.beyond_ascii()), [7, 8, 9]);
        assert_eq!(places(lanes.one_of([b'b', b'\\', b'x'])), [2, 3]);
        assert_eq!(places(Lanes::at(bytes, 2).equal(b'\\')), [1]);
        assert_eq!(Lanes::at(bytes, 100).controls(), 0);
    }

    #[test]
    fn classes_are_those_of_bytes() {
        for first in (0..=255_u8).step_by(LANES) {
            let bytes: Vec<u8> = (first..=first + 63).collect();
            let lanes = Lanes::at(&bytes, 0);
            let all = |test: &dyn Fn(u8) -> bool| -> Vec<usize> { (0..LANES).filter(|at| test(bytes[*at])).collect() };
            assert_eq!(places(lanes.alphanumerics()), all(&|byte| byte.is_ascii_alphanumeric()));
            assert_eq!(places(lanes.capitals()), all(&|byte| byte.is_ascii_uppercase()));
            for byte in &bytes {
                let alone = Lanes::new(&[*byte; LANES]).is_text_of_ascii();
                assert_eq!(alone, (0x20..0x80).contains(byte), "{byte:#x}");
                let mut chunk = [b'a'; LANES];
                chunk[usize::from(byte % 64)] = *byte;
                assert_eq!(Lanes::new(&chunk).is_text_of_ascii(), alone);
            }
            assert_eq!(places(lanes.digits_or([b'_', b'~'])), all(&|byte| byte.is_ascii_digit() || b"_~".contains(&byte)));
            let wanted = all(&|byte| byte.is_ascii_alphabetic() || (b'-'..=b'7').contains(&byte) || byte == b'_' || byte >= 0x80);
            assert_eq!(places(lanes.letters_or([b'-', b'7'], [b'_'])), wanted);
        }
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
            assert_eq!(plain_end(text.as_bytes(), 0), end, "{text}");
        }
        assert_eq!((plain_end(b"abc", 2), plain_end(b"abc", 9)), (2, 9));
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
            let mut escapes = Escapes::default();
            let found: Vec<usize> = (0..bytes.len())
                .step_by(LANES)
                .flat_map(|start| places(escapes.next(Lanes::at(bytes, start).equal(b'\\'))).into_iter().map(move |place| start + place))
                .filter(|at| *at < bytes.len())
                .collect();
            prop_assert_eq!(found, walked);
        }
    }
}
