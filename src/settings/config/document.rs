//! Reads a TOML document into a type, and locates what is wrong with it.
//!
//! toml's own deserializer speaks of Rust types in its errors. This one names
//! the key with its table, quotes the value, says in the user's words what was
//! expected, and suggests the nearest key.

use super::error::ConfigError;
use super::refusal::keys_in_tables;
use crate::base::foreign_text::harmless_line;
use crate::base::text::line_and_column;
use crate::settings::cli::checked_values::{ABOVE_ZERO, MAX_NUMBER, did_you_mean};
use serde::de::value::StrDeserializer;
use serde::de::{
    self, Deserialize, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess,
    Visitor,
};
use std::fmt;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// The most code points of a value that an error quotes.
const MAX_QUOTED: usize = 60;

/// Reads the text of the file at `path`.
pub(super) fn parse_document<'t, T: Deserialize<'t>>(
    path: &Path,
    text: &'t str,
) -> Result<T, ConfigError> {
    let table = DeTable::parse(text)
        .map_err(|source| ConfigError::NotToml { path: path.to_owned(), source })?;
    let span = table.span();
    let root = Spanned::new(span, DeValue::Table(table.into_inner()));
    let node = DocumentNode { text, place: KeyPlace::Root, value: &root };
    T::deserialize(node).map_err(|error| {
        let (start, problem) = error.locate(&KeyPlace::Root, &root.span(), text);
        let (line, column) = line_and_column(text, start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        ConfigError::WrongKey {
            path: path.to_owned(),
            line,
            column,
            problem: harmless_line(&problem).into_owned(),
            excerpt: excerpt_line(&text[line_start..], line, column),
        }
    })
}

/// Returns the first line of a text below its number, with a caret below the column, as TOML's own
/// errors have it.
fn excerpt_line(text: &str, line: usize, column: usize) -> String {
    let shown = harmless_line(text.lines().next().unwrap_or_default());
    let margin = " ".repeat(line.to_string().len());
    let blanks = " ".repeat(column - 1);
    format!("{margin} |\n{line} | {shown}\n{margin} | {blanks}^")
}

/// The place of a value below the tables of a document.
#[derive(Debug, Clone)]
enum KeyPlace {
    Root,
    /// A key of the document, which may be a table.
    Top(String),
    /// A key of a table, or below one.
    Nested(String),
}

impl KeyPlace {
    /// Returns the place of a key of the table at this place.
    fn child(&self, key: &str) -> Self {
        match self {
            Self::Root => Self::Top(key.to_owned()),
            Self::Top(table) => Self::Nested(format!("[{table}] {key}")),
            Self::Nested(table) => Self::Nested(format!("{table}.{key}")),
        }
    }
}

impl fmt::Display for KeyPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Top(text) | Self::Nested(text) => f.write_str(text),
        }
    }
}

/// A fault of a document.
#[derive(Debug, thiserror::Error)]
enum DocumentError {
    /// A key that its table does not have.
    #[error("{key}")]
    UnknownKey { key: String, known: &'static [&'static str] },
    #[error("{0}")]
    WrongValue(String),
    /// Either, with the byte at which it begins.
    #[error("{problem}")]
    Located { start: usize, problem: String },
}

impl DocumentError {
    /// Returns the byte at which the problem begins, and the problem. One that has no place yet
    /// gets this one.
    fn locate(self, place: &KeyPlace, span: &Range<usize>, text: &str) -> (usize, String) {
        match self {
            Self::UnknownKey { key, known } => {
                let near = match keys_in_tables(&key).as_slice() {
                    [] => did_you_mean(&key, known),
                    full => format!("; did you mean {}?", full.join(" or ")),
                };
                let problem = format!(
                    "{place}: no such key in the configuration{near} (known here: {})",
                    known.join(", ")
                );
                (span.start, problem)
            }
            Self::WrongValue(problem) => {
                let value = quoted(&text[span.clone()]);
                (span.start, format!("{place} = {value}: {problem}"))
            }
            Self::Located { start, problem } => (start, problem),
        }
    }
}

/// Shortens a value to what fits on a line.
fn quoted(value: &str) -> String {
    let line = value.lines().next().unwrap_or_default();
    let mut short: String = line.chars().take(MAX_QUOTED).collect();
    if short.len() < value.len() {
        short.push_str("...");
    }
    short
}

impl de::Error for DocumentError {
    fn custom<T: fmt::Display>(problem: T) -> Self {
        Self::WrongValue(problem.to_string())
    }

    fn invalid_type(_: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::WrongValue(format!("expected {expected}"))
    }

    /// Only numbers that must not be 0 have invalid values.
    fn invalid_value(_: de::Unexpected<'_>, _: &dyn de::Expected) -> Self {
        Self::WrongValue(format!("it must be {ABOVE_ZERO}"))
    }

    fn unknown_variant(name: &str, known: &'static [&'static str]) -> Self {
        Self::WrongValue(format!(
            "no such name{} (known: {})",
            did_you_mean(name, known),
            known.join(", ")
        ))
    }

    fn unknown_field(key: &str, known: &'static [&'static str]) -> Self {
        Self::UnknownKey { key: key.to_owned(), known }
    }
}

struct DocumentNode<'d, 't> {
    text: &'t str,
    place: KeyPlace,
    value: &'d Spanned<DeValue<'t>>,
}

impl DocumentNode<'_, '_> {
    /// Returns the error that a value of another kind was expected here.
    fn expected(&self, kind: &str) -> DocumentError {
        DocumentError::WrongValue(format!("expected {kind}"))
    }

    fn integer(&self) -> Option<i64> {
        let integer = self.value.get_ref().as_integer()?;
        i64::from_str_radix(integer.as_str(), integer.radix()).ok()
    }
}

impl<'de> Deserializer<'de> for DocumentNode<'_, 'de> {
    type Error = DocumentError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DocumentError> {
        match self.value.get_ref() {
            DeValue::String(text) => visitor.visit_str(text),
            DeValue::Integer(number) => match self.integer() {
                Some(integer) => visitor.visit_i64(integer),
                None => Err(DocumentError::WrongValue(format!(
                    "{number} is too large; the greatest number is {MAX_NUMBER}"
                ))),
            },
            DeValue::Float(number) => match number.as_str().parse() {
                Ok(number) => visitor.visit_f64(number),
                Err(_) => Err(self.expected("a number")),
            },
            DeValue::Boolean(flag) => visitor.visit_bool(*flag),
            DeValue::Datetime(time) => visitor.visit_string(time.to_string()),
            DeValue::Array(items) => {
                visitor.visit_seq(DocumentItems { node: &self, items: items.iter() })
            }
            DeValue::Table(table) => visitor.visit_map(DocumentEntries {
                node: &self,
                entries: table.iter(),
                next: None,
            }),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DocumentError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, DocumentError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DocumentError> {
        if self.value.get_ref().is_bool() {
            self.deserialize_any(visitor)
        } else {
            Err(self.expected("true or false"))
        }
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DocumentError> {
        match self.integer().and_then(|number| u64::try_from(number).ok()) {
            Some(number) => visitor.visit_u64(number),
            None => Err(self.expected("a whole number, 0 or greater")),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DocumentError> {
        match self.value.get_ref() {
            DeValue::Integer(_) | DeValue::Float(_) => self.deserialize_any(visitor),
            _ => Err(self.expected("a number")),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DocumentError> {
        match self.value.get_ref().as_str() {
            Some(text) => visitor.visit_str(text),
            None => Err(self.expected("a text in quotes")),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DocumentError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, DocumentError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DocumentError> {
        match self.value.get_ref().as_str() {
            Some(name) => visitor.visit_enum(name.into_deserializer()),
            None => Err(self.expected("a text in quotes")),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DocumentError> {
        if self.value.get_ref().is_array() {
            self.deserialize_any(visitor)
        } else {
            Err(self.expected("a list of texts"))
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DocumentError> {
        if self.value.get_ref().is_table() {
            self.deserialize_any(visitor)
        } else {
            Err(self.expected(&format!("a table: [{}]", self.place)))
        }
    }

    serde::forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u128 f32 char bytes byte_buf unit unit_struct tuple
        tuple_struct map ignored_any
    }
}

struct DocumentEntries<'d, 't, I> {
    node: &'d DocumentNode<'d, 't>,
    entries: I,
    /// The entry whose key was read last.
    next: Option<(&'d str, &'d Spanned<DeValue<'t>>)>,
}

impl<'d, 'de, I> MapAccess<'de> for DocumentEntries<'d, 'de, I>
where
    I: Iterator<Item = (&'d Spanned<DeString<'de>>, &'d Spanned<DeValue<'de>>)>,
    'de: 'd,
{
    type Error = DocumentError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, DocumentError> {
        let Some((key, value)) = self.entries.next() else {
            return Ok(None);
        };
        let name: &str = key.get_ref();
        self.next = Some((name, value));
        let name_deserializer: StrDeserializer<'_, DocumentError> = name.into_deserializer();
        seed.deserialize(name_deserializer).map(Some).map_err(|error| {
            let place = self.node.place.child(name);
            let (start, problem) = error.locate(&place, &key.span(), self.node.text);
            DocumentError::Located { start, problem }
        })
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<S::Value, DocumentError> {
        let Some((key, value)) = self.next.take() else {
            return Err(de::Error::custom("expected a key"));
        };
        deserialize_located(self.node.text, self.node.place.child(key), value, seed)
    }
}

/// The items of a list. They have the place of the list.
struct DocumentItems<'d, 't> {
    node: &'d DocumentNode<'d, 't>,
    items: std::slice::Iter<'d, Spanned<DeValue<'t>>>,
}

impl<'de> SeqAccess<'de> for DocumentItems<'_, 'de> {
    type Error = DocumentError;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, DocumentError> {
        let Some(value) = self.items.next() else {
            return Ok(None);
        };
        deserialize_located(self.node.text, self.node.place.clone(), value, seed).map(Some)
    }
}

/// Reads a value; its errors get its place unless they have one further inside.
fn deserialize_located<'de, S: DeserializeSeed<'de>>(
    text: &'de str,
    place: KeyPlace,
    value: &Spanned<DeValue<'de>>,
    seed: S,
) -> Result<S::Value, DocumentError> {
    let node = DocumentNode { text, place: place.clone(), value };
    seed.deserialize(node).map_err(|error| {
        let (start, problem) = error.locate(&place, &value.span(), text);
        DocumentError::Located { start, problem }
    })
}
