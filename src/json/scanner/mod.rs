//! A validating walk over one JSON text that yields byte spans.
//!
//! Why not a crate: splices need the span of every value, and real logs hold
//! lone surrogates, duplicate keys and 30-digit numbers. `serde_json::Value`
//! loses or rejects these, jiter rejects lone surrogates even when skipping.
//! The grammar is checked (RFC 8259), values are not converted: what nobody
//! edits is never decoded. A property test holds it against `serde_json`.

mod diagnose;

use crate::error::RecordError;
use crate::json::decode::{decode_literal, decode_literal_wtf8};
use crate::json::kind::JsonKind;
use crate::json::seen_keys::SeenKeys;
use crate::json::span::Span;
use crate::json::string_scan::scan_string;
use std::borrow::Cow;

/// Deepest nesting that is read: 127 levels, as `serde_json`.
pub const MAX_DEPTH: u32 = 127;

/// What a scan yields: a value, or why the text is no JSON.
pub type ScanResult<T> = std::result::Result<T, RecordError>;

/// A cursor over one JSON text.
// In this order, so that `pos` and `depth` are no neighbours: as such they are raised by one instruction, which has to wait
// until what was just written to `pos` is in memory (a fifth of the time that reading short messages took).
#[repr(C)]
#[derive(Debug)]
pub struct Scanner<'a> {
    pos: usize,
    bytes: &'a [u8],
    points: usize,
    duplicate: Option<Span>,
    depth: u32,
    units: bool,
}

impl<'a> Scanner<'a> {
    /// Starts at the first byte. The bytes must be UTF-8; the caller checks.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            pos: 0,
            bytes,
            points: 0,
            duplicate: None,
            depth: 0,
            units: false,
        }
    }

    /// Byte offset of the next thing to read.
    #[must_use]
    pub fn position(&self) -> usize {
        self.pos
    }

    /// The first key that stood twice in an object scanned with [`Scanner::read_object`].
    #[must_use]
    pub fn duplicate_key(&self) -> Option<Cow<'a, str>> {
        self.duplicate
            .map(|key| decode_literal(key.slice(self.bytes)))
    }

    /// The kind of the value that comes next.
    ///
    /// # Errors
    /// Where no value begins.
    #[inline]
    pub fn peek_kind(&mut self) -> ScanResult<JsonKind> {
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

    /// Only blanks may follow.
    ///
    /// # Errors
    /// On anything else.
    pub fn expect_end(&mut self) -> ScanResult<()> {
        self.peek_byte();
        if self.pos == self.bytes.len() {
            Ok(())
        } else {
            Err(self.unexpected("the end of the record"))
        }
    }

    /// Walks an object; `visit` gets each key as it reads (WTF-8) and must read its value.
    ///
    /// # Errors
    /// Where the grammar is broken, or what `visit` returns.
    pub fn read_object(
        &mut self,
        mut visit: impl FnMut(&mut Self, &[u8]) -> ScanResult<()>,
    ) -> ScanResult<Span> {
        self.read_object_with_key_spans(|s, key| {
            let key = s.decode_last_string(key);
            visit(s, &key)
        })
    }

    /// Walks an object; `visit` gets the literal of each key and must read its value.
    ///
    /// # Errors
    /// Where the grammar is broken, or what `visit` returns.
    pub fn read_object_with_key_spans(
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

    /// Walks an array; `visit` must read one element.
    ///
    /// # Errors
    /// Where the grammar is broken, or what `visit` returns.
    pub fn read_array(
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

    /// Where the next object begins, and behind what: if it is spelled as `known`, the beginning of an object of the same
    /// list, up to and with the quote that opens its last value. Reads nothing.
    #[inline]
    pub fn match_known_start(&mut self, known: Span) -> Option<Span> {
        self.peek_byte();
        let start = self.pos;
        let is_so = self.bytes[start..].starts_with(known.slice(self.bytes));
        is_so.then(|| Span {
            start,
            end: start + known.end - known.start,
        })
    }

    /// Reads an object that has begun (see [`Scanner::match_known_start`]), and the string that it ends with. If it goes on behind
    /// that, nothing is read.
    #[inline]
    pub fn finish_with_text(&mut self, begun: Span) -> Option<(Span, Span)> {
        let scanned = scan_string(self.bytes, begun.end)?;
        let end = scanned.closing_quote + 1;
        if self.bytes.get(end) != Some(&b'}') {
            return None;
        }
        (self.pos, self.points) = (end + 1, scanned.points);
        self.units |= scanned.has_unicode_escape;
        Some((
            Span {
                start: begun.start,
                end: end + 1,
            },
            Span {
                start: begun.end - 1,
                end,
            },
        ))
    }

    /// A string, with its quotes.
    ///
    /// # Errors
    /// If it does not end, or holds a raw control character or a bad escape.
    #[inline(always)]
    pub fn read_string(&mut self) -> ScanResult<Span> {
        if self.peek_byte() != b'"' {
            return Err(self.unexpected("a string"));
        }
        let start = self.pos;
        match scan_string(self.bytes, start + 1) {
            Some(scanned) => {
                (self.pos, self.points) = (scanned.closing_quote + 1, scanned.points);
                self.units |= scanned.has_unicode_escape;
                Ok(Span {
                    start,
                    end: self.pos,
                })
            }
            None => Err(self.broken_string(start + 1)),
        }
    }

    /// Code points of the string that was read last.
    #[must_use]
    pub fn last_string_points(&self) -> usize {
        self.points
    }

    /// Whether a code unit (`\uXXXX`) is escaped in any string that was read or skipped.
    #[must_use]
    pub fn has_unicode_escapes(&self) -> bool {
        self.units
    }

    /// A string as it reads (WTF-8).
    ///
    /// # Errors
    /// If it does not end, or holds a raw control character or a bad escape.
    #[inline(always)]
    pub fn read_text(&mut self) -> ScanResult<Cow<'a, [u8]>> {
        let literal = self.read_string()?;
        Ok(self.decode_last_string(literal))
    }

    /// The text of the string that was read last.
    #[inline(always)]
    fn decode_last_string(&self, literal: Span) -> Cow<'a, [u8]> {
        let inner = &self.bytes[literal.start + 1..literal.end - 1];
        // An escape is longer than what it stands for.
        if inner.len() == self.points {
            Cow::Borrowed(inner)
        } else {
            decode_literal_wtf8(literal.slice(self.bytes))
        }
    }

    /// Any value.
    ///
    /// # Errors
    /// Where the grammar is broken.
    pub fn skip_value(&mut self) -> ScanResult<Span> {
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

    /// Reads the bracket that comes next; the one that it closes stands at `start`.
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
            return Err(self.unterminated("a word"));
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

    #[inline]
    fn take_byte(&mut self, byte: u8) -> bool {
        let found = self.bytes.get(self.pos) == Some(&byte);
        self.pos += usize::from(found);
        found
    }

    /// Skips blanks. The byte that comes next; 0, which begins nothing, at the end.
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
}

/// Checks that `bytes` are one JSON value and nothing else.
///
/// # Errors
/// Where the grammar is broken.
pub fn validate_json(bytes: &[u8]) -> ScanResult<()> {
    let mut scanner = Scanner::new(bytes);
    scanner.skip_value()?;
    scanner.expect_end()
}

/// Whether more bytes could make `bytes` one JSON value.
#[must_use]
pub fn is_unfinished_json(bytes: &[u8]) -> bool {
    validate_json(bytes).is_err_and(|error| error.offset == Some(bytes.len()))
}

#[cfg(test)]
mod tests;
