//! A validating scanner over one JSON text that yields byte spans.
//!
//! Splices need the span of every value, and real logs hold lone surrogates,
//! duplicate keys and 30-digit numbers. `serde_json::Value` loses or rejects
//! these, and jiter rejects lone surrogates even when it skips them. The scanner
//! checks the grammar (RFC 8259) and converts no values: what is not edited is
//! never decoded. A property test compares it with `serde_json`.
//!
//! Without its block-wise string scan, `compact` takes 12 to 18 % longer and
//! `count` 38 to 49 %.

mod diagnose;

use crate::error::RecordError;
use crate::json::decode::{decode_literal, decode_literal_wtf8};
use crate::json::kind::JsonKind;
use crate::json::seen_keys::SeenKeys;
use crate::json::span::Span;
use crate::json::string_scan::scan_string;
use std::borrow::Cow;

/// Deepest nesting that is read, as in `serde_json`.
pub(crate) const MAX_DEPTH: u32 = 127;

/// The result of a scan. The error says why the text is not JSON.
pub(crate) type ScanResult<T> = Result<T, RecordError>;

/// A cursor over one JSON text.
// The order of fields keeps `pos` and `depth` apart. Side by side, a single instruction increments
// both, and must wait until the last write to `pos` is in memory. That took a fifth of the time of
// reading short messages.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Scanner<'a> {
    pos: usize,
    bytes: &'a [u8],
    /// The number of code points in the last string that was read.
    code_points: usize,
    /// The first key that was repeated in an object.
    duplicate: Option<Span>,
    depth: u32,
    has_unicode_escapes: bool,
}

impl<'a> Scanner<'a> {
    /// Creates a scanner at the first byte. The bytes must be UTF-8; the caller checks.
    #[must_use]
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self {
            pos: 0,
            bytes,
            code_points: 0,
            duplicate: None,
            depth: 0,
            has_unicode_escapes: false,
        }
    }

    /// Returns the offset of the next unread byte.
    #[must_use]
    pub(crate) fn position(&self) -> usize {
        self.pos
    }

    /// Returns the first key that was repeated in an object read with [`Scanner::read_object`].
    #[must_use]
    pub(crate) fn duplicate_key(&self) -> Option<Cow<'a, str>> {
        self.duplicate
            .map(|key| decode_literal(key.slice(self.bytes)))
    }

    /// Returns the kind of the next value.
    ///
    /// # Errors
    /// If no value begins here.
    #[inline]
    pub(crate) fn peek_kind(&mut self) -> ScanResult<JsonKind> {
        match self.peek_byte() {
            b'{' => Ok(JsonKind::Object),
            b'[' => Ok(JsonKind::Array),
            b'"' => Ok(JsonKind::String),
            b'-' | b'0'..=b'9' => Ok(JsonKind::Number),
            b't' | b'f' => Ok(JsonKind::Bool),
            b'n' => Ok(JsonKind::Null),
            _ => Err(self.unexpected("a value")),
        }
    }

    /// Checks that only blanks follow.
    ///
    /// # Errors
    /// If anything else follows.
    pub(crate) fn expect_end(&mut self) -> ScanResult<()> {
        self.peek_byte();
        if self.pos == self.bytes.len() {
            Ok(())
        } else {
            Err(self.unexpected("the end of the record"))
        }
    }

    /// Reads an object. Calls `visit` with each key, decoded to WTF-8. `visit` must read the value.
    ///
    /// # Errors
    /// If the object is not JSON, or the error of `visit`.
    pub(crate) fn read_object(
        &mut self,
        mut visit: impl FnMut(&mut Self, &[u8]) -> ScanResult<()>,
    ) -> ScanResult<Span> {
        self.read_object_with_key_spans(|s, key| {
            let key = s.decode_last_string(key);
            visit(s, &key)
        })
    }

    /// Reads an object. Calls `visit` with the span of each key, quotes included. `visit` must read
    /// the value.
    ///
    /// # Errors
    /// If the object is not JSON, or the error of `visit`.
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

    /// Reads an array. `visit` must read one element.
    ///
    /// # Errors
    /// If the array is not JSON, or the error of `visit`.
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

    /// Returns the span of the next bytes if they repeat `known_start`: the start of an earlier
    /// object of the same list, up to and including the quote that opens its last value. Reads only
    /// blanks.
    #[inline]
    pub(crate) fn match_known_start(&mut self, known_start: Span) -> Option<Span> {
        self.peek_byte();
        let start = self.pos;
        let is_equal = self.bytes[start..].starts_with(known_start.slice(self.bytes));
        is_equal.then(|| Span {
            start,
            end: start + known_start.end - known_start.start,
        })
    }

    /// Reads the rest of an object whose start [`Scanner::match_known_start`] matched: a string,
    /// and the bracket that closes the object. Returns the spans of the object and of the string.
    /// Returns `None` and reads nothing if the object has more values.
    #[inline]
    pub(crate) fn finish_object_with_last_string(
        &mut self,
        object_start: Span,
    ) -> Option<(Span, Span)> {
        let scanned = scan_string(self.bytes, object_start.end)?;
        let end = scanned.closing_quote + 1;
        if self.bytes.get(end) != Some(&b'}') {
            return None;
        }
        (self.pos, self.code_points) = (end + 1, scanned.code_points);
        self.has_unicode_escapes |= scanned.has_unicode_escape;
        Some((
            Span {
                start: object_start.start,
                end: end + 1,
            },
            Span {
                start: object_start.end - 1,
                end,
            },
        ))
    }

    /// Reads a string and returns its span, with the quotes.
    ///
    /// # Errors
    /// If it does not end, or holds a raw control character or a bad escape.
    #[inline(always)]
    pub(crate) fn read_string(&mut self) -> ScanResult<Span> {
        if self.peek_byte() != b'"' {
            return Err(self.unexpected("a string"));
        }
        let start = self.pos;
        match scan_string(self.bytes, start + 1) {
            Some(scanned) => {
                (self.pos, self.code_points) = (scanned.closing_quote + 1, scanned.code_points);
                self.has_unicode_escapes |= scanned.has_unicode_escape;
                Ok(Span {
                    start,
                    end: self.pos,
                })
            }
            None => Err(diagnose::string_error(self.bytes, start + 1)),
        }
    }

    /// Returns the number of code points in the last string that was read.
    #[must_use]
    pub(crate) fn last_string_code_points(&self) -> usize {
        self.code_points
    }

    /// Returns true if any string so far holds a `\uXXXX` escape.
    #[must_use]
    pub(crate) fn has_unicode_escapes(&self) -> bool {
        self.has_unicode_escapes
    }

    /// Reads a string and decodes it (WTF-8).
    ///
    /// # Errors
    /// If it does not end, or holds a raw control character or a bad escape.
    #[inline(always)]
    pub(crate) fn read_text(&mut self) -> ScanResult<Cow<'a, [u8]>> {
        let literal = self.read_string()?;
        Ok(self.decode_last_string(literal))
    }

    /// Decodes the last string that was read.
    #[inline(always)]
    fn decode_last_string(&self, literal: Span) -> Cow<'a, [u8]> {
        let inner = &self.bytes[literal.start + 1..literal.end - 1];
        // Equal lengths mean ASCII without escapes: an escape takes more bytes than the code point
        // that it spells.
        if inner.len() == self.code_points {
            Cow::Borrowed(inner)
        } else {
            decode_literal_wtf8(literal.slice(self.bytes))
        }
    }

    /// Reads any value and returns its span.
    ///
    /// # Errors
    /// If the value is not JSON.
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
        Span {
            start,
            end: self.pos,
        }
    }

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
        Ok(Span {
            start,
            end: self.pos,
        })
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
        Ok(Span {
            start,
            end: self.pos,
        })
    }

    /// Reads `byte` if it is next, and returns true if it was.
    #[inline]
    fn take_byte(&mut self, byte: u8) -> bool {
        let is_next = self.bytes.get(self.pos) == Some(&byte);
        self.pos += usize::from(is_next);
        is_next
    }

    /// Skips blanks and returns the next byte. Returns 0, which begins no token, at the end.
    #[inline]
    fn peek_byte(&mut self) -> u8 {
        loop {
            match self.bytes.get(self.pos) {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.pos += 1,
                Some(byte) => return *byte,
                None => return 0,
            }
        }
    }

    /// Returns the error that something other than `wanted` is next.
    #[cold]
    fn unexpected(&self, wanted: &str) -> RecordError {
        diagnose::unexpected_error(self.bytes, self.pos, wanted)
    }
}

/// Checks that `bytes` are exactly one JSON value.
///
/// # Errors
/// If they are not.
pub(crate) fn validate_json(bytes: &[u8]) -> ScanResult<()> {
    let mut scanner = Scanner::new(bytes);
    scanner.skip_value()?;
    scanner.expect_end()
}

/// Returns true if more bytes could make `bytes` one JSON value.
#[must_use]
pub(crate) fn is_unfinished_json(bytes: &[u8]) -> bool {
    validate_json(bytes).is_err_and(|error| error.offset == Some(bytes.len()))
}

#[cfg(test)]
mod tests;
