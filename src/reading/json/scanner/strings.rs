//! Strings, and objects of which only the last string is new.

use super::cursor::{ScanResult, Scanner};
use super::diagnose;
use crate::reading::json::string_scan::scan_string;
use crate::reading::json::{Span, decode_literal_wtf8};
use std::borrow::Cow;

impl<'a> Scanner<'a> {
    /// Reads a string and returns its span, with the quotes. Fails if the string does not end, or
    /// holds a raw control character or a bad escape.
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
                Ok(Span { start, end: self.pos })
            }
            None => Err(diagnose::string_error(self.bytes, start + 1)),
        }
    }

    /// Returns the number of code points in the last string that was read.
    pub(crate) fn last_string_code_points(&self) -> usize {
        self.code_points
    }

    /// Returns true if any string so far holds a `\uXXXX` escape.
    pub(crate) fn has_unicode_escapes(&self) -> bool {
        self.has_unicode_escapes
    }

    /// Reads a string and decodes it (WTF-8). Fails if the string does not end, or holds a raw
    /// control character or a bad escape.
    #[inline(always)]
    pub(crate) fn read_text(&mut self) -> ScanResult<Cow<'a, [u8]>> {
        let literal = self.read_string()?;
        Ok(self.decode_last_string(literal))
    }

    /// Decodes the last string that was read.
    #[inline(always)]
    pub(super) fn decode_last_string(&self, literal: Span) -> Cow<'a, [u8]> {
        let inner = &self.bytes[literal.start + 1..literal.end - 1];
        // An escape and a character outside ASCII take more bytes than code points. With neither,
        // the literal is its own decoded text.
        if inner.len() == self.code_points {
            Cow::Borrowed(inner)
        } else {
            decode_literal_wtf8(literal.slice(self.bytes))
        }
    }

    /// Returns the span of the object's beginning if the next bytes equal those of `known_start`.
    /// That is the beginning of an earlier object in the same list, from its brace to the quote that
    /// opens its last value. Skips blanks and reads nothing else.
    #[inline]
    pub(crate) fn match_known_start(&mut self, known_start: Span) -> Option<Span> {
        self.peek_byte();
        let start = self.pos;
        let is_equal = self.bytes[start..].starts_with(known_start.slice(self.bytes));
        is_equal.then(|| Span { start, end: start + known_start.end - known_start.start })
    }

    /// Reads the rest of an object whose beginning [`Scanner::match_known_start`] found: the string
    /// that is its last value, and the closing brace. Returns the span of the object and that of
    /// the string. Returns `None` and reads nothing if anything but the brace follows the string.
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
            Span { start: object_start.start, end: end + 1 },
            Span { start: object_start.end - 1, end },
        ))
    }
}
