//! How Python writes values, because the reference counts the length of what
//! Python writes: `repr` of tool calls and blocks, `json.dumps` of schemas
//! (spec: deepagents, section 2).

use crate::json::lanes::{Lanes, Level, Simd, dispatch};
use crate::json::printable::is_printable;
use crate::json::text::wtf8_code_points;
use crate::transcript::arguments::{Entry, Value};
use std::fmt::Write;

/// Takes code points: a text to keep, or a length to know.
pub trait Sink {
    /// One code point; a surrogate stands for itself.
    fn point(&mut self, point: u32);

    /// ASCII text.
    fn ascii(&mut self, text: impl AsRef<[u8]>);
}

/// UTF-8; a surrogate becomes U+FFFD.
impl Sink for Vec<u8> {
    fn point(&mut self, point: u32) {
        let c = char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER);
        self.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }

    fn ascii(&mut self, text: impl AsRef<[u8]>) {
        self.extend_from_slice(text.as_ref());
    }
}

/// Counts code points.
#[derive(Debug, Default)]
pub struct Length(pub usize);

impl Sink for Length {
    fn point(&mut self, _: u32) {
        self.0 += 1;
    }

    fn ascii(&mut self, text: impl AsRef<[u8]>) {
        self.0 += text.as_ref().len();
    }
}

/// `repr(value)`.
pub fn repr(value: &Value<'_>, out: &mut impl Sink) {
    match value {
        Value::Null => out.ascii("None"),
        Value::Bool(true) => out.ascii("True"),
        Value::Bool(false) => out.ascii("False"),
        Value::Integer(number) => out.ascii(integer(number)),
        Value::Float(number) => out.ascii(float(*number, ["nan", "inf"])),
        Value::String(wtf8) => repr_str(wtf8, out),
        Value::Array(items) => sequence(items, ["[", "]"], out, repr),
        Value::Object(entries) => repr_dict(entries, out),
    }
}

/// `repr` of a dict.
pub fn repr_dict(entries: &[Entry<'_>], out: &mut impl Sink) {
    sequence(entries, ["{", "}"], out, |entry, out| {
        repr_str(&entry.key, out);
        out.ascii(": ");
        repr(&entry.value, out);
    });
}

/// `repr` of a `str` given as WTF-8.
pub fn repr_str(wtf8: &[u8], out: &mut impl Sink) {
    let quote = if memchr::memchr(b'\'', wtf8).is_some() && memchr::memchr(b'"', wtf8).is_none() {
        '"'
    } else {
        '\''
    };
    out.point(u32::from(quote));
    between(wtf8, out, |special, out| repr_points(special, quote, out));
    out.point(u32::from(quote));
}

/// Most of most strings is ASCII that stands for itself, and is copied; what is not is left to `other`.
fn between<S: Sink>(wtf8: &[u8], out: &mut S, other: impl Fn(&[u8], &mut S)) {
    let mut rest = wtf8;
    while !rest.is_empty() {
        let plain = dispatch!(Level::new(), simd => plain(simd, rest));
        out.ascii(&rest[..plain]);
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
    let lanes = Lanes::at(simd, bytes, 0);
    let special = lanes.controls() | lanes.beyond_ascii() | lanes.one_of(*br#"'"\"#);
    bytes.len().min(special.trailing_zeros() as usize)
}

fn repr_points(wtf8: &[u8], quote: char, out: &mut impl Sink) {
    for point in wtf8_code_points(wtf8) {
        match char::from_u32(point) {
            Some('\n') => out.ascii("\\n"),
            Some(c) if c == quote || c == '\\' => {
                out.ascii("\\");
                out.point(point);
            }
            Some('\r') => out.ascii("\\r"),
            Some('\t') => out.ascii("\\t"),
            Some(' '..='~') => out.point(point),
            Some(c) if is_printable(c) => out.point(point),
            _ => escape(point, out),
        }
    }
}

fn escape(point: u32, out: &mut impl Sink) {
    match point {
        0..=0xFF => out.ascii(format!("\\x{point:02x}")),
        0x100..=0xFFFF => out.ascii(format!("\\u{point:04x}")),
        _ => out.ascii(format!("\\U{point:08x}")),
    }
}

/// `json.dumps(value)`: non-ASCII as `\uXXXX`, separators `", "` and `": "`.
pub fn dumps(value: &Value<'_>, out: &mut impl Sink) {
    match value {
        Value::Null => out.ascii("null"),
        Value::Bool(true) => out.ascii("true"),
        Value::Bool(false) => out.ascii("false"),
        Value::Integer(number) => out.ascii(integer(number)),
        Value::Float(number) => out.ascii(float(*number, ["NaN", "Infinity"])),
        Value::String(wtf8) => dumps_str(wtf8, out),
        Value::Array(items) => sequence(items, ["[", "]"], out, dumps),
        Value::Object(entries) => sequence(entries, ["{", "}"], out, |entry, out| {
            dumps_str(&entry.key, out);
            out.ascii(": ");
            dumps(&entry.value, out);
        }),
    }
}

/// `json.dumps` of a `str` given as WTF-8.
pub fn dumps_str(wtf8: &[u8], out: &mut impl Sink) {
    out.ascii("\"");
    between(wtf8, out, dumps_points);
    out.ascii("\"");
}

fn dumps_points(wtf8: &[u8], out: &mut impl Sink) {
    for point in wtf8_code_points(wtf8) {
        match point {
            0x22 => out.ascii("\\\""),
            0x5C => out.ascii("\\\\"),
            0x0A => out.ascii("\\n"),
            0x0D => out.ascii("\\r"),
            0x09 => out.ascii("\\t"),
            0x08 => out.ascii("\\b"),
            0x0C => out.ascii("\\f"),
            0x20..0x7F => out.point(point),
            0..0x20 | 0x7F..=0xFFFF => out.ascii(format!("\\u{point:04x}")),
            _ => {
                let above = point - 0x1_0000;
                out.ascii(format!(
                    "\\u{:04x}\\u{:04x}",
                    0xD800 + (above >> 10),
                    0xDC00 + (above & 0x3FF)
                ));
            }
        }
    }
}

fn sequence<T, S: Sink>(
    items: &[T],
    [open, close]: [&str; 2],
    out: &mut S,
    each: impl Fn(&T, &mut S),
) {
    out.ascii(open);
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.ascii(", ");
        }
        each(item, out);
    }
    out.ascii(close);
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
    use crate::transcript::arguments::parse;

    fn both(json: &str) -> (String, String) {
        let value = parse(json.as_bytes()).unwrap();
        let (mut one, mut two) = (Vec::new(), Vec::new());
        repr(&value, &mut one);
        dumps(&value, &mut two);
        let (one, two) = (
            String::from_utf8(one).unwrap(),
            String::from_utf8(two).unwrap(),
        );
        let mut length = Length::default();
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
