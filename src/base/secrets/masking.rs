//! Masks the secrets of a text: replaces each by the name of its kind. A run of base64 that spells
//! a text with a secret is masked whole.

use crate::base::invisible::VisibleText;
use crate::base::secrets::keywords::{FoundSecret, find_plain_secrets, join_overlaps};
use crate::base::secrets::personal::find_personal_data;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;

/// Replaces each secret by `[REDACTED kind]`. Also returns how many were replaced.
pub(crate) fn mask_secrets(text: &str) -> (Cow<'_, str>, u64) {
    match mask_found(text, 0, Vec::new()) {
        (_, 0) => (Cow::Borrowed(text), 0),
        (masked, count) => (Cow::Owned(masked), count),
    }
}

/// Masks the secrets of the part of `text` that begins at byte `at`, and what else was found in the
/// text.
///
/// The whole text is searched, because a secret that began before `at` would
/// not be recognized by its second half.
fn mask_found(text: &str, at: usize, others: Vec<FoundSecret>) -> (String, u64) {
    let (mut masked, mut copied, mut count) = (String::new(), at, 0);
    let mut found = find_secrets(text);
    let is_secret = |other: &FoundSecret| {
        let next = found.partition_point(|secret| secret.range.end <= other.range.start);
        found.get(next).is_some_and(|secret| secret.range.start < other.range.end)
    };
    let others: Vec<FoundSecret> = others.into_iter().filter(|other| !is_secret(other)).collect();
    found.extend(others);
    found.sort_by_key(|found| found.range.start);
    for secret in found.iter().filter(|secret| secret.range.end > at) {
        if secret.range.start < copied && copied > at {
            continue;
        }
        masked.push_str(&text[copied..secret.range.start.max(copied)]);
        masked.push_str("[REDACTED ");
        masked.push_str(secret.kind);
        masked.push(']');
        copied = secret.range.end;
        count += 1;
    }
    if count > 0 || at > 0 {
        masked.push_str(&text[copied..]);
    }
    (masked, count)
}

/// The shortest run that is decoded, in bytes.
const MIN_RUN_BYTES: usize = 24;
/// The longest run that is decoded, in bytes: longer ones are files.
const MAX_RUN_BYTES: usize = 64 << 10;
/// The bytes whose text tells whether the rest is text, too.
const PROBE_BYTES: usize = 16;

/// Returns the secrets of a text, in order and apart from each other.
fn find_secrets(text: &str) -> Vec<FoundSecret> {
    join_overlaps(find_as_read(text, |text| {
        let mut found = find_plain_secrets(text);
        found.extend(find_encoded_secrets(text));
        found
    }))
}

/// Searches a text, and what one reads of it: characters that show nothing part no secret.
fn find_as_read(text: &str, find: impl Fn(&str) -> Vec<FoundSecret>) -> Vec<FoundSecret> {
    let mut found = find(text);
    if let Some(visible) = VisibleText::of(text) {
        found.extend(find(&visible.text).into_iter().map(|secret| FoundSecret {
            range: visible.original(secret.range),
            kind: secret.kind,
        }));
    }
    found
}

/// Returns the runs of base64 that hold a secret, in order.
fn find_encoded_secrets(text: &str) -> Vec<FoundSecret> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut seen = 0;
    // A run that is long enough covers the probe, or begins behind it.
    while let Some(probe) = bytes.get(seen + MIN_RUN_BYTES - 1) {
        let at = seen + MIN_RUN_BYTES - 1;
        if !is_base64(*probe) {
            seen = at + 1;
            continue;
        }
        let before = bytes[seen..at].iter().rev();
        let start = at - before.take_while(|byte| is_base64(**byte)).count();
        let behind = bytes[at..].iter();
        let end = at + behind.take_while(|byte| is_base64(**byte)).count();
        seen = end;
        let first_secret = |text: String| find_plain_secrets(&text).into_iter().next();
        if let Some(secret) = decode_text(&text[start..end]).and_then(first_secret) {
            found.push(FoundSecret { range: start..end, kind: secret.kind });
        }
    }
    found
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

/// Returns the text that a run of base64 spells.
fn decode_text(run: &str) -> Option<String> {
    if !(MIN_RUN_BYTES..=MAX_RUN_BYTES).contains(&run.len())
        || !is_text(&decode(&run[..PROBE_BYTES])?)
    {
        return None;
    }
    // A run that was cut in its middle spells a text up to there.
    let whole = if run.len() % 4 == 1 { run.len() - 1 } else { run.len() };
    let bytes = decode(&run[..whole])?;
    is_text(&bytes).then(|| String::from_utf8(bytes).ok())?
}

fn decode(run: &str) -> Option<Vec<u8>> {
    let engine = if run.contains(['-', '_']) { URL_SAFE_NO_PAD } else { STANDARD_NO_PAD };
    engine.decode(run).ok()
}

fn is_text(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte >= b' ' || b"\n\r\t".contains(byte))
}

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
            Self::Personal => {
                mask_found(text, at, join_overlaps(find_as_read(text, find_personal_data)))
            }
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
        let known = match RedactionSpelling::deserialize(deserializer) {
            Ok(RedactionSpelling::Switch(false)) => Some(Self::Off),
            Ok(RedactionSpelling::Switch(true)) => Some(Self::Secrets),
            Ok(RedactionSpelling::Word(word)) => Self::from_word(&word),
            Err(_) => None,
        };
        known.ok_or_else(|| {
            let expected = format!("it must be true, false, \"secrets\" or \"{PERSONAL}\"");
            serde::de::Error::custom(expected)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A long secret is masked to its end. Text that only begins like a secret is not masked.
    #[test]
    fn long_secrets_are_masked_whole_and_mere_beginnings_stay() {
        let token = format!("token={} x", "a1".repeat(2_000));
        assert_eq!(mask_secrets(&token).0, "token=[REDACTED assigned_secret] x");
        for piece in [
            "password=a/",
            "eyJabcdefgh-",
            "://a:b",
            "-----BEGIN PRIVATE KEY-----\n:",
            "token: https://a:b ",
            "\u{e9} secret ",
        ] {
            let text = piece.repeat(2_000);
            let masked = mask_secrets(&text);
            assert!(masked.1 == 0 || piece.starts_with("-----"), "{piece}");
        }
    }

    #[test]
    fn the_end_of_a_secret_is_masked_too() {
        // Split, so that no scanner takes this file for a leak.
        let text = [
            "-----BEGIN ",
            "PRIVATE KEY-----\nMIIEabc\nabc\n-----END ",
            "PRIVATE KEY-----\nthen https://u:p4ss@h",
        ]
        .concat();
        let end = |from: &str| mask_found(&text, text.find(from).unwrap(), Vec::new());
        assert_eq!(
            end("abc\n---"),
            ("[REDACTED private_key]\nthen https://u:[REDACTED password]@h".to_owned(), 2)
        );
        assert_eq!(end("ss@h"), ("[REDACTED password]@h".to_owned(), 1));
        assert_eq!(end("@h"), ("@h".to_owned(), 0));
        assert_eq!(mask_found(&text, text.len(), Vec::new()), (String::new(), 0));
    }

    /// What one reads is searched, and what one does not read is masked with it.
    #[test]
    fn invisible_characters_hide_no_secret() {
        for hidden in ["\u{ad}", "\u{200b}", "\u{200d}", "\u{e0041}", "\u{34f}\u{3164}", "\u{feff}"]
        {
            let text = format!("é{hidden} pass{hidden}word=hunt{hidden}er2x{hidden} ok");
            let masked =
                format!("é{hidden} pass{hidden}word=[REDACTED assigned_secret]{hidden} ok");
            assert_eq!(mask_secrets(&text), (masked.into(), 1));
            let text = format!("mail m{hidden}e@ex{hidden}ample.org now");
            let masked = "mail [REDACTED email] now".to_owned();
            assert_eq!(Redaction::Personal.mask(&text), (masked.into(), 1), "{hidden:?}");
        }
    }

    #[test]
    fn masking_twice_changes_nothing() {
        let once = mask_secrets("PASSWORD=abcdefgh1234, http://u:p4ss@h/").0.into_owned();
        assert_eq!(mask_secrets(&once), (Cow::Borrowed(once.as_str()), 0));
    }
}
