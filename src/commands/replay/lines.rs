//! Lines of JSON in the making: mostly keys that are known and small numbers.
//! A replay writes one for each answer of a log, so a fifth of its time went
//! into asking for room, and into copying a few digits at a time.

use serde::Serialize;

/// Lines, and the beginning of one.
pub(super) struct Lines {
    whole: Vec<u8>,
    /// Keys and numbers gather in a place of a known size, where none of them has to ask for room.
    short: Box<[u8; Lines::SHORT]>,
    len: usize,
    kept: Number,
}

impl Lines {
    /// Keys and numbers that may follow each other with no other value between them, in bytes.
    const SHORT: usize = 1024;

    /// None yet, with room for so many bytes.
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self { whole: Vec::with_capacity(bytes), short: Box::new([0; Self::SHORT]), len: 0, kept: Number::ZERO }
    }

    /// Adds a key, or what else is a constant.
    #[inline(always)]
    pub(super) fn put<const N: usize>(&mut self, key: &[u8; N]) {
        self.short[self.len..self.len + N].copy_from_slice(key);
        self.len += N;
    }

    /// Adds a key and a number.
    #[inline(always)]
    pub(super) fn number<const N: usize>(&mut self, key: &[u8; N], value: impl Into<Number>) {
        self.put(key);
        let Number { value, digits, count } = value.into();
        if count > 0 {
            self.put(&digits);
            self.len -= digits.len() - count;
        } else {
            self.text(value.to_string().as_bytes());
        }
    }

    /// Keeps a number for the next line. Returns the one that was kept.
    #[inline(always)]
    pub(super) fn keep(&mut self, number: Number) -> Number {
        std::mem::replace(&mut self.kept, number)
    }

    /// Adds what reads in JSON as it is written here.
    pub(super) fn text(&mut self, text: &[u8]) {
        self.flush();
        self.whole.extend_from_slice(text);
    }

    /// Adds a key and any value.
    pub(super) fn json<const N: usize>(&mut self, key: &[u8; N], value: &impl Serialize) {
        self.put(key);
        self.flush();
        // Memory takes all there is to write, and all of these have a form.
        let _ = serde_json::to_writer(&mut self.whole, value);
    }

    #[inline]
    fn flush(&mut self) {
        if self.len == 0 {
            return;
        }
        self.whole.extend_from_slice(&self.short[..self.len]);
        self.len = 0;
    }

    /// Ends a line.
    #[inline(always)]
    pub(super) fn end(&mut self) {
        self.put(b"}\n");
        self.flush();
    }

    /// All that was added.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.flush();
        self.whole
    }
}

/// A number, to be spelled once and written as often as it is said.
#[derive(Clone, Copy)]
pub(super) struct Number {
    value: usize,
    digits: [u8; 8],
    /// How many digits there are; 0 where it has more than so many.
    count: usize,
}

impl Number {
    /// 0.
    pub(super) const ZERO: Self = Self { value: 0, digits: *b"00000000", count: 1 };

    /// The number `value`, which often is this one.
    #[inline(always)]
    pub(super) fn or(self, value: usize) -> Self {
        if value == self.value { self } else { value.into() }
    }
}

impl From<usize> for Number {
    #[inline(always)]
    fn from(value: usize) -> Self {
        let (digits, count) = if value < 100_000_000 { digits(value as u64) } else { ([0; 8], 0) };
        Self { value, digits, count }
    }
}

/// The digits of a number below 10^8 in front, and how many they are. Halves, quarters and then digits are told apart all at
/// once, each in a lane of its own, by multiplication with what is nearly 1/100 and 1/10 (Khuong, "How to print integers
/// really fast", 2017).
#[inline(always)]
fn digits(number: u64) -> ([u8; 8], usize) {
    let fours = (number / 10_000) | (number % 10_000) << 32;
    let hundreds = ((fours * 10_486) >> 20) & 0x7F_0000_007F;
    let twos = hundreds | (fours - 100 * hundreds) << 16;
    let tens = ((twos * 103) >> 10) & 0x000F_000F_000F_000F;
    let ones = tens | (twos - 10 * tens) << 8;
    // The first digit is the lowest byte; of 0 one is left.
    let zeros = (ones | 1 << 56).trailing_zeros() / 8;
    let text = (ones + 0x3030_3030_3030_3030) >> (8 * zeros);
    (text.to_le_bytes(), 8 - zeros as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(value: usize) -> String {
        let mut lines = Lines::with_capacity(0);
        lines.number(b"[", value);
        lines.number(b",", Number::ZERO.or(value));
        lines.put(b"]");
        String::from_utf8(lines.finish()).unwrap()
    }

    #[test]
    fn numbers_of_every_length_are_spelled_out() {
        for power in 0..=19 {
            let first = 10_usize.pow(power);
            for value in [first - 1, first, first + 1, first.saturating_mul(9)] {
                assert_eq!(written(value), format!("[{value},{value}]"));
            }
        }
    }

    #[test]
    fn a_number_is_kept_for_the_next_line() {
        let mut lines = Lines::with_capacity(0);
        for (number, kept) in [(5, 0), (123_456_789, 5), (6, 123_456_789)] {
            assert_eq!(lines.keep(number.into()).value, kept);
        }
    }

    #[test]
    fn values_of_any_length_stand_between_keys() {
        let mut lines = Lines::with_capacity(0);
        let long = "x\n".repeat(Lines::SHORT);
        for _ in 0..100 {
            lines.json(b"{\"a\":", &long);
            lines.number(b",\"b\":", 7);
            lines.end();
        }
        let line = format!("{}\n", serde_json::json!({"a": long, "b": 7}));
        assert_eq!(String::from_utf8(lines.finish()).unwrap(), line.repeat(100));
    }

    proptest! {
        #[test]
        fn numbers_are_spelled_as_usual(value in 0..100_000_000_usize, shift in 0..27_u32) {
            let value = value >> shift;
            prop_assert_eq!(written(value), format!("[{value},{value}]"));
        }
    }
}
