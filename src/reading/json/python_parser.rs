//! A parser that accepts the JSON that Python's `json.loads(…, strict=False)`
//! accepts: raw control characters in strings, `NaN` and `Infinity` are valid,
//! and the last of two equal keys wins in the place of the first.
//!
//! The reference parses tool-call arguments so. A call whose arguments are not a
//! JSON object is invalid.

use crate::reading::json::python_value::{PythonEntry, PythonValue};
use crate::reading::json::string_scan::scan_string_with_controls;
use crate::reading::json::{Span, decode_literal_wtf8};
use std::borrow::Cow;
use std::collections::HashMap;

/// Deepest nesting that is read. Python's recursion limit rejects deeper values.
const MAX_DEPTH: u32 = 900;
/// Objects with fewer keys are searched without an index.
const FEW_KEYS: usize = 16;
/// Most digits of an integer. Python's `int()` rejects more.
const MAX_INTEGER_DIGITS: usize = 4300;

/// Parses a value with blanks around it. Returns `None` if Python would raise an exception.
pub(crate) fn parse_python_json(bytes: &[u8]) -> Option<PythonValue<'_>> {
    let mut parser = PythonParser { bytes, pos: 0 };
    let value = parser.parse_value(0)?;
    parser.skip_blanks();
    (parser.pos == bytes.len()).then_some(value)
}

/// Parses an object and returns its entries. Returns `None` for any other value.
pub(crate) fn parse_python_object(bytes: &[u8]) -> Option<Vec<PythonEntry<'_>>> {
    match parse_python_json(bytes)? {
        PythonValue::Object(entries) => Some(entries),
        _ => None,
    }
}

/// The entries of an object during its parse.
#[derive(Default)]
struct MergedEntries<'a> {
    list: Vec<PythonEntry<'a>>,
    /// Indices in the list by key. Empty while the keys are few.
    index: HashMap<Cow<'a, [u8]>, usize>,
}

impl<'a> MergedEntries<'a> {
    /// Adds an entry, or replaces the value of the entry with an equal key.
    #[inline]
    fn insert_or_replace(&mut self, key: Cow<'a, [u8]>, value: PythonValue<'a>, span: Span) {
        match self.find_key(&key) {
            Some(place) => (self.list[place].value, self.list[place].span) = (value, span),
            None => {
                if self.list.len() >= FEW_KEYS {
                    self.index.insert(key.clone(), self.list.len());
                }
                self.list.push(PythonEntry { key, value, span });
            }
        }
    }

    /// Returns the index of the entry with this key. Builds the key index once keys are many.
    #[inline]
    fn find_key(&mut self, key: &[u8]) -> Option<usize> {
        if self.list.len() < FEW_KEYS {
            return self.list.iter().position(|entry| entry.key.as_ref() == key);
        }
        if self.index.is_empty() {
            self.index.extend(
                self.list.iter().enumerate().map(|(place, entry)| (entry.key.clone(), place)),
            );
        }
        self.index.get(key).copied()
    }
}

/// A cursor over JSON text.
struct PythonParser<'a> {
    bytes: &'a [u8],
    pos: usize,
}

impl<'a> PythonParser<'a> {
    fn parse_value(&mut self, depth: u32) -> Option<PythonValue<'a>> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.skip_blanks();
        match self.bytes.get(self.pos)? {
            b'{' => self.parse_object(depth),
            b'[' => self.parse_array(depth),
            b'"' => self.parse_string().map(PythonValue::String),
            b't' => self.parse_word("true", PythonValue::Bool(true)),
            b'f' => self.parse_word("false", PythonValue::Bool(false)),
            b'n' => self.parse_word("null", PythonValue::Null),
            b'N' => self.parse_word("NaN", PythonValue::Float(f64::NAN)),
            b'I' => self.parse_word("Infinity", PythonValue::Float(f64::INFINITY)),
            b'-' if self.bytes[self.pos..].starts_with(b"-I") => {
                self.parse_word("-Infinity", PythonValue::Float(f64::NEG_INFINITY))
            }
            _ => self.parse_number(),
        }
    }

    fn parse_object(&mut self, depth: u32) -> Option<PythonValue<'a>> {
        let mut entries = MergedEntries::default();
        self.parse_items(b'}', |s| {
            s.skip_blanks();
            let key = s.parse_string()?;
            s.skip_blanks();
            s.take_byte(b':').then_some(())?;
            s.skip_blanks();
            let start = s.pos;
            let value = s.parse_value(depth + 1)?;
            entries.insert_or_replace(key, value, Span { start, end: s.pos });
            Some(())
        })?;
        Some(PythonValue::Object(entries.list))
    }

    fn parse_array(&mut self, depth: u32) -> Option<PythonValue<'a>> {
        let mut items = Vec::new();
        self.parse_items(b']', |s| {
            items.push(s.parse_value(depth + 1)?);
            Some(())
        })?;
        Some(PythonValue::Array(items))
    }

    /// Reads items with commas between them, from the opening bracket to the closing one.
    fn parse_items(
        &mut self,
        close: u8,
        mut parse_item: impl FnMut(&mut Self) -> Option<()>,
    ) -> Option<()> {
        self.pos += 1;
        self.skip_blanks();
        if self.take_byte(close) {
            return Some(());
        }
        loop {
            parse_item(self)?;
            self.skip_blanks();
            if self.take_byte(close) {
                return Some(());
            }
            self.take_byte(b',').then_some(())?;
        }
    }

    fn parse_string(&mut self) -> Option<Cow<'a, [u8]>> {
        let start = self.pos;
        self.take_byte(b'"').then_some(())?;
        let scanned = scan_string_with_controls(self.bytes, self.pos)?;
        self.pos = scanned.closing_quote + 1;
        Some(decode_literal_wtf8(&self.bytes[start..self.pos]))
    }

    fn parse_number(&mut self) -> Option<PythonValue<'a>> {
        let start = self.pos;
        self.take_byte(b'-');
        let digits = self.skip_digits();
        let has_leading_zero = self.bytes.get(self.pos - digits) == Some(&b'0');
        if digits == 0 || (has_leading_zero && digits > 1) {
            return None;
        }
        let has_fraction = self.skip_fraction();
        let has_exponent = self.skip_exponent();
        let number = std::str::from_utf8(&self.bytes[start..self.pos]).ok()?;
        if has_fraction || has_exponent {
            return number.parse().ok().map(PythonValue::Float);
        }
        (digits <= MAX_INTEGER_DIGITS).then_some(PythonValue::Integer(number))
    }

    /// Reads a fraction if there is one, and returns true if there was.
    fn skip_fraction(&mut self) -> bool {
        let before = self.pos;
        let is_found = self.take_byte(b'.') && self.skip_digits() > 0;
        self.pos = if is_found { self.pos } else { before };
        is_found
    }

    /// Reads an exponent if there is one, and returns true if there was.
    fn skip_exponent(&mut self) -> bool {
        let before = self.pos;
        let has_mark = self.take_byte(b'e') || self.take_byte(b'E');
        if has_mark && !self.take_byte(b'+') {
            self.take_byte(b'-');
        }
        let is_found = has_mark && self.skip_digits() > 0;
        self.pos = if is_found { self.pos } else { before };
        is_found
    }

    /// Reads digits and returns their number.
    fn skip_digits(&mut self) -> usize {
        let count = self.bytes[self.pos..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.pos += count;
        count
    }

    fn parse_word(&mut self, word: &str, value: PythonValue<'a>) -> Option<PythonValue<'a>> {
        self.bytes[self.pos..].starts_with(word.as_bytes()).then(|| self.pos += word.len())?;
        Some(value)
    }

    /// Reads `byte` if it is next, and returns true if it was.
    fn take_byte(&mut self, byte: u8) -> bool {
        let is_next = self.bytes.get(self.pos) == Some(&byte);
        self.pos += usize::from(is_next);
        is_next
    }

    fn skip_blanks(&mut self) {
        while matches!(self.bytes.get(self.pos), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.pos += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_what_python_accepts() {
        for good in [
            "{}", " {\"a\": NaN} ", "{\"a\": \"x\ny\"}", "{\"a\":-Infinity}", "{\"a\":1e400}",
            "{\"a\":\"\\ud800\"}",
        ] {
            assert!(parse_python_object(good.as_bytes()).is_some(), "{good}");
        }
        for bad in [
            "", "[]", "{", "{\"a\":01}", "{\"a\":1,}", "{'a':1}", "{\"a\":.5}", "{\"a\":\"\\x\"}",
            "null", "{} x",
        ] {
            assert!(parse_python_object(bad.as_bytes()).is_none(), "{bad}");
        }
    }

    #[test]
    fn last_of_equal_keys_wins_in_the_place_of_the_first() {
        let entries = parse_python_object(br#"{"a":1,"b":2,"a":3}"#).unwrap();
        assert_eq!(entries.len(), 2);
        assert_eq!(entries[0].value, PythonValue::Integer("3"));
    }
}
