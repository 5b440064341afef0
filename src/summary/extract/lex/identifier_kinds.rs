//! Classifies identifiers by their characters alone.

use super::byte_classes::{
    AT, ByteClasses, DASH, DIGIT, DOT, LETTER, LOWER, SLASH, UNDER, UPPER, classes_of,
};
use crate::summary::extract::lexicon::identifier_words::{FILE_EXTENSIONS, SHOUTED_WORDS};
use hashbrown::HashSet;
use std::sync::LazyLock;

/// The kinds of an identifier, as bits: several can hold.
pub(crate) type Kinds = u8;
/// A path, file name, URL or mail address.
pub(crate) const PATH: Kinds = 1;
/// Letters with digits or underscores, or a key or leaf of JSON.
pub(crate) const CODE: Kinds = 2;
/// A number.
pub(crate) const NUMBER: Kinds = 4;
/// An identifier in quotation marks.
pub(crate) const QUOTED: Kinds = 8;
/// A date, an acronym, a camel-case name or an argument's value.
pub(crate) const OTHER: Kinds = 16;
/// An everyday word or phrase.
pub(crate) const WORDS: Kinds = 32;

/// Maximum length of an identifier in bytes. Longer runs are data (base64, minified code).
pub(crate) const LONGEST_IDENTIFIER: usize = 120;
/// Maximum length of an acronym in bytes.
const LONGEST_ACRONYM: usize = 40;
/// Length in bytes of the longest entry of `FILE_EXTENSIONS`.
const LONGEST_EXTENSION: usize = 5;

static SHOUTED: LazyLock<HashSet<&str>> = LazyLock::new(|| SHOUTED_WORDS.iter().copied().collect());

/// Returns true if the bytes begin with a date: `2024-05-20`.
pub(crate) fn is_date(bytes: &[u8]) -> bool {
    bytes.len() >= 10
        && bytes[..10].iter().enumerate().all(|(at, byte)| {
            if at == 4 || at == 7 {
                *byte == b'-'
            } else {
                byte.is_ascii_digit()
            }
        })
}

/// Classifies a text without blanks, given the classes of its bytes. Returns `None` for plain
/// words and for texts that are too short or too long.
pub(crate) fn kinds_by_classes(text: &str, classes: ByteClasses) -> Option<Kinds> {
    let bytes = text.as_bytes();
    if !(3..=LONGEST_IDENTIFIER).contains(&bytes.len()) {
        return None;
    }
    if classes == DIGIT {
        return Some(NUMBER);
    }
    // Most identifiers are letters with digits or underscores.
    if classes & (AT | SLASH | DASH | DOT) == 0
        && classes & (LOWER | UPPER) != 0
        && (classes & UNDER != 0 || (classes & DIGIT != 0 && bytes.len() >= 4))
    {
        return Some(CODE);
    }
    if classes & AT != 0 && classes & LETTER != 0 && is_mail_address(text) {
        return Some(PATH);
    }
    if classes & SLASH != 0 {
        return kinds_with_slashes(text, classes);
    }
    if classes & DASH != 0 && is_date(bytes) {
        return Some(OTHER);
    }
    if classes & LETTER == 0 {
        let least = if classes & DOT != 0 { 2 } else { 3 };
        return (classes & DIGIT != 0 && count_digits(bytes) >= least).then_some(NUMBER);
    }
    if classes & DOT != 0 && has_file_extension(text) {
        return Some(PATH);
    }
    if (classes & DIGIT != 0 && bytes.len() >= 4)
        || (classes & UNDER != 0 && classes & (LOWER | UPPER) != 0)
    {
        return Some(CODE);
    }
    let is_camel_case = classes & UPPER != 0 && classes & LOWER != 0 && has_inner_capital(bytes);
    let is_acronym =
        || classes == UPPER && bytes.len() <= LONGEST_ACRONYM && !SHOUTED.contains(text);
    (is_camel_case || is_acronym()).then_some(OTHER)
}

/// Classifies a text without blanks.
pub(crate) fn kinds_of(text: &str) -> Option<Kinds> {
    kinds_by_classes(text, classes_of(text.as_bytes()))
}

/// Returns true for a code with a digit that is no number and no date: `HAT175`.
pub(crate) fn is_numbered_code(word: &str) -> bool {
    kinds_of(word).is_some_and(|kinds| kinds & CODE != 0)
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && !is_date(word.as_bytes())
}

/// Returns true for a number that is an id by its length: `9472539378`.
pub(crate) fn is_long_number(word: &str) -> bool {
    word.len() >= LEAST_LONG_NUMBER && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Number of digits from which on a number is an id.
const LEAST_LONG_NUMBER: usize = 6;

/// Returns true for the address of a page.
pub(crate) fn is_link(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

fn is_mail_address(text: &str) -> bool {
    text.find('@')
        .is_some_and(|at| at > 0 && text[at..].contains('.'))
}

fn count_digits(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| byte.is_ascii_digit()).count()
}

fn has_inner_capital(bytes: &[u8]) -> bool {
    bytes
        .windows(2)
        .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
}

/// Classifies a text with slashes. `and/or` is no path, so a path needs another sign: a digit, an
/// underscore, a dot, a root or a second slash.
fn kinds_with_slashes(text: &str, classes: ByteClasses) -> Option<Kinds> {
    if classes & LETTER == 0 {
        return (classes & DIGIT != 0 && count_slashes(text) == 2).then_some(OTHER);
    }
    let is_path = classes & (DIGIT | UNDER | DOT) != 0
        || (text.starts_with(['/', '.', '~']) && text.len() > 3)
        || count_slashes(text) > 1;
    is_path.then_some(PATH)
}

fn count_slashes(text: &str) -> usize {
    text.bytes().filter(|&byte| byte == b'/').count()
}

/// Returns true if a name ends with a known file extension.
pub(crate) fn has_file_extension(text: &str) -> bool {
    let bytes = text.as_bytes();
    // Most dots join names and have more behind them than an extension.
    let near = bytes.len().saturating_sub(LONGEST_EXTENSION + 1);
    bytes[near..]
        .iter()
        .rposition(|byte| *byte == b'.')
        .is_some_and(|dot| {
            let extension = &bytes[near + dot + 1..];
            near + dot > 0 && PACKED_EXTENSIONS.contains(&pack(extension))
        })
}

/// `FILE_EXTENSIONS`, each packed into a number: numbers are compared several at a time.
static PACKED_EXTENSIONS: [u64; FILE_EXTENSIONS.len()] = {
    let mut packed = [0; FILE_EXTENSIONS.len()];
    let mut at = 0;
    while at < packed.len() {
        packed[at] = pack(FILE_EXTENSIONS[at].as_bytes());
        at += 1;
    }
    packed
};

/// Packs up to eight letters into a number, without regard to their case.
const fn pack(letters: &[u8]) -> u64 {
    let mut packed = 0;
    let mut at = 0;
    while at < letters.len() {
        packed = packed << 8 | letters[at].to_ascii_lowercase() as u64;
        at += 1;
    }
    packed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_decide_the_kind() {
        for (text, wanted) in [
            ("src/main.rs", Some(PATH)),
            ("a@b.org", Some(PATH)),
            ("and/or", None),
            ("UM3OG5", Some(CODE)),
            ("max_width", Some(CODE)),
            ("12/31/2024", Some(OTHER)),
            ("JFK", Some(OTHER)),
            ("IMPORTANT", None),
            ("1,234.50", Some(NUMBER)),
            ("12", None),
            ("word", None),
        ] {
            assert_eq!(kinds_of(text), wanted, "{text}");
        }
        assert!(SHOUTED_WORDS.is_sorted());
    }
}
