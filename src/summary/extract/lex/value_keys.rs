//! Finds the key that a value stands under: `"flight_number": "HAT175"`,
//! `order id: A-77`, `--user=mia`.
//!
//! The search goes backwards from the value and runs only for values that are
//! new, so that a text is passed over once.

use crate::summary::extract::lexicon::identifier_words::GENERIC_KEYS;
use std::borrow::Cow;

/// Maximum length in bytes of a string whose key describes the values in it. Longer strings are
/// code or documents.
const LONGEST_STRING: usize = 200;
/// Maximum length of a key in bytes.
const LONGEST_KEY: usize = 40;
/// Maximum length in bytes of a phrase with its quotes. Numbers in longer values may mean something
/// alone.
const LONGEST_PHRASE: usize = 42;
/// Maximum distance in bytes to the opening bracket of a list or an object.
const FARTHEST_BRACKET: usize = 400;
/// Maximum number of words of a key in plain text.
const MOST_WORDS: usize = 2;

/// The key of a value and the key of the object around it. Either may be empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ValueKey<'k> {
    pub(crate) name: &'k str,
    pub(crate) parent: &'k str,
}

impl<'k> ValueKey<'k> {
    pub(crate) const NONE: Self = Self {
        name: "",
        parent: "",
    };

    /// Returns a key without a parent.
    pub(crate) fn from_name(name: &'k str) -> Self {
        Self { name, parent: "" }
    }

    /// Returns a key with a parent. The parent is kept only if the name is too generic alone.
    pub(crate) fn with_parent(name: &'k str, parent: &'k str) -> Self {
        Self {
            name,
            parent: if parent != name && is_generic(name) {
                parent
            } else {
                ""
            },
        }
    }

    /// Returns the key as the summary writes it.
    pub(crate) fn label(self) -> Cow<'k, str> {
        if self.parent.is_empty() {
            Cow::Borrowed(self.name)
        } else {
            Cow::Owned(format!("{} {}", self.parent, self.name))
        }
    }
}

fn is_generic(name: &str) -> bool {
    GENERIC_KEYS
        .iter()
        .any(|generic| name.eq_ignore_ascii_case(generic))
}

/// The notation of keys in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyNotation {
    /// JSON, or a format that prints like it, with this quotation mark.
    Json(u8),
    /// Prose, tables and logs.
    Plain,
}

impl KeyNotation {
    /// Detects the notation by the beginning of a text.
    pub(crate) fn detect(text: &str) -> Self {
        let mut bytes = text
            .trim_start()
            .bytes()
            .filter(|byte| !byte.is_ascii_whitespace());
        let mark = match bytes.next() {
            Some(b'{') => bytes.next(),
            Some(b'[') => match bytes.next() {
                Some(b'{' | b'[') => bytes.next(),
                other => other,
            },
            _ => None,
        };
        match mark {
            Some(quote @ (b'"' | b'\'')) => Self::Json(quote),
            _ => Self::Plain,
        }
    }

    /// Returns the key of the value at byte `at`.
    pub(crate) fn key_before(self, text: &str, at: usize) -> ValueKey<'_> {
        match self {
            Self::Json(quote) => json_key_before(text, at, quote),
            Self::Plain => plain_key_before(text, at),
        }
    }

    /// Returns true if the text before byte `end` is a key itself.
    pub(crate) fn is_key(self, text: &str, end: usize) -> bool {
        let Self::Json(quote) = self else {
            return false;
        };
        let bytes = text.as_bytes();
        bytes.get(end) == Some(&quote)
            && bytes[end + 1..]
                .iter()
                .find(|byte| !byte.is_ascii_whitespace())
                == Some(&b':')
    }

    /// Returns true if `at..end` is part of a short value with several words: `975` of
    /// `"975 Sunset Drive"`.
    pub(crate) fn is_in_phrase(self, text: &str, at: usize, end: usize) -> bool {
        let Self::Json(quote) = self else {
            return false;
        };
        let bytes = text.as_bytes();
        let near = at.saturating_sub(LONGEST_PHRASE);
        let Some(open) = memchr::memrchr(quote, &bytes[near..at]).map(|place| near + place) else {
            return false;
        };
        // Behind a key or a value the mark is a closing mark.
        let opens = matches!(
            last_visible_before(bytes, open),
            Some((_, b':' | b'[' | b',' | b'{'))
        );
        if !opens {
            return false;
        }
        let far = (open + LONGEST_PHRASE).min(bytes.len());
        let close = bytes
            .get(end..far)
            .and_then(|rest| memchr::memchr(quote, rest))
            .map(|length| end + length);
        close.is_some_and(|close| open + 1 < at || end < close)
    }

    /// Returns the key of the object that has a key at byte `at`.
    pub(crate) fn key_around(self, text: &str, at: usize) -> ValueKey<'_> {
        match self {
            Self::Json(quote) => ValueKey::from_name(object_key_around(text, at, quote)),
            Self::Plain => ValueKey::NONE,
        }
    }
}

/// Returns the last byte before `at` that is no blank, and its place.
fn last_visible_before(bytes: &[u8], at: usize) -> Option<(usize, u8)> {
    let place = bytes[..at]
        .iter()
        .rposition(|byte| !byte.is_ascii_whitespace())?;
    Some((place, bytes[place]))
}

fn json_key_before(text: &str, at: usize, quote: u8) -> ValueKey<'_> {
    let bytes = text.as_bytes();
    let near = at.saturating_sub(LONGEST_STRING);
    let Some(mark) = memchr::memrchr(quote, &bytes[near..at]).map(|place| near + place) else {
        return ValueKey::NONE;
    };
    // A closing mark is followed by a separator. Otherwise the mark opens the string around the
    // value.
    let between = bytes[mark + 1..at]
        .iter()
        .find(|byte| !byte.is_ascii_whitespace());
    let value = if matches!(between, Some(b':' | b',' | b']' | b'}' | b'[')) {
        at
    } else {
        mark
    };
    let name = key_of_value(text, value, quote);
    if !is_generic(name) {
        return ValueKey::from_name(name);
    }
    // In a map from ids to objects, an object may repeat its id.
    let parent = object_key_around(text, value, quote);
    if !parent.is_empty() && bytes[at..].starts_with(parent.as_bytes()) {
        ValueKey::from_name(name)
    } else {
        ValueKey::with_parent(name, parent)
    }
}

/// Returns the key of the value at byte `at`, or of the list around it. Empty if there is none.
fn key_of_value(text: &str, at: usize, quote: u8) -> &str {
    let bytes = text.as_bytes();
    let colon = match last_visible_before(bytes, at) {
        Some((colon, b':')) => Some(colon),
        Some((place, b'[' | b',')) => enclosing_bracket(bytes, place + 1, b'[')
            .and_then(|bracket| last_visible_before(bytes, bracket))
            .filter(|(_, byte)| *byte == b':')
            .map(|(colon, _)| colon),
        _ => None,
    };
    let key_end = colon
        .and_then(|colon| last_visible_before(bytes, colon))
        .filter(|(_, byte)| *byte == quote)
        .map(|(end, _)| end);
    key_end.map_or("", |end| {
        let near = end.saturating_sub(LONGEST_KEY + 1);
        let start = memchr::memrchr(quote, &bytes[near..end]).map(|place| near + place + 1);
        start
            .and_then(|start| text.get(start..end))
            .filter(|name| !name.contains('\\'))
            .unwrap_or("")
    })
}

/// Returns the key of the object around byte `at`. Empty if there is none.
fn object_key_around(text: &str, at: usize, quote: u8) -> &str {
    enclosing_bracket(text.as_bytes(), at, b'{')
        .map_or("", |brace| key_of_value(text, brace, quote))
}

/// Returns the place of the innermost bracket that is open at byte `at`, if it is `wanted`.
fn enclosing_bracket(bytes: &[u8], at: usize, wanted: u8) -> Option<usize> {
    let near = at.saturating_sub(FARTHEST_BRACKET);
    let mut depth = 0;
    for place in (near..at).rev() {
        match bytes[place] {
            b']' | b'}' => depth += 1,
            b'[' | b'{' if depth > 0 => depth -= 1,
            b'[' | b'{' => return (bytes[place] == wanted).then_some(place),
            _ => {}
        }
    }
    None
}

fn plain_key_before(text: &str, at: usize) -> ValueKey<'_> {
    let bytes = text.as_bytes();
    let value = skip_back(bytes, at, b"\"'`($#");
    let colon = skip_back(bytes, value, b" *");
    let sign = match bytes[..value].last() {
        Some(b'=' | b':') => value - 1,
        Some(b' ' | b'*') if colon > 0 && bytes[colon - 1] == b':' && value - colon <= 4 => {
            colon - 1
        }
        _ => return ValueKey::NONE,
    };
    let end = skip_back(bytes, sign, b"*\"'`");
    let most_words = if bytes[..value].last() == Some(&b'=') {
        1
    } else {
        MOST_WORDS
    };
    let start = words_start(text, end, most_words);
    let name = text[start..end].trim_start_matches('-');
    let is_key = name.chars().any(char::is_alphabetic)
        && name.chars().count() >= 2
        && !matches!(name, "http" | "https");
    if is_key {
        ValueKey::from_name(name)
    } else {
        ValueKey::NONE
    }
}

/// Returns the first place of the given bytes directly before `at`.
fn skip_back(bytes: &[u8], mut at: usize, skipped: &[u8]) -> usize {
    while at > 0 && skipped.contains(&bytes[at - 1]) {
        at -= 1;
    }
    at
}

/// Returns the start of the last words before `end`, at most `most_words` of them.
fn words_start(text: &str, end: usize, most_words: usize) -> usize {
    let near = (end.saturating_sub(LONGEST_KEY)..end)
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(end);
    let mut start = end;
    for _ in 0..most_words {
        let until = if start == end {
            end
        } else {
            skip_back(text.as_bytes(), start, b" ").max(near)
        };
        let word = text[near..until]
            .rfind(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-')))
            .map_or(near, |at| {
                at + text[near + at..].chars().next().map_or(1, char::len_utf8) + near
            });
        if word == until || until + 1 < start {
            break;
        }
        start = word;
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label_of(text: &str, value: &str) -> String {
        KeyNotation::detect(text)
            .key_before(text, text.find(value).unwrap())
            .label()
            .into_owned()
    }

    /// Returns the key of the object around `word`, if the word is a key itself.
    fn key_around<'t>(text: &'t str, word: &str) -> Option<ValueKey<'t>> {
        let notation = KeyNotation::detect(text);
        let at = text.find(word).unwrap();
        notation
            .is_key(text, at + word.len())
            .then(|| notation.key_around(text, at))
    }

    fn is_in_phrase(text: &str, number: &str) -> bool {
        let at = text.find(number).unwrap();
        KeyNotation::detect(text).is_in_phrase(text, at, at + number.len())
    }

    #[test]
    fn json_values_have_the_key_before_them() {
        let text = r#"{"flights": [{"flight_number": "HAT175", "id": "F-1", "price": 1200, "legs": ["A_1", "B_2"]}], "user": {"name": "of mia_li"}}"#;
        for (value, wanted) in [
            ("HAT175", "flight_number"),
            ("F-1", "flights id"),
            ("1200", "price"),
            ("A_1", "legs"),
            ("B_2", "legs"),
            ("mia_li", "user name"),
        ] {
            assert_eq!(label_of(text, value), wanted, "{value}");
        }
        assert_eq!(label_of("['x_1', 'y_2']", "y_2"), "");
        assert_eq!(
            label_of(
                r#"{"cards": {"card_77": {"n": "x_1", "id": "card_77"}}}"#,
                "card_77\"}"
            ),
            "id"
        );
        assert_eq!(label_of("{'a_key': 'x_1'}", "x_1"), "a_key");
    }

    #[test]
    fn keys_are_no_values() {
        let text = r#"{"cards": {"card_77": {"source": "visa_1"}}}"#;
        assert_eq!(
            key_around(text, "card_77"),
            Some(ValueKey::from_name("cards"))
        );
        assert_eq!(key_around(text, "visa_1"), None);
    }

    #[test]
    fn a_number_in_a_phrase_is_no_value() {
        let text = r#"{"street": "975 Sunset Drive", "suite": "Suite 217", "zip": "78750", "price": 122, "all": [125, 126], "note": "it was 1299 in the year when nobody looked any more"}"#;
        assert_eq!(
            ["975", "217", "78750", "122", "125", "126", "1299"]
                .map(|number| is_in_phrase(text, number)),
            [true, true, false, false, false, false, false]
        );
        assert!(!KeyNotation::Plain.is_in_phrase("a \"975 b\"", 3, 6));
    }

    #[test]
    fn a_word_of_the_longest_length_before_a_value_is_no_fault() {
        for length in LONGEST_KEY - 2..LONGEST_KEY + 2 {
            let text = format!("commit {}: src/pump.c", "3".repeat(length));
            label_of(&text, "src/pump.c");
        }
    }

    #[test]
    fn plain_text_names_its_values_too() {
        for (text, value, wanted) in [
            ("Reservation ID: UM3OG5", "UM3OG5", "Reservation ID"),
            ("- **Order id:** A-77", "A-77", "Order id"),
            ("run --user=mia_li now", "mia_li", "user"),
            ("the plan: x_1", "x_1", "the plan"),
            ("订单号: INV12345", "INV12345", "订单号"),
            ("see x_1", "x_1", ""),
            ("http://x_1", "x_1", ""),
        ] {
            assert_eq!(label_of(text, value), wanted, "{text}");
        }
    }
}
