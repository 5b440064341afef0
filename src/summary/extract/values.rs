//! Values with the key they stand under: the JSON of tool results (walked
//! without building it, truncated or not) and the arguments of calls.

use super::identifiers;
use super::kinds::{self, CODE, Kinds, OTHER, WORDS};
use super::line::windows;
use crate::transcript::arguments::Value;
use crate::transcript::text::wtf8_to_str;

const LONGEST_VALUE: usize = 40;
/// In a longer value (code, a document) the key says nothing about what is found.
const LONGEST_KEYED: usize = 200;
/// Keys that say nothing without the name of what they belong to.
const GENERIC: &[&str] = &["id", "name", "type", "value", "number", "text", "data", "key", "code"];
const NO_VALUE: &[&str] = &["none", "null", "true", "false", "the", "and", "json", "not", "you", "string", "content", "undefined"];

/// The key of a value and the key of the object around it. Either may be empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key<'k> {
    pub(super) name: &'k str,
    pub(super) parent: &'k str,
}

impl Key<'_> {
    pub(super) const NONE: Self = Key { name: "", parent: "" };

    /// The key as the summary writes it.
    pub(super) fn label(self) -> String {
        if !self.parent.is_empty() && self.parent != self.name && GENERIC.iter().any(|generic| self.name.eq_ignore_ascii_case(generic)) {
            return format!("{} {}", self.parent, self.name);
        }
        self.name.to_owned()
    }
}

/// Whether a text reads as JSON.
pub(super) fn is_json(text: &str) -> bool {
    let mut rest = text.trim_start().chars().filter(|c| !c.is_whitespace());
    match rest.next() {
        Some('{') => matches!(rest.next(), Some('"' | '\'')),
        Some('[') => matches!(rest.next(), Some('{' | '"' | '\'' | '[')),
        _ => false,
    }
}

/// Walks the keys and values of JSON text. What is cut off or no JSON is passed over.
pub(super) fn walk<'t>(text: &'t str, found: &mut impl FnMut(Key<'t>, &'t str, Kinds)) {
    let bytes = text.as_bytes();
    let mut around: Vec<&'t str> = Vec::new();
    let mut key = "";
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' => around.push(key),
            b'}' | b']' => key = around.pop().unwrap_or_default(),
            b'"' | b'\'' => {
                let Some(end) = string_end(bytes, at) else { return };
                let string = &text[at + 1..end];
                at = end + 1;
                let parent = around.last().copied().unwrap_or_default();
                let colon = bytes[at..].iter().position(|byte| !byte.is_ascii_whitespace()).is_some_and(|gap| bytes[at + gap] == b':');
                if colon {
                    key = string;
                    // Maps from ids to things carry values in their keys.
                    if string.len() >= 4 && string.len() <= LONGEST_VALUE && is_id(string) && whole(string) {
                        found(Key { name: parent, parent: "" }, string, CODE);
                        key = parent;
                    }
                } else {
                    unescaped(string, &mut |piece| value(Key { name: key, parent }, piece, CODE, found));
                }
                continue;
            }
            b'0'..=b'9' | b'-' => {
                let end = bytes[at..].iter().position(|byte| matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace()).map_or(bytes.len(), |n| at + n);
                value(Key { name: key, parent: around.last().copied().unwrap_or_default() }, text.get(at..end).unwrap_or_default(), CODE, found);
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
}

/// Whether a key is an id and not a name like `address1`.
fn is_id(key: &str) -> bool {
    let digits = key.bytes().filter(u8::is_ascii_digit).count();
    digits > 2 || (digits > 0 && key.contains(['_', '-']))
}

/// The closing quote of the string that opens at `at`.
fn string_end(bytes: &[u8], at: usize) -> Option<usize> {
    let quote = bytes[at];
    let mut end = at + 1;
    loop {
        end += memchr::memchr2(quote, b'\\', bytes.get(end..)?)?;
        if bytes[end] == quote {
            return Some(end);
        }
        end += 2;
    }
}

/// The pieces of a string between its escapes. A word that holds an escaped letter is left out: its half would be another word.
fn unescaped<'t>(string: &'t str, found: &mut impl FnMut(&'t str)) {
    let Some(first) = memchr::memchr(b'\\', string.as_bytes()) else {
        return found(string);
    };
    let mut head = &string[..first];
    let mut rest = &string[first..];
    loop {
        let letter = rest.chars().nth(1).unwrap_or('\\');
        let blank = matches!(letter, 'n' | 'r' | 't' | '"' | '\'');
        rest = rest.get(1 + letter.len_utf8()..).unwrap_or_default();
        if !blank {
            head = head.rfind(char::is_whitespace).map_or("", |end| &head[..end]);
            rest = rest.find(|c: char| c.is_whitespace() || c == '\\').map_or("", |start| &rest[start..]);
        }
        found(head);
        let Some(next) = memchr::memchr(b'\\', rest.as_bytes()) else {
            return found(rest);
        };
        (head, rest) = rest.split_at(next);
    }
}

/// A value of a call's arguments, with all inside.
pub(super) fn argument(key: Key<'_>, value_: &Value<'_>, found: &mut impl FnMut(Key<'_>, &str, Kinds)) {
    match value_ {
        Value::String(wtf8) => {
            let text = wtf8_to_str(wtf8);
            // A lone surrogate has no spelling that could be kept.
            if text.contains(char::REPLACEMENT_CHARACTER) {
                return;
            }
            let (head, tail) = windows(&text);
            value(key, head, OTHER, found);
            value(Key::NONE, tail, OTHER, found);
            let short = text.trim();
            if !whole(short) && (3..=LONGEST_VALUE).contains(&short.len()) && !short.contains('\n') && !is_no_value(short) {
                found(key, short, WORDS);
            }
        }
        Value::Integer(number) => value(key, number, OTHER, found),
        Value::Array(items) => items.iter().for_each(|item| argument(key, item, found)),
        Value::Object(entries) => {
            for entry in entries {
                let name = wtf8_to_str(&entry.key);
                argument(Key { name: &name, parent: key.name }, &entry.value, found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Float(_) => {}
    }
}

/// A short value counts whole, as a `kinds`; a long one by the identifiers in it.
fn value<'t>(key: Key<'t>, text: &'t str, kinds: Kinds, found: &mut impl FnMut(Key<'t>, &'t str, Kinds)) {
    let short = text.trim_matches(['`', '"', '\'', '.', ',', ';', ':', '(', ')', '[', ']', '{', '}', ' ']);
    if whole(short) {
        let number = short.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let path = kinds::kinds(short).unwrap_or(0) & kinds::PATH;
        return found(key, short, if number { kinds::NUMBER | kinds } else { kinds | path });
    }
    let key = if text.len() > LONGEST_KEYED { Key::NONE } else { key };
    identifiers::scan(text, &mut |identifier, kinds| {
        // What code or data quotes is worth a place only if it would be one without the quotes.
        if kinds != kinds::QUOTED {
            found(key, identifier, kinds);
        }
    });
}

/// Whether a value stands for itself: short, without blanks, more than a plain word or a small number.
fn whole(value: &str) -> bool {
    let plain = value.len() <= 12 && value.bytes().all(|byte| byte.is_ascii_alphabetic());
    let small = value.len() <= 2 && value.bytes().all(|byte| byte.is_ascii_digit());
    (3..=LONGEST_VALUE).contains(&value.len()) && !plain && !small && !is_no_value(value) && value.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
}

fn is_no_value(value: &str) -> bool {
    NO_VALUE.iter().any(|word| value.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::arguments::parse;

    fn walked(text: &str) -> Vec<(String, &str)> {
        let mut found = Vec::new();
        walk(text, &mut |key, value, _| found.push((key.label(), value)));
        found
    }

    #[test]
    fn values_come_with_their_key() {
        let text =
            r#"{"flights": [{"flight_number": "HAT175", "id": "F-1", "price": 120}, {"flight_number": "HAT084"}], "cards": {"card_77": {"line1": "visa"}}"#;
        let wanted = [("flight_number", "HAT175"), ("flights id", "F-1"), ("price", "120"), ("flight_number", "HAT084"), ("cards", "card_77")];
        assert_eq!(walked(text), wanted.map(|(key, value)| (key.to_owned(), value)));
    }

    #[test]
    fn escapes_end_words_and_never_halve_them() {
        assert_eq!(
            walked(r#"{"log": "see a_1\nb_2 caf\u00e9_3 d_44 and more text of any kind"}"#).iter().map(|(_, v)| *v).collect::<Vec<_>>(),
            ["a_1", "b_2", "d_44"]
        );
        assert!(walked(r#"{"log": "cut off in the mid_"#).is_empty());
    }

    #[test]
    fn arguments_are_read_to_the_bottom() {
        let value = parse(br#"{"a": {"id": "X-99"}, "b": ["Y_1", true], "city": "New York"}"#).unwrap();
        let mut found = Vec::new();
        argument(Key::NONE, &value, &mut |key, value, kinds| found.push((key.label(), value.to_owned(), kinds & WORDS != 0)));
        assert_eq!(found, [("a id".into(), "X-99".into(), false), ("b".into(), "Y_1".into(), false), ("city".into(), "New York".into(), true)]);
    }
}
