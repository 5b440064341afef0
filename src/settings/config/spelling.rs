//! The spelling of configuration values, where serde's own spelling
//! of their types is another or their range is narrower.

use crate::deciding::policy::{CachePlace, CallPrice, Preset, SkillSource, SummarizerKind};
use crate::settings::cli::checked_values::{
    check_budget, check_chars_per_token, check_concurrency, check_cost, check_merge_prompt,
    check_prompt, check_temperature, parse_counter, parse_preset, parse_price, parse_summarizer,
};
use crate::summary::summarizer_name;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::fmt;

/// Reads a value and checks it.
pub(super) fn checked<'de, D, T, U>(
    deserializer: D,
    check: fn(T) -> Result<U, String>,
) -> Result<U, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    check(T::deserialize(deserializer)?).map_err(D::Error::custom)
}

/// Declares readers of keys whose values are checked.
macro_rules! checked_keys {
    ($($key:ident: $type:ty = $check:ident;)*) => {
        $(pub(super) fn $key<'de, D: Deserializer<'de>>(
            deserializer: D,
        ) -> Result<Option<$type>, D::Error> {
            checked(deserializer, $check).map(Some)
        })*
    };
}

checked_keys! {
    chars_per_token: f64 = check_chars_per_token;
    budget: f64 = check_budget;
    temperature: f64 = check_temperature;
    max_cost: f64 = check_cost;
    concurrency: usize = check_concurrency;
    prompt: String = check_prompt;
    merge_prompt: String = check_merge_prompt;
}

/// Lets types be read from a text.
macro_rules! parsed_types {
    ($($type:ty = $parse:expr;)*) => {
        $(impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
            }
        })*
    };
}

parsed_types! {
    &'static Preset = parse_preset;
    CounterName = |name: &str| parse_counter(name).map(CounterName);
    SummarizerKind = parse_summarizer;
    CallPrice = parse_price;
}

/// Lets types be written as a text.
macro_rules! written_types {
    ($($type:ty, $value:ident => $text:expr;)*) => {
        $(impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let $value = self;
                serializer.collect_str(&$text)
            }
        })*
    };
}

written_types! {
    Preset, preset => preset.name;
    CounterName, counter => counter.0;
    SummarizerKind, kind => summarizer_name(kind);
    CallPrice, price => format_args!("{},{}", price.input, price.output);
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
        Ok(SkillSource { path: path.to_owned(), label: None })
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

/// The name of a known counter, or of a `tokenizer.json` as `file:PATH`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CounterName(pub &'static str);

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
        Ok(if directory.is_empty() { Self::Off } else { Self::At(directory.into()) })
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
        self.0.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
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
