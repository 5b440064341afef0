//! JSON values as Python reads them.

use crate::reading::json::splice::{Splice, apply_splices};
use crate::reading::json::{Span, encode_literal, wtf8_to_str};
use std::borrow::Cow;

/// A parsed JSON value. Strings are WTF-8, integers their own text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PythonValue<'a> {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// The text of an integer.
    Integer(&'a str),
    /// A number with fraction or exponent, `NaN` or an infinity.
    Float(f64),
    /// A string, as WTF-8.
    String(Cow<'a, [u8]>),
    Array(Vec<PythonValue<'a>>),
    /// An object; equal keys are merged.
    Object(Vec<PythonEntry<'a>>),
}

impl<'a> PythonValue<'a> {
    pub(crate) fn from_text(text: &'a str) -> Self {
        Self::String(Cow::Borrowed(text.as_bytes()))
    }
}

/// One key of an object and its value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PythonEntry<'a> {
    /// The key, as WTF-8.
    pub key: Cow<'a, [u8]>,
    /// The value; the last, if the key is repeated.
    pub value: PythonValue<'a>,
    /// The span of that value in the parsed bytes.
    pub span: Span,
}

pub(crate) fn entry_at<'e, 'a>(
    entries: &'e [PythonEntry<'a>],
    key: &str,
) -> Option<&'e PythonEntry<'a>> {
    entries.iter().find(|entry| entry.key.as_ref() == key.as_bytes())
}

/// Returns the value at a path of keys.
pub(crate) fn value_at<'e, 'a>(
    entries: &'e [PythonEntry<'a>],
    path: &[&str],
) -> Option<&'e PythonValue<'a>> {
    let (first, rest) = path.split_first()?;
    match (&entry_at(entries, first)?.value, rest) {
        (value, []) => Some(value),
        (PythonValue::Object(entries), rest) => value_at(entries, rest),
        _ => None,
    }
}

pub(crate) fn text_at<'e>(entries: &'e [PythonEntry<'_>], path: &[&str]) -> Option<Cow<'e, str>> {
    match value_at(entries, path)? {
        PythonValue::String(wtf8) => Some(wtf8_to_str(wtf8)),
        _ => None,
    }
}

/// Replaces values of an object by strings, given by the indices of their entries. All other bytes
/// stay.
pub(crate) fn replace_values(
    bytes: &[u8],
    entries: &[PythonEntry<'_>],
    new: &[(usize, &str)],
) -> Vec<u8> {
    let splices = new.iter().filter_map(|(index, value)| {
        Some(Splice { span: entries.get(*index)?.span, bytes: encode_literal(value) })
    });
    let mut out = Vec::with_capacity(bytes.len());
    apply_splices(bytes, &mut splices.collect::<Vec<_>>(), &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::json::python_parser::parse_python_object;

    #[test]
    fn replace_keeps_all_other_bytes() {
        let bytes = br#"{ "path" :"p",  "content": "long" , "n":1.0}"#;
        let entries = parse_python_object(bytes).unwrap();
        let replaced = replace_values(bytes, &entries, &[(1, "l\"...")]);
        assert_eq!(replaced, br#"{ "path" :"p",  "content": "l\"..." , "n":1.0}"#);
    }
}
