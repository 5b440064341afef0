//! Values as Python writes them. The reference counts the length of `repr` of tool calls and
//! blocks, and of `json.dumps` of schemas (see `docs/reference/deepagents.md`).
//!
//! Measured by `cargo bench --features benching --bench tricks` (2026-11): a loop over
//! characters takes 1.5 times as long.

use crate::reading::json::lanes::{Lanes, Level, Simd, dispatch};
use crate::reading::json::python_printable::is_python_printable;
use crate::reading::json::python_value::{PythonEntry, PythonValue};
use crate::reading::json::wtf8_code_points;
use std::fmt::Write;

/// A receiver of code points: it keeps the text, or only counts.
pub(crate) trait CodePointSink {
    /// Appends a code point, which may be a surrogate.
    fn push_point(&mut self, point: u32);

    /// Appends ASCII text.
    fn push_ascii(&mut self, text: impl AsRef<[u8]>);
}

/// Keeps UTF-8. A surrogate becomes U+FFFD.
impl CodePointSink for Vec<u8> {
    fn push_point(&mut self, point: u32) {
        let c = char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER);
        self.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }

    fn push_ascii(&mut self, text: impl AsRef<[u8]>) {
        self.extend_from_slice(text.as_ref());
    }
}

/// The number of code points written.
#[derive(Debug, Default)]
pub(crate) struct CodePointCount(pub usize);

impl CodePointSink for CodePointCount {
    fn push_point(&mut self, _: u32) {
        self.0 += 1;
    }

    fn push_ascii(&mut self, text: impl AsRef<[u8]>) {
        self.0 += text.as_ref().len();
    }
}

/// Writes `repr(value)`.
pub(crate) fn repr(value: &PythonValue<'_>, out: &mut impl CodePointSink) {
    match value {
        PythonValue::Null => out.push_ascii("None"),
        PythonValue::Bool(true) => out.push_ascii("True"),
        PythonValue::Bool(false) => out.push_ascii("False"),
        PythonValue::Integer(number) => out.push_ascii(format_integer(number)),
        PythonValue::Float(number) => out.push_ascii(format_float(*number, ["nan", "inf"])),
        PythonValue::String(wtf8) => repr_str(wtf8, out),
        PythonValue::Array(items) => write_sequence(items, ["[", "]"], out, repr),
        PythonValue::Object(entries) => repr_dict(entries, out),
    }
}

/// Writes `repr` of a dict.
pub(crate) fn repr_dict(entries: &[PythonEntry<'_>], out: &mut impl CodePointSink) {
    write_sequence(entries, ["{", "}"], out, |entry, out| {
        repr_str(&entry.key, out);
        out.push_ascii(": ");
        repr(&entry.value, out);
    });
}

/// Writes `repr` of a `str` given as WTF-8.
pub(crate) fn repr_str(wtf8: &[u8], out: &mut impl CodePointSink) {
    let quote = if memchr::memchr(b'\'', wtf8).is_some() && memchr::memchr(b'"', wtf8).is_none() {
        '"'
    } else {
        '\''
    };
    out.push_point(u32::from(quote));
    write_runs(wtf8, out, |special, out| repr_points(special, quote, out));
    out.push_point(u32::from(quote));
}

/// Copies printable ASCII, which is most of most strings, and passes all else to `write_special`.
fn write_runs<S: CodePointSink>(wtf8: &[u8], out: &mut S, write_special: impl Fn(&[u8], &mut S)) {
    let mut rest = wtf8;
    while !rest.is_empty() {
        let plain = dispatch!(Level::new(), simd => plain_length(simd, rest));
        out.push_ascii(&rest[..plain]);
        rest = &rest[plain..];
        let special = match rest.first() {
            Some(0x80..) => rest.iter().take_while(|byte| **byte >= 0x80).count(),
            first => usize::from(first.is_some()),
        };
        write_special(&rest[..special], out);
        rest = &rest[special..];
    }
}

/// Returns the number of leading bytes, up to a block, that are printable ASCII without quotes and
/// backslashes.
#[inline(always)]
fn plain_length<S: Simd>(simd: S, bytes: &[u8]) -> usize {
    let lanes = Lanes::load(simd, bytes, 0);
    let special = lanes.mask_controls() | lanes.mask_beyond_ascii() | lanes.mask_any(*br#"'"\"#);
    bytes.len().min(special.trailing_zeros() as usize)
}

/// Writes code points of a string in `repr`.
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
            _ => write_escape(point, out),
        }
    }
}

fn write_escape(point: u32, out: &mut impl CodePointSink) {
    match point {
        0..=0xFF => out.push_ascii(format!("\\x{point:02x}")),
        0x100..=0xFFFF => out.push_ascii(format!("\\u{point:04x}")),
        _ => out.push_ascii(format!("\\U{point:08x}")),
    }
}

/// Writes `json.dumps(value)`: non-ASCII as `\uXXXX`, separators `", "` and `": "`.
pub(crate) fn dumps(value: &PythonValue<'_>, out: &mut impl CodePointSink) {
    dumps_with(value, out, dumps_str);
}

/// Writes `json.dumps(value, ensure_ascii=False)`.
pub(crate) fn dumps_unicode(value: &PythonValue<'_>, out: &mut Vec<u8>) {
    dumps_with(value, out, dumps_unicode_str);
}

/// Writes `json.dumps(value)` with this spelling of strings.
fn dumps_with<S: CodePointSink>(
    value: &PythonValue<'_>,
    out: &mut S,
    write_str: fn(&[u8], &mut S),
) {
    match value {
        PythonValue::Null => out.push_ascii("null"),
        PythonValue::Bool(true) => out.push_ascii("true"),
        PythonValue::Bool(false) => out.push_ascii("false"),
        PythonValue::Integer(number) => out.push_ascii(format_integer(number)),
        PythonValue::Float(number) => out.push_ascii(format_float(*number, ["NaN", "Infinity"])),
        PythonValue::String(wtf8) => write_str(wtf8, out),
        PythonValue::Array(items) => write_sequence(items, ["[", "]"], out, |item, out| {
            dumps_with(item, out, write_str);
        }),
        PythonValue::Object(entries) => write_sequence(entries, ["{", "}"], out, |entry, out| {
            write_str(&entry.key, out);
            out.push_ascii(": ");
            dumps_with(&entry.value, out, write_str);
        }),
    }
}

/// Writes a `str` given as WTF-8 as JSON that escapes only what it must.
fn dumps_unicode_str(wtf8: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for point in wtf8_code_points(wtf8) {
        match point {
            0x20 | 0x21 | 0x23..=0x5B | 0x5D.. => out.push_point(point),
            _ => dumps_point(point, out),
        }
    }
    out.push(b'"');
}

/// Writes `json.dumps` of a `str` given as WTF-8.
pub(crate) fn dumps_str(wtf8: &[u8], out: &mut impl CodePointSink) {
    out.push_ascii("\"");
    write_runs(wtf8, out, dumps_points);
    out.push_ascii("\"");
}

/// Writes code points of a string in `json.dumps`.
fn dumps_points(wtf8: &[u8], out: &mut impl CodePointSink) {
    for point in wtf8_code_points(wtf8) {
        dumps_point(point, out);
    }
}

/// Writes a code point of a string in `json.dumps`.
#[inline]
fn dumps_point(point: u32, out: &mut impl CodePointSink) {
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
            let (high, low) = (0xD800 + (above >> 10), 0xDC00 + (above & 0x3FF));
            out.push_ascii(format!("\\u{high:04x}\\u{low:04x}"));
        }
    }
}

/// Writes items with `, ` between them.
fn write_sequence<T, S: CodePointSink>(
    items: &[T],
    [open, close]: [&str; 2],
    out: &mut S,
    write_item: impl Fn(&T, &mut S),
) {
    out.push_ascii(open);
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push_ascii(", ");
        }
        write_item(item, out);
    }
    out.push_ascii(close);
}

/// Returns an integer as Python writes it: there is no `-0`.
fn format_integer(number: &str) -> &str {
    if number == "-0" { "0" } else { number }
}

/// Returns a float as Python writes it: shortest digits, exponent form below 1e-4 and from 1e16.
fn format_float(number: f64, [nan, infinity]: [&str; 2]) -> String {
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
    use crate::reading::json::python_parser::parse_python_json;

    fn repr_and_dumps(json: &str) -> (String, String) {
        let value = parse_python_json(json.as_bytes()).unwrap();
        let (mut repr_bytes, mut dumps_bytes) = (Vec::new(), Vec::new());
        repr(&value, &mut repr_bytes);
        dumps(&value, &mut dumps_bytes);
        let (repr_text, dumps_text) =
            (String::from_utf8(repr_bytes).unwrap(), String::from_utf8(dumps_bytes).unwrap());
        let mut length = CodePointCount::default();
        repr(&value, &mut length);
        assert_eq!(length.0, repr_text.chars().count());
        (repr_text, dumps_text)
    }

    #[test]
    fn writes_as_python_does() {
        // Printed by CPython: repr(json.loads(x)), json.dumps(json.loads(x)).
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
            assert_eq!(repr_and_dumps(json), (repr.to_owned(), dumps.to_owned()), "{json}");
        }
    }
}
