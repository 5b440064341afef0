//! Numbers, and the words `true`, `false` and `null`.

use super::cursor::{ScanResult, Scanner};
use super::diagnose;
use crate::reading::json::span::Span;

impl Scanner<'_> {
    pub(super) fn read_number(&mut self) -> ScanResult<Span> {
        let start = self.pos;
        self.take_byte(b'-');
        match self.bytes.get(self.pos) {
            Some(b'0') => self.pos += 1,
            Some(b'1'..=b'9') => self.skip_digits(),
            _ => return Err(self.unexpected("a digit")),
        }
        if self.take_byte(b'.') {
            self.require_digits()?;
        }
        if self.take_byte(b'e') || self.take_byte(b'E') {
            if !self.take_byte(b'+') {
                self.take_byte(b'-');
            }
            self.require_digits()?;
        }
        Ok(Span { start, end: self.pos })
    }

    /// Reads digits, at least one.
    fn require_digits(&mut self) -> ScanResult<()> {
        if !self.bytes.get(self.pos).is_some_and(u8::is_ascii_digit) {
            return Err(self.unexpected("a digit"));
        }
        self.skip_digits();
        Ok(())
    }

    fn skip_digits(&mut self) {
        while self.bytes.get(self.pos).is_some_and(u8::is_ascii_digit) {
            self.pos += 1;
        }
    }

    pub(super) fn read_word(&mut self, word: &[u8]) -> ScanResult<Span> {
        let start = self.pos;
        let rest = &self.bytes[start..];
        if rest.len() < word.len() && word.starts_with(rest) {
            return Err(diagnose::unterminated_error(self.bytes, "a word"));
        }
        if !rest.starts_with(word) {
            return Err(self.unexpected("a value"));
        }
        self.pos += word.len();
        Ok(Span { start, end: self.pos })
    }
}
