//! The scanner's place in the text, and the byte that is next.

use super::diagnose;
use crate::base::error::RecordError;
use crate::reading::json::{JsonKind, Span};

/// The result of a scan. The error says why the text is not JSON.
pub(crate) type ScanResult<T> = Result<T, RecordError>;

/// A cursor over one JSON text.
// The order of fields keeps `pos` and `depth` apart. Side by side, a single instruction increments
// both, and must wait until the last write to `pos` is in memory. That took a fifth of the time of
// reading short messages.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Scanner<'a> {
    pub(super) pos: usize,
    pub(super) bytes: &'a [u8],
    /// The number of code points in the last string that was read.
    pub(super) code_points: usize,
    /// The first key that was repeated in an object.
    pub(super) duplicate: Option<Span>,
    pub(super) depth: u32,
    pub(super) has_unicode_escapes: bool,
}

impl<'a> Scanner<'a> {
    /// Creates a scanner at the first byte. The bytes must be UTF-8; the caller checks.
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

    /// Returns the whole text.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the offset of the next unread byte.
    pub(crate) fn position(&self) -> usize {
        self.pos
    }

    /// Returns the kind of the next value.
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
    pub(crate) fn expect_end(&mut self) -> ScanResult<()> {
        self.peek_byte();
        if self.pos == self.bytes.len() {
            Ok(())
        } else {
            Err(self.unexpected("the end of the record"))
        }
    }

    /// Reads `byte` if it is next, and returns true if it was.
    #[inline]
    pub(super) fn take_byte(&mut self, byte: u8) -> bool {
        let is_next = self.bytes.get(self.pos) == Some(&byte);
        self.pos += usize::from(is_next);
        is_next
    }

    /// Skips blanks and returns the next byte. Returns 0, which begins no token, at the end.
    #[inline]
    pub(super) fn peek_byte(&mut self) -> u8 {
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
    pub(super) fn unexpected(&self, wanted: &str) -> RecordError {
        diagnose::unexpected_error(self.bytes, self.pos, wanted)
    }
}
