//! The spelling of configuration values, where serde's own spelling
//! of their types is another or their range is narrower.

use crate::cli::ValueError;
use crate::cli::checked_values::{
    check_budget, check_chars_per_token, check_concurrency, check_cost, check_merge_prompt,
    check_prompt, check_temperature, parse_counter, parse_preset, parse_price, parse_summarizer,
};
use crate::policy::{CachePlace, CallPrice, Preset, SkillSource, SummarizerKind};
use crate::summary::summarizer_name;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::fmt;

/// Reads a value and checks it.
pub(super) fn checked<'de, D, T, U>(
    deserializer: D,
    check: fn(T) -> Result<U, ValueError>,
) -> Result<U, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    check(T::deserialize(deserializer)?).map_err(D::Error::custom)
}

/// Reads a text and parses it.
fn parsed<'de, D, T>(
    deserializer: D,
    parse: fn(&str) -> Result<T, ValueError>,
) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
{
    parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
}

pub(super) fn chars_per_token<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<f64>, D::Error> {
    checked(deserializer, check_chars_per_token).map(Some)
}

impl Serialize for SkillSource {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(label) = &self.label else {
            return serializer.serialize_str(&self.path);
        };
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("path", &self.path)?;
        map.serialize_entry("label", label)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for SkillSource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SkillSourceVisitor)
    }
}

struct SkillSourceVisitor;

/// The keys of a directory of skills.
#[derive(serde::Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum SkillSourceKey {
    Path,
    Label,
}

impl<'de> Visitor<'de> for SkillSourceVisitor {
    type Value = SkillSource;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a path, or a table like { path = \"skills\", label = \"Mine\" }")
    }

    fn visit_str<E: Error>(self, path: &str) -> Result<SkillSource, E> {
        Ok(SkillSource {
            path: path.to_owned(),
            label: None,
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<SkillSource, A::Error> {
        let (mut path, mut label) = (None, None);
        while let Some(key) = map.next_key()? {
            match key {
                SkillSourceKey::Path => path = Some(map.next_value()?),
                SkillSourceKey::Label => label = Some(map.next_value()?),
            }
        }
        let path = path.ok_or_else(|| A::Error::custom("a table of skills needs a path"))?;
        Ok(SkillSource { path, label })
    }
}

/// Reads the share of a budget, where 0 is none.
pub(super) fn budget<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    checked(deserializer, check_budget).map(Some)
}

pub(super) fn temperature<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<f64>, D::Error> {
    checked(deserializer, check_temperature).map(Some)
}

pub(super) fn max_cost<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<f64>, D::Error> {
    checked(deserializer, check_cost).map(Some)
}

pub(super) fn concurrency<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<usize>, D::Error> {
    checked(deserializer, check_concurrency).map(Some)
}

pub(super) fn prompt<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    checked(deserializer, check_prompt).map(Some)
}

pub(super) fn merge_prompt<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    checked(deserializer, check_merge_prompt).map(Some)
}

impl Serialize for Preset {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

impl<'de> Deserialize<'de> for &'static Preset {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        parsed(deserializer, parse_preset)
    }
}

/// The name of a known counter, or of a `tokenizer.json` as `file:PATH`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CounterName(pub &'static str);

impl Serialize for CounterName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

impl<'de> Deserialize<'de> for CounterName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        parsed(deserializer, parse_counter).map(Self)
    }
}

impl Serialize for SummarizerKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&summarizer_name(self))
    }
}

impl<'de> Deserialize<'de> for SummarizerKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        parsed(deserializer, parse_summarizer)
    }
}

impl Serialize for CallPrice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{},{}", self.input, self.output))
    }
}

impl<'de> Deserialize<'de> for CallPrice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        parsed(deserializer, parse_price)
    }
}

impl Serialize for CachePlace {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::User => serializer.serialize_none(),
            Self::At(directory) => serializer.serialize_str(&directory.to_string_lossy()),
            Self::Off => serializer.serialize_str(""),
        }
    }
}

impl<'de> Deserialize<'de> for CachePlace {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let directory = String::deserialize(deserializer)?;
        Ok(if directory.is_empty() {
            Self::Off
        } else {
            Self::At(directory.into())
        })
    }
}

/// Headers as names and values, in the order in which they were written.
#[derive(Debug, Clone, Default)]
pub(crate) struct HeaderList(pub Vec<(String, String)>);

impl HeaderList {
    /// Adds these headers to others, in place of those with the same name.
    pub(in crate::settings) fn replace_in(self, headers: &mut Vec<(String, String)>) {
        headers.retain(|(name, _)| !self.has(name));
        headers.extend(self.0);
    }

    fn has(&self, name: &str) -> bool {
        self.0
            .iter()
            .any(|(known, _)| known.eq_ignore_ascii_case(name))
    }
}

impl Serialize for HeaderList {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de> Deserialize<'de> for HeaderList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(HeaderVisitor).map(Self)
    }
}

struct HeaderVisitor;

impl<'de> Visitor<'de> for HeaderVisitor {
    type Value = Vec<(String, String)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table of header names and values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut headers = Vec::new();
        while let Some(header) = map.next_entry()? {
            headers.push(header);
        }
        Ok(headers)
    }
}
