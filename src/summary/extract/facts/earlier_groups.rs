//! Reads the references of an earlier summary: lines of values below a key.

use crate::summary::extract::labels::NO_KEY;
use crate::summary::extract::lex::clip::OMISSION;
use crate::summary::extract::lex::identifier_kinds::{Kinds, OTHER, WORDS, kinds_of};
use crate::summary::extract::lex::value_keys::ValueKey;

/// Maximum length of a key in code points, and in words.
const LONGEST_KEY: usize = 60;
const MOST_KEY_WORDS: usize = 3;

/// References with a common key.
pub(super) struct ParsedGroup<'t> {
    pub(super) key: ValueKey<'t>,
    pub(super) values: Vec<(&'t str, Kinds)>,
}

/// Parses `key: A1 B2 "C 3"`. Returns `None` if a value is neither an identifier nor a phrase in
/// quotation marks: prose has plain words.
pub(super) fn parse_group(line: &str) -> Option<ParsedGroup<'_>> {
    let (key, mut rest) = line.split_once(": ")?;
    if key.chars().count() > LONGEST_KEY || key.split_whitespace().count() > MOST_KEY_WORDS {
        return None;
    }
    let mut values = Vec::new();
    while !rest.is_empty() {
        let (value, kinds, after) = match rest.strip_prefix('"') {
            Some(quoted) => {
                let (phrase, after) = quoted.split_once('"')?;
                (phrase, WORDS, after)
            }
            None => {
                let (value, after) = rest.split_once(' ').unwrap_or((rest, ""));
                let value = value.trim_end_matches(',');
                (value, kinds_of_listed_value(value)?, after)
            }
        };
        if value != OMISSION {
            values.push((value, kinds));
        }
        rest = after.trim_start();
    }
    let key = if key == NO_KEY {
        ValueKey::NONE
    } else {
        ValueKey::from_name(key)
    };
    (!values.is_empty()).then_some(ParsedGroup { key, values })
}

/// Returns `None` for a plain word.
fn kinds_of_listed_value(value: &str) -> Option<Kinds> {
    if value == OMISSION {
        return Some(0);
    }
    kinds_of(value).or_else(|| value.contains(['-', '_', '.']).then_some(OTHER))
}
