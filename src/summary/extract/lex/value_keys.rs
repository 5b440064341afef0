//! The key that a value stands under: `"flight_number": "HAT175"`,
//! `order id: A-77`, `--user=mia`. Looked for backwards from the value, and
//! only when a value is new: so a text is walked once, whatever it is.

use std::borrow::Cow;

/// Keys that say nothing without the name of what they belong to.
const GENERIC: &[&str] = &[
    "id", "name", "type", "value", "number", "text", "data", "key", "code",
];
/// Longer strings (code, a document) say nothing of what is found in them by their key.
const LONGEST_STRING: usize = 200;
const LONGEST_KEY: usize = 40;
/// Longer values are texts, and numbers in them may mean something alone.
const LONGEST_PHRASE: usize = 42;
/// How far back the beginning of a list or an object is looked for.
const FARTHEST: usize = 400;
/// Words of a key in plain text.
const MOST_WORDS: usize = 2;

/// The key of a value and the key of the object around it. Either may be empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ValueKey<'k> {
    pub(crate) name: &'k str,
    pub(crate) parent: &'k str,
}

impl<'k> ValueKey<'k> {
    pub(crate) const NONE: Self = ValueKey {
        name: "",
        parent: "",
    };

    /// A key without a parent.
    pub(crate) fn named(name: &'k str) -> Self {
        Self { name, parent: "" }
    }

    /// A key; the parent counts only where the name says nothing alone.
    pub(crate) fn within(name: &'k str, parent: &'k str) -> Self {
        Self {
            name,
            parent: if parent != name && is_generic(name) {
                parent
            } else {
                ""
            },
        }
    }

    /// The key as the summary writes it.
    pub(crate) fn label(self) -> Cow<'k, str> {
        if self.parent.is_empty() {
            Cow::Borrowed(self.name)
        } else {
            Cow::Owned(format!("{} {}", self.parent, self.name))
        }
    }
}

fn is_generic(name: &str) -> bool {
    GENERIC
        .iter()
        .any(|generic| name.eq_ignore_ascii_case(generic))
}

/// How a text gives its values their keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyNotation {
    /// JSON, or what prints like it, with this quotation mark.
    Json(u8),
    /// Prose, tables, logs.
    Plain,
}

impl KeyNotation {
    /// Tells the notation by how a text begins.
    pub(crate) fn of(text: &str) -> Self {
        let mut rest = text
            .trim_start()
            .bytes()
            .filter(|byte| !byte.is_ascii_whitespace());
        let quote = match rest.next() {
            Some(b'{') => rest.next().filter(|byte| matches!(byte, b'"' | b'\'')),
            Some(b'[') => match rest.next() {
                Some(b'{' | b'[') => rest.next().filter(|byte| matches!(byte, b'"' | b'\'')),
                other => other.filter(|byte| matches!(byte, b'"' | b'\'')),
            },
            _ => None,
        };
        quote.map_or(Self::Plain, Self::Json)
    }

    /// The key of the value that begins at byte `at`.
    pub(crate) fn key_before(self, text: &str, at: usize) -> ValueKey<'_> {
        match self {
            Self::Json(quote) => json(text, at, quote),
            Self::Plain => plain(text, at),
        }
    }

    /// Whether what ends at byte `end` is a key itself.
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

    /// Whether what stands at `at..end` is one of several words of a short value: `975` of `"975 Sunset Drive"`.
    pub(crate) fn is_in_phrase(self, text: &str, at: usize, end: usize) -> bool {
        let Self::Json(quote) = self else {
            return false;
        };
        let bytes = text.as_bytes();
        let near = at.saturating_sub(LONGEST_PHRASE);
        let Some(open) = memchr::memrchr(quote, &bytes[near..at]).map(|place| near + place) else {
            return false;
        };
        // After a key or a value the mark closes.
        let opens = matches!(before(bytes, open), Some((_, b':' | b'[' | b',' | b'{')));
        let far = (open + LONGEST_PHRASE).min(bytes.len());
        let close = || {
            bytes
                .get(end..far)
                .and_then(|rest| memchr::memchr(quote, rest))
                .map(|length| end + length)
        };
        opens && close().is_some_and(|close| open + 1 < at || end < close)
    }

    /// The key of the object that has a key at byte `at`.
    pub(crate) fn key_around(self, text: &str, at: usize) -> ValueKey<'_> {
        match self {
            Self::Json(quote) => ValueKey::named(enclosing(text, at, quote)),
            Self::Plain => ValueKey::NONE,
        }
    }
}

/// The last byte before `at` that is no blank, and its place.
fn before(bytes: &[u8], at: usize) -> Option<(usize, u8)> {
    let place = bytes[..at]
        .iter()
        .rposition(|byte| !byte.is_ascii_whitespace())?;
    Some((place, bytes[place]))
}

fn json(text: &str, at: usize, quote: u8) -> ValueKey<'_> {
    let bytes = text.as_bytes();
    let near = at.saturating_sub(LONGEST_STRING);
    let Some(mark) = memchr::memrchr(quote, &bytes[near..at]).map(|place| near + place) else {
        return ValueKey::NONE;
    };
    // After the end of a string comes what parts it from the next value; else the mark opens the string that the value stands in.
    let between = bytes[mark + 1..at]
        .iter()
        .find(|byte| !byte.is_ascii_whitespace());
    let value = if matches!(between, Some(b':' | b',' | b']' | b'}' | b'[')) {
        at
    } else {
        mark
    };
    let name = key_of(text, value, quote);
    if !is_generic(name) {
        return ValueKey::named(name);
    }
    // In a map from ids to things the thing may tell its id again.
    let parent = enclosing(text, value, quote);
    if !parent.is_empty() && bytes[at..].starts_with(parent.as_bytes()) {
        ValueKey::named(name)
    } else {
        ValueKey::within(name, parent)
    }
}

/// The key of the value that begins at `at`, also of a list around it. Empty if there is none.
fn key_of(text: &str, at: usize, quote: u8) -> &str {
    let bytes = text.as_bytes();
    let colon = match before(bytes, at) {
        Some((colon, b':')) => Some(colon),
        Some((place, b'[' | b',')) => opening(bytes, place + 1, b'[')
            .and_then(|bracket| before(bytes, bracket))
            .filter(|(_, byte)| *byte == b':')
            .map(|(colon, _)| colon),
        _ => None,
    };
    let string = colon
        .and_then(|colon| before(bytes, colon))
        .filter(|(_, byte)| *byte == quote)
        .map(|(end, _)| end);
    string.map_or("", |end| {
        let near = end.saturating_sub(LONGEST_KEY + 1);
        let start = memchr::memrchr(quote, &bytes[near..end]).map(|place| near + place + 1);
        start
            .and_then(|start| text.get(start..end))
            .filter(|name| !name.contains('\\'))
            .unwrap_or("")
    })
}

/// The key of the object around `at`.
fn enclosing(text: &str, at: usize, quote: u8) -> &str {
    opening(text.as_bytes(), at, b'{').map_or("", |brace| key_of(text, brace, quote))
}

/// The bracket `wanted` that is open at `at`, if it is the innermost one.
fn opening(bytes: &[u8], at: usize, wanted: u8) -> Option<usize> {
    let near = at.saturating_sub(FARTHEST);
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

fn plain(text: &str, at: usize) -> ValueKey<'_> {
    let bytes = text.as_bytes();
    let skip = |mut at: usize, marks: &[u8]| {
        while at > 0 && marks.contains(&bytes[at - 1]) {
            at -= 1;
        }
        at
    };
    let value = skip(at, b"\"'`($#");
    let colon = skip(value, b" *");
    let end = match bytes[..value].last() {
        Some(b'=') => value - 1,
        Some(b':') => value - 1,
        Some(b' ' | b'*') if colon > 0 && bytes[colon - 1] == b':' && value - colon <= 4 => {
            colon - 1
        }
        _ => return ValueKey::NONE,
    };
    let end = skip(end, b"*\"'`");
    let near = (end.saturating_sub(LONGEST_KEY)..end)
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(end);
    let words = if bytes[..value].last() == Some(&b'=') {
        1
    } else {
        MOST_WORDS
    };
    let mut start = end;
    for _ in 0..words {
        let until = if start == end { end } else { skip(start, b" ") };
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
    let name = text[start..end].trim_start_matches('-');
    let named = name.chars().any(char::is_alphabetic)
        && name.chars().count() >= 2
        && !matches!(name, "http" | "https");
    if named {
        ValueKey::named(name)
    } else {
        ValueKey::NONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str, value: &str) -> String {
        KeyNotation::of(text)
            .key_before(text, text.find(value).unwrap())
            .label()
            .into_owned()
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
            assert_eq!(key(text, value), wanted, "{value}");
        }
        assert_eq!(key("['x_1', 'y_2']", "y_2"), "");
        assert_eq!(
            key(
                r#"{"cards": {"card_77": {"n": "x_1", "id": "card_77"}}}"#,
                "card_77\"}"
            ),
            "id"
        );
        assert_eq!(key("{'a_key': 'x_1'}", "x_1"), "a_key");
    }

    #[test]
    fn keys_are_no_values() {
        let text = r#"{"cards": {"card_77": {"source": "visa_1"}}}"#;
        let notation = KeyNotation::of(text);
        let around = |word: &str| {
            let at = text.find(word).unwrap();
            notation
                .is_key(text, at + word.len())
                .then(|| notation.key_around(text, at))
        };
        assert_eq!(around("card_77"), Some(ValueKey::named("cards")));
        assert_eq!(around("visa_1"), None);
    }

    #[test]
    fn a_number_in_a_phrase_is_no_value() {
        let text = r#"{"street": "975 Sunset Drive", "suite": "Suite 217", "zip": "78750", "price": 122, "all": [125, 126], "note": "it was 1299 in the year when nobody looked any more"}"#;
        let notation = KeyNotation::of(text);
        let is_in_phrase = |number: &str| {
            let at = text.find(number).unwrap();
            notation.is_in_phrase(text, at, at + number.len())
        };
        assert_eq!(
            ["975", "217", "78750", "122", "125", "126", "1299"].map(is_in_phrase),
            [true, true, false, false, false, false, false]
        );
        assert!(!KeyNotation::Plain.is_in_phrase("a \"975 b\"", 3, 6));
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
            assert_eq!(key(text, value), wanted, "{text}");
        }
    }
}
