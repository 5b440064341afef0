//! A validating walk over one JSON text that yields byte spans.
//!
//! Why not a crate: splices need the span of every value, and real logs hold
//! lone surrogates, duplicate keys and 30-digit numbers. `serde_json::Value`
//! loses or rejects these, jiter rejects lone surrogates even when skipping.
//! The grammar is checked (RFC 8259), values are not converted: what nobody
//! edits is never decoded. A property test holds it against `serde_json`.

mod faults;

use crate::error::RecordError;
use crate::json::keys::Keys;
use crate::json::{literal, text};
use std::borrow::Cow;

/// Half-open byte range in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The bytes of the span.
    #[must_use]
    pub fn of(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.start..self.end]
    }

    /// The same span counted from a later byte.
    #[must_use]
    pub fn back(self, start: usize) -> Self {
        Self {
            start: self.start - start,
            end: self.end - start,
        }
    }
}

/// What a JSON value is, told by its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `{`
    Object,
    /// `[`
    Array,
    /// `"`
    String,
    /// `-` or a digit
    Number,
    /// `true` or `false`
    Bool,
    /// `null`
    Null,
}

impl Kind {
    /// The kind with its article, for messages.
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            Self::Object => "an object",
            Self::Array => "an array",
            Self::String => "a string",
            Self::Number => "a number",
            Self::Bool => "a boolean",
            Self::Null => "null",
        }
    }
}

/// Deepest nesting that is read: 127 levels, as `serde_json`.
pub const MAX_DEPTH: u32 = 127;

/// What a scan yields: a value, or why the text is no JSON.
pub type Result<T> = std::result::Result<T, RecordError>;

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

    /// The first key that stood twice in an object walked with [`Scanner::object`].
    #[must_use]
    pub fn duplicate_key(&self) -> Option<Cow<'a, str>> {
        self.duplicate.map(|key| text::decode(key.of(self.bytes)))
    }

    /// The kind of the value that comes next.
    ///
    /// # Errors
    /// Where no value begins.
    #[inline]
    pub fn peek(&mut self) -> Result<Kind> {
        match self.ahead() {
            b'{' => Ok(Kind::Object),
            b'[' => Ok(Kind::Array),
            b'"' => Ok(Kind::String),
            b'-' | b'0'..=b'9' => Ok(Kind::Number),
            b't' | b'f' => Ok(Kind::Bool),
            b'n' => Ok(Kind::Null),
            _ => Err(self.unexpected("a value")),
        }
    }

    /// Only blanks may follow.
    ///
    /// # Errors
    /// On anything else.
    pub fn end(&mut self) -> Result<()> {
        self.ahead();
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
    pub fn object(
        &mut self,
        mut visit: impl FnMut(&mut Self, &[u8]) -> Result<()>,
    ) -> Result<Span> {
        self.object_with_keys(|s, key| {
            let key = s.text_of(key);
            visit(s, &key)
        })
    }

    /// Walks an object; `visit` gets the literal of each key and must read its value.
    ///
    /// # Errors
    /// Where the grammar is broken, or what `visit` returns.
    pub fn object_with_keys(
        &mut self,
        mut visit: impl FnMut(&mut Self, Span) -> Result<()>,
    ) -> Result<Span> {
        let mut keys = Keys::default();
        self.members(|s, key| {
            if keys.see(s.bytes, key) {
                s.duplicate.get_or_insert(key);
            }
            visit(s, key)
        })
    }

    fn members(&mut self, mut visit: impl FnMut(&mut Self, Span) -> Result<()>) -> Result<Span> {
        let start = self.open(b'{', "an object")?;
        if self.ahead() != b'}' {
            loop {
                let key = self.string()?;
                if self.ahead() != b':' {
                    return Err(self.unexpected("':'"));
                }
                self.pos += 1;
                visit(self, key)?;
                match self.ahead() {
                    b'}' => break,
                    b',' => self.pos += 1,
                    _ => return Err(self.unexpected("',' or '}'")),
                }
            }
        }
        Ok(self.close(start))
    }

    /// Walks an array; `visit` must read one element.
    ///
    /// # Errors
    /// Where the grammar is broken, or what `visit` returns.
    pub fn array(&mut self, mut visit: impl FnMut(&mut Self) -> Result<()>) -> Result<Span> {
        let start = self.open(b'[', "an array")?;
        if self.ahead() != b']' {
            loop {
                visit(self)?;
                match self.ahead() {
                    b']' => break,
                    b',' => self.pos += 1,
                    _ => return Err(self.unexpected("',' or ']'")),
                }
            }
        }
        Ok(self.close(start))
    }

    /// Where the next object begins, and behind what: if it is spelled as `known`, the beginning of an object of the same
    /// list, up to and with the quote that opens its last value. Reads nothing.
    #[inline]
    pub fn begins_as(&mut self, known: Span) -> Option<Span> {
        self.ahead();
        let start = self.pos;
        let is_so = self.bytes[start..].starts_with(known.of(self.bytes));
        is_so.then(|| Span {
            start,
            end: start + known.end - known.start,
        })
    }

    /// Reads an object that has begun (see [`Scanner::begins_as`]), and the string that it ends with. If it goes on behind
    /// that, nothing is read.
    #[inline]
    pub fn ends_with_text(&mut self, begun: Span) -> Option<(Span, Span)> {
        let walked = literal::walk(self.bytes, begun.end)?;
        let end = walked.quote + 1;
        if self.bytes.get(end) != Some(&b'}') {
            return None;
        }
        (self.pos, self.points) = (end + 1, walked.points);
        self.units |= walked.units;
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
    pub fn string(&mut self) -> Result<Span> {
        if self.ahead() != b'"' {
            return Err(self.unexpected("a string"));
        }
        let start = self.pos;
        match literal::walk(self.bytes, start + 1) {
            Some(walked) => {
                (self.pos, self.points) = (walked.quote + 1, walked.points);
                self.units |= walked.units;
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
    pub fn points(&self) -> usize {
        self.points
    }

    /// Whether a code unit (`\uXXXX`) is escaped in any string that was read or skipped.
    #[must_use]
    pub fn has_units(&self) -> bool {
        self.units
    }

    /// A string as it reads (WTF-8).
    ///
    /// # Errors
    /// If it does not end, or holds a raw control character or a bad escape.
    #[inline(always)]
    pub fn text(&mut self) -> Result<Cow<'a, [u8]>> {
        let literal = self.string()?;
        Ok(self.text_of(literal))
    }

    /// The text of the string that was read last.
    #[inline(always)]
    fn text_of(&self, literal: Span) -> Cow<'a, [u8]> {
        let inner = &self.bytes[literal.start + 1..literal.end - 1];
        // An escape is longer than what it stands for.
        if inner.len() == self.points {
            Cow::Borrowed(inner)
        } else {
            text::decode_wtf8(literal.of(self.bytes))
        }
    }

    /// Any value.
    ///
    /// # Errors
    /// Where the grammar is broken.
    pub fn skip(&mut self) -> Result<Span> {
        match self.peek()? {
            Kind::String => self.string(),
            Kind::Object => self.members(|s, _| s.skip().map(drop)),
            Kind::Array => self.array(|s| s.skip().map(drop)),
            Kind::Number => self.number(),
            Kind::Bool if self.bytes[self.pos] == b't' => self.word(b"true"),
            Kind::Bool => self.word(b"false"),
            Kind::Null => self.word(b"null"),
        }
    }

    fn open(&mut self, bracket: u8, what: &str) -> Result<usize> {
        if self.ahead() != bracket {
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
    fn close(&mut self, start: usize) -> Span {
        self.depth -= 1;
        self.pos += 1;
        Span {
            start,
            end: self.pos,
        }
    }

    fn number(&mut self) -> Result<Span> {
        let start = self.pos;
        self.take(b'-');
        match self.bytes.get(self.pos) {
            Some(b'0') => self.pos += 1,
            Some(b'1'..=b'9') => self.digits(),
            _ => return Err(self.unexpected("a digit")),
        }
        if self.take(b'.') {
            self.need_digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            if !self.take(b'+') {
                self.take(b'-');
            }
            self.need_digits()?;
        }
        Ok(Span {
            start,
            end: self.pos,
        })
    }

    fn need_digits(&mut self) -> Result<()> {
        if !self.bytes.get(self.pos).is_some_and(u8::is_ascii_digit) {
            return Err(self.unexpected("a digit"));
        }
        self.digits();
        Ok(())
    }

    fn digits(&mut self) {
        while self.bytes.get(self.pos).is_some_and(u8::is_ascii_digit) {
            self.pos += 1;
        }
    }

    fn word(&mut self, word: &[u8]) -> Result<Span> {
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
    fn take(&mut self, byte: u8) -> bool {
        let found = self.bytes.get(self.pos) == Some(&byte);
        self.pos += usize::from(found);
        found
    }

    /// Skips blanks. The byte that comes next; 0, which begins nothing, at the end.
    #[inline]
    fn ahead(&mut self) -> u8 {
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
pub fn validate(bytes: &[u8]) -> Result<()> {
    let mut scanner = Scanner::new(bytes);
    scanner.skip()?;
    scanner.end()
}

/// Whether more bytes could make `bytes` one JSON value.
#[must_use]
pub fn is_unfinished(bytes: &[u8]) -> bool {
    validate(bytes).is_err_and(|error| error.offset == Some(bytes.len()))
}

#[cfg(test)]
mod tests;
