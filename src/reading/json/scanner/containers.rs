//! Objects and arrays, numbers and words, and values of any kind.

use super::cursor::{ScanResult, Scanner};
use super::diagnose;
use crate::base::error::RecordError;
use crate::reading::json::seen_keys::SeenKeys;
use crate::reading::json::{JsonKind, Span, decode_literal};
use std::borrow::Cow;

/// Deepest nesting that is read, as in `serde_json`.
const MAX_DEPTH: u32 = 127;

impl<'a> Scanner<'a> {
    /// Returns the first key that was repeated in an object read with [`Scanner::read_object`].
    pub(crate) fn duplicate_key(&self) -> Option<Cow<'a, str>> {
        self.duplicate.map(|key| decode_literal(key.slice(self.bytes)))
    }

    /// Reads an object. `visit` is called for each entry with its decoded key (WTF-8), and must
    /// read the value. Passes on every error of `visit`.
    pub(crate) fn read_object(
        &mut self,
        mut visit: impl FnMut(&mut Self, &[u8]) -> ScanResult<()>,
    ) -> ScanResult<Span> {
        self.read_object_with_key_spans(|s, key| {
            let key = s.decode_last_string(key);
            visit(s, &key)
        })
    }

    /// Reads an object. `visit` is called for each entry with the literal of its key, and must read
    /// the value. Passes on every error of `visit`.
    pub(crate) fn read_object_with_key_spans(
        &mut self,
        mut visit: impl FnMut(&mut Self, Span) -> ScanResult<()>,
    ) -> ScanResult<Span> {
        let mut keys = SeenKeys::default();
        self.read_members(|s, key| {
            if keys.observe_key(s.bytes, key) {
                s.duplicate.get_or_insert(key);
            }
            visit(s, key)
        })
    }

    /// Reads an object without a check for repeated keys.
    fn read_members(
        &mut self,
        mut visit: impl FnMut(&mut Self, Span) -> ScanResult<()>,
    ) -> ScanResult<Span> {
        let start = self.open_bracket(b'{', "an object")?;
        if self.peek_byte() != b'}' {
            loop {
                let key = self.read_string()?;
                if self.peek_byte() != b':' {
                    return Err(self.unexpected("':'"));
                }
                self.pos += 1;
                visit(self, key)?;
                match self.peek_byte() {
                    b'}' => break,
                    b',' => self.pos += 1,
                    _ => return Err(self.unexpected("',' or '}'")),
                }
            }
        }
        Ok(self.close_bracket(start))
    }

    /// Reads an array. `visit` is called for each element, and must read it. Passes on every error
    /// of `visit`.
    pub(crate) fn read_array(
        &mut self,
        mut visit: impl FnMut(&mut Self) -> ScanResult<()>,
    ) -> ScanResult<Span> {
        let start = self.open_bracket(b'[', "an array")?;
        if self.peek_byte() != b']' {
            loop {
                visit(self)?;
                match self.peek_byte() {
                    b']' => break,
                    b',' => self.pos += 1,
                    _ => return Err(self.unexpected("',' or ']'")),
                }
            }
        }
        Ok(self.close_bracket(start))
    }

    /// Reads any value and returns its span.
    pub(crate) fn skip_value(&mut self) -> ScanResult<Span> {
        match self.peek_kind()? {
            JsonKind::String => self.read_string(),
            JsonKind::Object => self.read_members(|s, _| s.skip_value().map(drop)),
            JsonKind::Array => self.read_array(|s| s.skip_value().map(drop)),
            JsonKind::Number => self.read_number(),
            JsonKind::Bool if self.bytes[self.pos] == b't' => self.read_word(b"true"),
            JsonKind::Bool => self.read_word(b"false"),
            JsonKind::Null => self.read_word(b"null"),
        }
    }

    /// Reads an opening bracket and returns its offset. `what` it opens is named in errors.
    fn open_bracket(&mut self, bracket: u8, what: &str) -> ScanResult<usize> {
        if self.peek_byte() != bracket {
            return Err(self.unexpected(what));
        }
        if self.depth == MAX_DEPTH {
            return Err(RecordError::at(
                self.pos,
                format!("nested deeper than {MAX_DEPTH} levels"),
            ));
        }
        self.depth += 1;
        self.pos += 1;
        Ok(self.pos - 1)
    }

    /// Reads the next byte as the bracket that closes the value which begins at `start`.
    fn close_bracket(&mut self, start: usize) -> Span {
        self.depth -= 1;
        self.pos += 1;
        Span { start, end: self.pos }
    }
}

impl Scanner<'_> {
    fn read_number(&mut self) -> ScanResult<Span> {
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

    fn read_word(&mut self, word: &[u8]) -> ScanResult<Span> {
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

/// Checks that `bytes` are exactly one JSON value.
pub(crate) fn validate_json(bytes: &[u8]) -> ScanResult<()> {
    let mut scanner = Scanner::new(bytes);
    scanner.skip_value()?;
    scanner.expect_end()
}

/// Returns true if `bytes` is one JSON object.
pub(crate) fn is_json_object(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().starts_with(b"{") && validate_json(bytes).is_ok()
}

/// Returns true if more bytes could make `bytes` one JSON value.
pub(crate) fn is_unfinished_json(bytes: &[u8]) -> bool {
    validate_json(bytes).is_err_and(|error| error.offset == Some(bytes.len()))
}
