//! Finds the references in the arguments of a call.

use super::argument_keys::is_command_key;
use crate::summary::extract::lex::argument_leaves::LeafValue;
use crate::summary::extract::lex::excerpt::both_ends;
use crate::summary::extract::lex::identifier_kinds::{Kinds, NUMBER, OTHER, PATH, WORDS, kinds_of};
use crate::summary::extract::lex::identifiers::{TextEncoding, scan_identifiers};
use crate::summary::extract::lex::value_keys::ValueKey;
use crate::summary::extract::lexicon::identifier_words::PLACEHOLDER_VALUES;

/// Maximum length in bytes of a value that is a reference itself. Longer values are searched for
/// identifiers.
const LONGEST_VALUE: usize = 40;
/// Maximum length in bytes of a value whose key describes the identifiers in it. Longer values are
/// code or documents.
const LONGEST_WITH_KEY: usize = 200;
/// Maximum length in bytes of a value that is a plain word and no reference.
const LONGEST_PLAIN_WORD: usize = 12;
/// Marks around a value that do not belong to it.
const VALUE_MARKS: [char; 13] = [
    '`', '"', '\'', ',', ';', ':', '(', ')', '[', ']', '{', '}', ' ',
];
/// Minimum length in bytes of a reference.
const LEAST_LENGTH: usize = 3;

/// Calls `found` with each reference in a value of a call, its kinds and its key.
pub(crate) fn visit_argument_references<'v>(
    key: ValueKey<'v>,
    leaf: LeafValue<'v>,
    found: &mut impl FnMut(&'v str, Kinds, ValueKey<'v>),
) {
    let raw = match leaf {
        LeafValue::Number(number) => {
            if is_integer(number) {
                found(number, NUMBER | OTHER, key);
            }
            return;
        }
        LeafValue::String(raw) => raw,
    };
    // The words of a command are no values of its key, and no phrase to keep.
    let key = if is_command_key(key.name) {
        ValueKey::NONE
    } else {
        key
    };
    // A dot at the start belongs to the name of a hidden file or to `./`.
    let trimmed = raw
        .trim_start_matches(VALUE_MARKS)
        .trim_end_matches(|c| c == '.' || VALUE_MARKS.contains(&c));
    if is_single_reference(trimmed) {
        return found(trimmed, kinds_of_value(trimmed), key);
    }
    let (head, tail) = both_ends(raw);
    let head_key = if raw.len() > LONGEST_WITH_KEY {
        ValueKey::NONE
    } else {
        key
    };
    scan_identifiers(head, TextEncoding::Escaped, &mut |identifier, kinds, _| {
        found(identifier, kinds, head_key)
    });
    scan_identifiers(tail, TextEncoding::Escaped, &mut |identifier, kinds, _| {
        found(identifier, kinds, ValueKey::NONE)
    });
    let phrase = raw.trim();
    if !key.name.is_empty()
        && (LEAST_LENGTH..=LONGEST_VALUE).contains(&phrase.len())
        && !phrase.contains(['\\', '"'])
        && !is_placeholder(phrase)
    {
        found(phrase, WORDS, key);
    }
}

/// Returns true for an integer of at least three digits. Whoever reads a fraction may write it in
/// another way.
fn is_integer(number: &str) -> bool {
    let digits = number.strip_prefix('-').unwrap_or(number);
    digits.len() >= LEAST_LENGTH && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn kinds_of_value(value: &str) -> Kinds {
    let is_number = value
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    if is_number {
        NUMBER | OTHER
    } else {
        OTHER | (kinds_of(value).unwrap_or(0) & PATH)
    }
}

/// Returns true if a value is a reference itself: short, without blanks, and more than a plain word
/// or a small number.
fn is_single_reference(value: &str) -> bool {
    let is_plain_word =
        value.len() <= LONGEST_PLAIN_WORD && value.bytes().all(|byte| byte.is_ascii_alphabetic());
    (LEAST_LENGTH..=LONGEST_VALUE).contains(&value.len())
        && !is_plain_word
        && !is_placeholder(value)
        && value
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && byte != b'\\')
}

fn is_placeholder(value: &str) -> bool {
    PLACEHOLDER_VALUES
        .iter()
        .any(|word| value.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dot_of_a_hidden_folder_stays() {
        for (raw, value) in [
            (".hidden/skills/a.md", ".hidden/skills/a.md"),
            ("./config.js", "./config.js"),
            ("(HAT175).", "HAT175"),
        ] {
            let mut values = Vec::new();
            let key = ValueKey::from_name("file_path");
            visit_argument_references(key, LeafValue::String(raw), &mut |text, _, _| {
                values.push(text)
            });
            assert_eq!(values, [value]);
        }
    }
}
