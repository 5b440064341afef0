//! JSON lines built from constant keys and small numbers.
//!
//! Replay writes a line for each answer of a log, which takes as long as reading a short message.
//! `serde_json::to_writer` of a struct instead took 41 % more CPU time in `replay` of plain chat
//! (400 messages of 120 characters a transcript, `scripts/bench.sh --lengths 400 --chat 120`).
//!
//! Measured by `cargo bench --features benching --bench tricks` (2026-11): a struct written
//! by serde_json takes 3.0 times as long.

use serde::Serialize;

/// Bytes of consecutive keys and numbers that may be buffered.
const BUFFER_BYTES: usize = 1024;

/// JSON lines under construction.
pub(crate) struct JsonLines {
    bytes: Vec<u8>,
    /// Keys and numbers are gathered here: a buffer of constant size needs no check for capacity.
    buffer: Box<[u8; BUFFER_BYTES]>,
    buffered: usize,
    /// A number of the previous line.
    carried: SpelledNumber,
}

impl JsonLines {
    /// Returns an empty list of lines with room for `bytes` bytes.
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(bytes),
            buffer: Box::new([0; BUFFER_BYTES]),
            buffered: 0,
            carried: SpelledNumber::ZERO,
        }
    }

    /// Appends a key or another constant.
    #[inline(always)]
    pub(crate) fn push_key<const N: usize>(&mut self, key: &[u8; N]) {
        self.buffer[self.buffered..self.buffered + N].copy_from_slice(key);
        self.buffered += N;
    }

    /// Appends a key and a number.
    #[inline(always)]
    pub(crate) fn push_number<const N: usize>(
        &mut self,
        key: &[u8; N],
        value: impl Into<SpelledNumber>,
    ) {
        self.push_key(key);
        let SpelledNumber { digits, len, .. } = value.into();
        // Copying all digits and taking back the unused is a move or two. Copying a length known
        // only at run time would be a call.
        self.push_key(&digits);
        self.buffered -= digits.len() - len;
    }

    /// Appends a key and any value.
    pub(crate) fn push_value<const N: usize>(&mut self, key: &[u8; N], value: &impl Serialize) {
        self.push_key(key);
        self.flush();
        // Writing to memory can't fail, and all of these values have a JSON form.
        let _ = serde_json::to_writer(&mut self.bytes, value);
    }

    /// Appends bytes that are JSON already.
    pub(crate) fn push_json(&mut self, json: &[u8]) {
        self.flush();
        self.bytes.extend_from_slice(json);
    }

    /// Carries a number over to the next line and returns the number of the previous line.
    #[inline(always)]
    pub(crate) fn carry_number(&mut self, number: SpelledNumber) -> SpelledNumber {
        std::mem::replace(&mut self.carried, number)
    }

    /// Closes the object of a line and ends the line.
    #[inline(always)]
    pub(crate) fn end_line(&mut self) {
        self.push_key(b"}\n");
        self.flush();
    }

    pub(crate) fn into_bytes(mut self) -> Vec<u8> {
        self.flush();
        self.bytes
    }

    #[inline]
    fn flush(&mut self) {
        if self.buffered > 0 {
            self.bytes.extend_from_slice(&self.buffer[..self.buffered]);
            self.buffered = 0;
        }
    }
}

/// A number with its decimal digits. It is spelled once and written many times.
#[derive(Clone, Copy)]
pub(crate) struct SpelledNumber {
    value: usize,
    /// The digits, from the front.
    digits: [u8; 20],
    /// The number of digits.
    len: usize,
}

impl SpelledNumber {
    /// 0.
    pub(crate) const ZERO: Self = Self { value: 0, digits: [b'0'; 20], len: 1 };

    /// Returns `value` spelled, without spelling it again if it equals this number.
    #[inline(always)]
    pub(crate) fn respell(self, value: usize) -> Self {
        if value == self.value { self } else { value.into() }
    }
}

impl From<usize> for SpelledNumber {
    #[inline(always)]
    fn from(value: usize) -> Self {
        let mut buffer = itoa::Buffer::new();
        let text = buffer.format(value).as_bytes();
        let mut digits = [0; 20];
        digits[..text.len()].copy_from_slice(text);
        Self { value, digits, len: text.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_length_are_spelled_out() {
        for power in 0..=19 {
            let first = 10_usize.pow(power);
            for value in [first - 1, first, first + 1, first.saturating_mul(9)] {
                let mut lines = JsonLines::with_capacity(0);
                lines.push_number(b"[", value);
                lines.push_number(b",", SpelledNumber::ZERO.respell(value));
                lines.push_key(b"]");
                assert_eq!(lines.into_bytes(), format!("[{value},{value}]").into_bytes());
            }
        }
    }

    #[test]
    fn a_number_is_carried_to_the_next_line() {
        let mut lines = JsonLines::with_capacity(0);
        for (number, carried) in [(5, 0), (123_456_789, 5), (6, 123_456_789)] {
            assert_eq!(lines.carry_number(number.into()).value, carried);
        }
    }

    #[test]
    fn values_of_any_length_stand_between_keys() {
        let mut lines = JsonLines::with_capacity(0);
        let long = "x\n".repeat(BUFFER_BYTES);
        for _ in 0..100 {
            lines.push_value(b"{\"a\":", &long);
            lines.push_number(b",\"b\":", 7);
            lines.end_line();
        }
        let line = format!("{}\n", serde_json::json!({"a": long, "b": 7}));
        assert_eq!(String::from_utf8(lines.into_bytes()).unwrap(), line.repeat(100));
    }
}
