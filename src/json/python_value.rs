//! Tool-call arguments: the JSON that a model wrote, read as the reference reads it.
//!
//! The reference parses them with Python's `json.loads(…, strict=False)`: raw
//! control characters in strings, `NaN` and `Infinity` are taken, the last of
//! two equal keys wins in the place of the first. What is no JSON object is an
//! invalid call (`spec`: conformance README, `bad-json-arguments`).

use crate::json::decode::decode_literal_wtf8;
use crate::json::encode::write_literal;
use crate::json::span::Span;
use crate::json::string_scan::scan_string_with_controls;
use std::borrow::Cow;
use std::collections::HashMap;

/// Deeper nesting makes the call invalid, as Python's recursion limit does.
const MAX_DEPTH: u32 = 900;
/// Objects with fewer keys are searched without an index.
const FEW_KEYS: usize = 16;
/// Longer integers are refused by Python's `int()`.
const MAX_INTEGER_DIGITS: usize = 4300;

/// A parsed JSON value. Strings are WTF-8, numbers their own text.
#[derive(Debug, Clone, PartialEq)]
pub enum PythonValue<'a> {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// An integer's text.
    Integer(&'a str),
    /// A number with fraction or exponent, `NaN` or an infinity.
    Float(f64),
    /// A string, as WTF-8.
    String(Cow<'a, [u8]>),
    /// An array.
    Array(Vec<PythonValue<'a>>),
    /// An object; equal keys are merged.
    Object(Vec<PythonEntry<'a>>),
}

/// One key of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct PythonEntry<'a> {
    /// The key, as WTF-8.
    pub key: Cow<'a, [u8]>,
    /// Its (last) value.
    pub value: PythonValue<'a>,
    /// Where that value stands in the parsed bytes.
    pub span: Span,
}

/// Parses one value with blanks around it; `None` where Python would raise.
#[must_use]
pub fn parse_python_json(bytes: &[u8]) -> Option<PythonValue<'_>> {
    let mut parser = PythonParser { bytes, pos: 0 };
    let value = parser.value(0)?;
    parser.blanks();
    (parser.pos == bytes.len()).then_some(value)
}

/// The entries, if the arguments are an object.
#[must_use]
pub fn parse_python_object(bytes: &[u8]) -> Option<Vec<PythonEntry<'_>>> {
    match parse_python_json(bytes)? {
        PythonValue::Object(entries) => Some(entries),
        _ => None,
    }
}

/// The arguments with some top-level values (by their place among the entries) replaced by strings; all other bytes stay.
#[must_use]
pub fn replace_values(bytes: &[u8], entries: &[PythonEntry<'_>], new: &[(usize, &str)]) -> Vec<u8> {
    let mut edits: Vec<(Span, &str)> = new
        .iter()
        .filter_map(|(place, value)| Some((entries.get(*place)?.span, *value)))
        .collect();
    edits.sort_by_key(|(span, _)| *span);
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for (span, value) in edits {
        out.extend_from_slice(&bytes[at..span.start]);
        write_literal(value, &mut out);
        at = span.end;
    }
    out.extend_from_slice(&bytes[at..]);
    out
}

struct PythonParser<'a> {
    bytes: &'a [u8],
    pos: usize,
}

impl<'a> PythonParser<'a> {
    fn value(&mut self, depth: u32) -> Option<PythonValue<'a>> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.blanks();
        match self.bytes.get(self.pos)? {
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            b'"' => self.string().map(PythonValue::String),
            b't' => self.word("true", PythonValue::Bool(true)),
            b'f' => self.word("false", PythonValue::Bool(false)),
            b'n' => self.word("null", PythonValue::Null),
            b'N' => self.word("NaN", PythonValue::Float(f64::NAN)),
            b'I' => self.word("Infinity", PythonValue::Float(f64::INFINITY)),
            b'-' if self.bytes[self.pos..].starts_with(b"-I") => {
                self.word("-Infinity", PythonValue::Float(f64::NEG_INFINITY))
            }
            _ => self.number(),
        }
    }

    fn object(&mut self, depth: u32) -> Option<PythonValue<'a>> {
        self.pos += 1;
        let mut entries: Vec<PythonEntry<'a>> = Vec::new();
        // Few keys are compared, many are looked up.
        let mut places: HashMap<Cow<'a, [u8]>, usize> = HashMap::new();
        self.blanks();
        if self.take(b'}') {
            return Some(PythonValue::Object(entries));
        }
        loop {
            self.blanks();
            let key = self.string()?;
            self.blanks();
            self.take(b':').then_some(())?;
            self.blanks();
            let start = self.pos;
            let value = self.value(depth + 1)?;
            let span = Span {
                start,
                end: self.pos,
            };
            let known = match entries.len() {
                0..FEW_KEYS => entries.iter().position(|entry| entry.key == key),
                _ => {
                    if places.is_empty() {
                        places.extend(
                            entries
                                .iter()
                                .enumerate()
                                .map(|(place, entry)| (entry.key.clone(), place)),
                        );
                    }
                    places.get(&key).copied()
                }
            };
            match known {
                Some(place) => (entries[place].value, entries[place].span) = (value, span),
                None => {
                    if entries.len() >= FEW_KEYS {
                        places.insert(key.clone(), entries.len());
                    }
                    entries.push(PythonEntry { key, value, span });
                }
            }
            self.blanks();
            if self.take(b'}') {
                return Some(PythonValue::Object(entries));
            }
            self.take(b',').then_some(())?;
        }
    }

    fn array(&mut self, depth: u32) -> Option<PythonValue<'a>> {
        self.pos += 1;
        let mut items = Vec::new();
        self.blanks();
        if self.take(b']') {
            return Some(PythonValue::Array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.blanks();
            if self.take(b']') {
                return Some(PythonValue::Array(items));
            }
            self.take(b',').then_some(())?;
        }
    }

    fn string(&mut self) -> Option<Cow<'a, [u8]>> {
        let start = self.pos;
        self.take(b'"').then_some(())?;
        let scanned = scan_string_with_controls(self.bytes, self.pos)?;
        self.pos = scanned.closing_quote + 1;
        Some(decode_literal_wtf8(&self.bytes[start..self.pos]))
    }

    fn number(&mut self) -> Option<PythonValue<'a>> {
        let start = self.pos;
        self.take(b'-');
        let digits = self.digits();
        let leading_zero = self.bytes.get(self.pos - digits) == Some(&b'0');
        if digits == 0 || (leading_zero && digits > 1) {
            return None;
        }
        let fraction = self.fraction();
        let exponent = self.exponent();
        let number = std::str::from_utf8(&self.bytes[start..self.pos]).ok()?;
        if fraction || exponent {
            return number.parse().ok().map(PythonValue::Float);
        }
        (digits <= MAX_INTEGER_DIGITS).then_some(PythonValue::Integer(number))
    }

    fn fraction(&mut self) -> bool {
        let before = self.pos;
        let found = self.take(b'.') && self.digits() > 0;
        self.pos = if found { self.pos } else { before };
        found
    }

    fn exponent(&mut self) -> bool {
        let before = self.pos;
        let marked = self.take(b'e') || self.take(b'E');
        if marked && !self.take(b'+') {
            self.take(b'-');
        }
        let found = marked && self.digits() > 0;
        self.pos = if found { self.pos } else { before };
        found
    }

    fn digits(&mut self) -> usize {
        let count = self.bytes[self.pos..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        self.pos += count;
        count
    }

    fn word(&mut self, word: &str, value: PythonValue<'a>) -> Option<PythonValue<'a>> {
        self.bytes[self.pos..]
            .starts_with(word.as_bytes())
            .then(|| self.pos += word.len())?;
        Some(value)
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.bytes.get(self.pos) == Some(&byte);
        self.pos += usize::from(found);
        found
    }

    fn blanks(&mut self) {
        while matches!(self.bytes.get(self.pos), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.pos += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_what_python_takes() {
        for good in [
            "{}",
            " {\"a\": NaN} ",
            "{\"a\": \"x\ny\"}",
            "{\"a\":-Infinity}",
            "{\"a\":1e400}",
            "{\"a\":\"\\ud800\"}",
        ] {
            assert!(parse_python_object(good.as_bytes()).is_some(), "{good}");
        }
        for bad in [
            "",
            "[]",
            "{",
            "{\"a\":01}",
            "{\"a\":1,}",
            "{'a':1}",
            "{\"a\":.5}",
            "{\"a\":\"\\x\"}",
            "null",
            "{} x",
        ] {
            assert!(parse_python_object(bad.as_bytes()).is_none(), "{bad}");
        }
    }

    #[test]
    fn the_last_of_equal_keys_wins_in_the_first_place() {
        let entries = parse_python_object(br#"{"a":1,"b":2,"a":3}"#).unwrap();
        assert_eq!(entries.len(), 2);
        assert_eq!(entries[0].value, PythonValue::Integer("3"));
    }

    #[test]
    fn replace_keeps_all_other_bytes() {
        let bytes = br#"{ "path" :"p",  "content": "long" , "n":1.0}"#;
        let entries = parse_python_object(bytes).unwrap();
        assert_eq!(
            replace_values(bytes, &entries, &[(1, "l\"...")]),
            br#"{ "path" :"p",  "content": "l\"..." , "n":1.0}"#
        );
    }
}
