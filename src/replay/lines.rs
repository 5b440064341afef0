//! Lines of JSON in the making: mostly keys that are known and small numbers.
//! A replay writes one for each answer of a log, so a fifth of its time went
//! into asking for room and spelling the same numbers again.

use serde::Serialize;

/// Lines, and the beginning of one.
pub(crate) struct Lines {
    whole: Vec<u8>,
    /// Keys and numbers gather in a place of a known size, where none of them has to ask for room.
    short: Box<[u8; Lines::SHORT]>,
    len: usize,
    /// A number of the line before.
    kept: Number,
}

impl Lines {
    /// Keys and numbers that may follow each other with no other value between them, in bytes.
    const SHORT: usize = 1024;

    /// None yet, with room for so many bytes.
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self {
            whole: Vec::with_capacity(bytes),
            short: Box::new([0; Self::SHORT]),
            len: 0,
            kept: Number::ZERO,
        }
    }

    /// Adds a key, or what else is a constant.
    #[inline(always)]
    pub(crate) fn put<const N: usize>(&mut self, key: &[u8; N]) {
        self.short[self.len..self.len + N].copy_from_slice(key);
        self.len += N;
    }

    /// Adds a key and a number.
    #[inline(always)]
    pub(crate) fn number<const N: usize>(&mut self, key: &[u8; N], value: impl Into<Number>) {
        self.put(key);
        let Number { digits, count, .. } = value.into();
        // To put all and take back what does not count is a move or two; a length that is known only now is a call.
        self.put(&digits);
        self.len -= digits.len() - count;
    }

    /// Keeps a number for the next line. Returns the one that was kept.
    #[inline(always)]
    pub(crate) fn keep(&mut self, number: Number) -> Number {
        std::mem::replace(&mut self.kept, number)
    }

    /// Adds what reads in JSON as it is written here.
    pub(crate) fn text(&mut self, text: &[u8]) {
        self.flush();
        self.whole.extend_from_slice(text);
    }

    /// Adds a key and any value.
    pub(crate) fn json<const N: usize>(&mut self, key: &[u8; N], value: &impl Serialize) {
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
    pub(crate) fn end(&mut self) {
        self.put(b"}\n");
        self.flush();
    }

    /// All that was added.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.flush();
        self.whole
    }
}

/// A number, to be spelled once and written as often as it is said.
#[derive(Clone, Copy)]
pub(crate) struct Number {
    value: usize,
    /// Its digits in front, and how many they are.
    digits: [u8; 20],
    count: usize,
}

impl Number {
    /// 0.
    pub(crate) const ZERO: Self = Self {
        value: 0,
        digits: [b'0'; 20],
        count: 1,
    };

    /// The number `value`, which often is this one.
    #[inline(always)]
    pub(crate) fn or(self, value: usize) -> Self {
        if value == self.value {
            self
        } else {
            value.into()
        }
    }
}

impl From<usize> for Number {
    #[inline(always)]
    fn from(value: usize) -> Self {
        let mut buffer = itoa::Buffer::new();
        let text = buffer.format(value).as_bytes();
        let mut digits = [0; 20];
        digits[..text.len()].copy_from_slice(text);
        Self {
            value,
            digits,
            count: text.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
