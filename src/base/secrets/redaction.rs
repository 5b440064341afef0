//! What is masked in the text that is written.

use crate::base::secrets::masking::mask_found;
use crate::base::secrets::personal::find_personal_data;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;

/// What is masked: each masks what those before it do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Redaction {
    /// Nothing.
    #[default]
    Off,
    /// Keys, tokens and passwords.
    Secrets,
    /// Personal data as well: mail addresses, phone numbers, card numbers, IP addresses.
    Personal,
}

/// The spelling of personal data as what is masked.
const PERSONAL: &str = "pii";

impl Redaction {
    /// Returns true if anything is masked.
    pub(crate) fn is_on(self) -> bool {
        self != Self::Off
    }

    /// Masks a text. Also returns how much was masked.
    pub(crate) fn mask(self, text: &str) -> (Cow<'_, str>, u64) {
        if !self.is_on() {
            return (Cow::Borrowed(text), 0);
        }
        match self.mask_from(text, 0) {
            (_, 0) => (Cow::Borrowed(text), 0),
            (masked, count) => (Cow::Owned(masked), count),
        }
    }

    /// Masks the part of `text` that begins at byte `at`. The whole text is searched.
    pub(crate) fn mask_from(self, text: &str, at: usize) -> (String, u64) {
        match self {
            Self::Off => (text[at..].to_owned(), 0),
            Self::Secrets => mask_found(text, at, Vec::new()),
            Self::Personal => mask_found(text, at, find_personal_data(text)),
        }
    }

    /// Returns the function that masks a text.
    pub(crate) fn masker(self) -> fn(&str) -> String {
        match self {
            Self::Off => str::to_owned,
            Self::Secrets => |text| Self::Secrets.mask(text).0.into_owned(),
            Self::Personal => |text| Self::Personal.mask(text).0.into_owned(),
        }
    }

    /// Returns what a word of the command line says.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        match word {
            "secrets" => Some(Self::Secrets),
            PERSONAL => Some(Self::Personal),
            _ => None,
        }
    }
}

impl Serialize for Redaction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Off => serializer.serialize_bool(false),
            Self::Secrets => serializer.serialize_bool(true),
            Self::Personal => serializer.serialize_str(PERSONAL),
        }
    }
}

impl<'de> Deserialize<'de> for Redaction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match RedactionSpelling::deserialize(deserializer)? {
            RedactionSpelling::Switch(false) => Self::Off,
            RedactionSpelling::Switch(true) => Self::Secrets,
            RedactionSpelling::Word(word) => Self::from_word(&word).ok_or_else(|| {
                serde::de::Error::custom(format!(
                    "redact is {word:?}, it must be true, false, \"secrets\" or \"{PERSONAL}\""
                ))
            })?,
        })
    }
}

/// The spelling in TOML.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
enum RedactionSpelling {
    Switch(bool),
    Word(String),
}

#[cfg(test)]
impl schemars::JsonSchema for Redaction {
    fn schema_name() -> Cow<'static, str> {
        "Redaction".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        RedactionSpelling::json_schema(generator)
    }
}
