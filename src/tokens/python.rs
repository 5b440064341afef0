//! How Python writes values, because the reference counts the length of what
//! Python writes: `repr` of tool calls and blocks, `json.dumps` of schemas
//! (spec: deepagents, section 2).

use crate::json::lanes::{Lanes, Level, Simd, dispatch};
use crate::json::python_printable::is_python_printable;
use crate::json::python_value::{PythonEntry, PythonValue};
use crate::json::wtf8_code_points;
use std::fmt::Write;

/// Takes code points: a text to keep, or a length to know.
pub trait CodePointSink {
    /// One code point; a surrogate stands for itself.
    fn push_point(&mut self, point: u32);

    /// ASCII text.
    fn push_ascii(&mut self, text: impl AsRef<[u8]>);
}

/// UTF-8; a surrogate becomes U+FFFD.
impl CodePointSink for Vec<u8> {
    fn push_point(&mut self, point: u32) {
        let c = char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER);
        self.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }

    fn push_ascii(&mut self, text: impl AsRef<[u8]>) {
        self.extend_from_slice(text.as_ref());
    }
}

/// Counts code points.
#[derive(Debug, Default)]
pub struct CodePointCount(pub usize);

impl CodePointSink for CodePointCount {
    fn push_point(&mut self, _: u32) {
        self.0 += 1;
    }

    fn push_ascii(&mut self, text: impl AsRef<[u8]>) {
        self.0 += text.as_ref().len();
    }
}

/// `repr(value)`.
pub fn repr(value: &PythonValue<'_>, out: &mut impl CodePointSink) {
    match value {
        PythonValue::Null => out.push_ascii("None"),
        PythonValue::Bool(true) => out.push_ascii("True"),
        PythonValue::Bool(false) => out.push_ascii("False"),
        PythonValue::Integer(number) => out.push_ascii(integer(number)),
        PythonValue::Float(number) => out.push_ascii(float(*number, ["nan", "inf"])),
        PythonValue::String(wtf8) => repr_str(wtf8, out),
        PythonValue::Array(items) => sequence(items, ["[", "]"], out, repr),
        PythonValue::Object(entries) => repr_dict(entries, out),
    }
}

/// `repr` of a dict.
pub fn repr_dict(entries: &[PythonEntry<'_>], out: &mut impl CodePointSink) {
    sequence(entries, ["{", "}"], out, |entry, out| {
        repr_str(&entry.key, out);
        out.push_ascii(": ");
        repr(&entry.value, out);
    });
}

/// `repr` of a `str` given as WTF-8.
pub fn repr_str(wtf8: &[u8], out: &mut impl CodePointSink) {
    let quote = if memchr::memchr(b'\'', wtf8).is_some() && memchr::memchr(b'"', wtf8).is_none() {
        '"'
    } else {
        '\''
    };
    out.push_point(u32::from(quote));
    between(wtf8, out, |special, out| repr_points(special, quote, out));
    out.push_point(u32::from(quote));
}

/// Most of most strings is ASCII that stands for itself, and is copied; what is not is left to `other`.
fn between<S: CodePointSink>(wtf8: &[u8], out: &mut S, other: impl Fn(&[u8], &mut S)) {
    let mut rest = wtf8;
    while !rest.is_empty() {
        let plain = dispatch!(Level::new(), simd => plain(simd, rest));
        out.push_ascii(&rest[..plain]);
        rest = &rest[plain..];
        let special = match rest.first() {
            Some(0x80..) => rest.iter().take_while(|byte| **byte >= 0x80).count(),
            first => usize::from(first.is_some()),
        };
        other(&rest[..special], out);
        rest = &rest[special..];
    }
}

/// How many of the first bytes are ASCII that stands for itself, up to as many as are looked at together.
#[inline(always)]
fn plain<S: Simd>(simd: S, bytes: &[u8]) -> usize {
    let lanes = Lanes::load(simd, bytes, 0);
    let special = lanes.mask_controls() | lanes.mask_beyond_ascii() | lanes.mask_any(*br#"'"\"#);
    bytes.len().min(special.trailing_zeros() as usize)
}

fn repr_points(wtf8: &[u8], quote: char, out: &mut impl CodePointSink) {
    for point in wtf8_code_points(wtf8) {
        match char::from_u32(point) {
            Some('\n') => out.push_ascii("\\n"),
            Some(c) if c == quote || c == '\\' => {
                out.push_ascii("\\");
                out.push_point(point);
            }
            Some('\r') => out.push_ascii("\\r"),
            Some('\t') => out.push_ascii("\\t"),
            Some(' '..='~') => out.push_point(point),
            Some(c) if is_python_printable(c) => out.push_point(point),
            _ => escape(point, out),
        }
    }
}

fn escape(point: u32, out: &mut impl CodePointSink) {
    match point {
        0..=0xFF => out.push_ascii(format!("\\x{point:02x}")),
        0x100..=0xFFFF => out.push_ascii(format!("\\u{point:04x}")),
        _ => out.push_ascii(format!("\\U{point:08x}")),
    }
}

/// `json.dumps(value)`: non-ASCII as `\uXXXX`, separators `", "` and `": "`.
pub fn dumps(value: &PythonValue<'_>, out: &mut impl CodePointSink) {
    match value {
        PythonValue::Null => out.push_ascii("null"),
        PythonValue::Bool(true) => out.push_ascii("true"),
        PythonValue::Bool(false) => out.push_ascii("false"),
        PythonValue::Integer(number) => out.push_ascii(integer(number)),
        PythonValue::Float(number) => out.push_ascii(float(*number, ["NaN", "Infinity"])),
        PythonValue::String(wtf8) => dumps_str(wtf8, out),
        PythonValue::Array(items) => sequence(items, ["[", "]"], out, dumps),
        PythonValue::Object(entries) => sequence(entries, ["{", "}"], out, |entry, out| {
            dumps_str(&entry.key, out);
            out.push_ascii(": ");
            dumps(&entry.value, out);
        }),
    }
}

/// `json.dumps` of a `str` given as WTF-8.
pub fn dumps_str(wtf8: &[u8], out: &mut impl CodePointSink) {
    out.push_ascii("\"");
    between(wtf8, out, dumps_points);
    out.push_ascii("\"");
}

fn dumps_points(wtf8: &[u8], out: &mut impl CodePointSink) {
    for point in wtf8_code_points(wtf8) {
        match point {
            0x22 => out.push_ascii("\\\""),
            0x5C => out.push_ascii("\\\\"),
            0x0A => out.push_ascii("\\n"),
            0x0D => out.push_ascii("\\r"),
            0x09 => out.push_ascii("\\t"),
            0x08 => out.push_ascii("\\b"),
            0x0C => out.push_ascii("\\f"),
            0x20..0x7F => out.push_point(point),
            0..0x20 | 0x7F..=0xFFFF => out.push_ascii(format!("\\u{point:04x}")),
            _ => {
                let above = point - 0x1_0000;
                out.push_ascii(format!(
                    "\\u{:04x}\\u{:04x}",
                    0xD800 + (above >> 10),
                    0xDC00 + (above & 0x3FF)
                ));
            }
        }
    }
}

fn sequence<T, S: CodePointSink>(
    items: &[T],
    [open, close]: [&str; 2],
    out: &mut S,
    each: impl Fn(&T, &mut S),
) {
    out.push_ascii(open);
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push_ascii(", ");
        }
        each(item, out);
    }
    out.push_ascii(close);
}

/// An integer as Python writes it: there is no `-0`.
fn integer(number: &str) -> &str {
    if number == "-0" { "0" } else { number }
}

/// A float as Python writes it: shortest digits, exponent form below 1e-4 and from 1e16.
fn float(number: f64, [nan, infinity]: [&str; 2]) -> String {
    if number.is_nan() {
        return nan.to_owned();
    }
    let sign = if number.is_sign_negative() { "-" } else { "" };
    if number.is_infinite() {
        return format!("{sign}{infinity}");
    }
    let scientific = format!("{:e}", number.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let mut out = sign.to_owned();
    if (-4..16).contains(&exponent) {
        let positional = format!("{}", number.abs());
        out.push_str(&positional);
        if !positional.contains('.') {
            out.push_str(".0");
        }
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        // Writing to a String can't fail.
        let _ = write!(out, "{mantissa}e{sign}{:02}", exponent.abs());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::python_parser::parse_python_json;

    fn both(json: &str) -> (String, String) {
        let value = parse_python_json(json.as_bytes()).unwrap();
        let (mut one, mut two) = (Vec::new(), Vec::new());
        repr(&value, &mut one);
        dumps(&value, &mut two);
        let (one, two) = (
            String::from_utf8(one).unwrap(),
            String::from_utf8(two).unwrap(),
        );
        let mut length = CodePointCount::default();
        repr(&value, &mut length);
        assert_eq!(length.0, one.chars().count());
        (one, two)
    }

    #[test]
    fn writes_as_python_does() {
        // Each pair was printed by CPython: repr(json.loads(x)), json.dumps(json.loads(x)).
        for (json, repr, dumps) in [
            (
                "[1, -0, 2.5, 1e22, 1e16, 1e15, 1e-5, 1e-4, -0.0, 1E400]",
                "[1, 0, 2.5, 1e+22, 1e+16, 1000000000000000.0, 1e-05, 0.0001, -0.0, inf]",
                "[1, 0, 2.5, 1e+22, 1e+16, 1000000000000000.0, 1e-05, 0.0001, -0.0, Infinity]",
            ),
            (
                r#"{"a": "it's", "b": "say \"hi\"", "c": "it's \"both\""}"#,
                r#"{'a': "it's", 'b': 'say "hi"', 'c': 'it\'s "both"'}"#,
                r#"{"a": "it's", "b": "say \"hi\"", "c": "it's \"both\""}"#,
            ),
            (
                r#""\t\n\\ \u200b\u00a0\u00e9\u007f\ud800""#,
                r"'\t\n\\ \u200b\xa0é\x7f\ud800'",
                "\"\\t\\n\\\\ \\u200b\\u00a0\\u00e9\\u007f\\ud800\"",
            ),
            ("\"\\ud83d\\ude00\"", "'\u{1f600}'", r#""\ud83d\ude00""#),
            (
                "[null, true, false, NaN, -Infinity, {}]",
                "[None, True, False, nan, -inf, {}]",
                "[null, true, false, NaN, -Infinity, {}]",
            ),
        ] {
            assert_eq!(both(json), (repr.to_owned(), dumps.to_owned()), "{json}");
        }
    }
}
