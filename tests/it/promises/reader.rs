//! A small reader of JSON text by bytes, so that outputs are not judged with
//! the parser under test. It trusts its input to be well formed.

use std::ops::Range;

fn blanks(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

/// Where the value that begins at `at` ends.
fn value_end(bytes: &[u8], at: usize) -> usize {
    let (mut at, mut depth) = (at, 0);
    loop {
        match bytes.get(at) {
            None => return at,
            Some(b'"') => at = string_end(bytes, at),
            Some(b'{' | b'[') => {
                depth += 1;
                at += 1;
                continue;
            }
            Some(b'}' | b']') => {
                depth -= 1;
                at += 1;
            }
            Some(_) => {
                at += 1;
                let more = |byte: &u8| !b",:]}\"".contains(byte) && !byte.is_ascii_whitespace();
                if depth == 0 && bytes.get(at).is_some_and(more) {
                    continue;
                }
            }
        }
        if depth == 0 {
            return at;
        }
    }
}

fn string_end(bytes: &[u8], mut at: usize) -> usize {
    at += 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    at
}

/// The elements of the array that `bytes` are.
pub(crate) fn elements(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = blanks(bytes, blanks(bytes, 0) + 1);
    while bytes.get(at).is_some_and(|byte| *byte != b']') {
        let end = value_end(bytes, at);
        found.push(at..end);
        at = blanks(bytes, end);
        if bytes.get(at) == Some(&b',') {
            at = blanks(bytes, at + 1);
        }
    }
    found
}

/// The keys and values of the object that `bytes` are.
pub(crate) fn entries(bytes: &[u8]) -> Vec<(String, Range<usize>)> {
    let mut found = Vec::new();
    let mut at = blanks(bytes, blanks(bytes, 0) + 1);
    while bytes.get(at) == Some(&b'"') {
        let key_end = string_end(bytes, at);
        let start = blanks(bytes, blanks(bytes, key_end) + 1);
        let end = value_end(bytes, start);
        found.push((decode(&bytes[at..key_end]), start..end));
        at = blanks(bytes, end);
        if bytes.get(at) == Some(&b',') {
            at = blanks(bytes, at + 1);
        }
    }
    found
}

/// The place of a key's value; the last one counts.
pub(crate) fn value(bytes: &[u8], key: &str) -> Option<Range<usize>> {
    entries(bytes).into_iter().rfind(|(name, _)| name == key).map(|(_, range)| range)
}

/// The text of a literal; half a surrogate pair is U+FFFD.
pub(crate) fn decode(literal: &[u8]) -> String {
    let text = String::from_utf8_lossy(&literal[1..literal.len() - 1]).into_owned();
    let mut units: Vec<u16> = Vec::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let unit = match (c, if c == '\\' { rest.next() } else { None }) {
            ('\\', Some('u')) => {
                let digits: String = rest.by_ref().take(4).collect();
                u16::from_str_radix(&digits, 16).unwrap_or_default()
            }
            ('\\', Some('n')) => u16::from(b'\n'),
            ('\\', Some('r')) => u16::from(b'\r'),
            ('\\', Some('t')) => u16::from(b'\t'),
            ('\\', Some('b')) => 8,
            ('\\', Some('f')) => 12,
            ('\\', Some(other)) => other as u16,
            _ => {
                units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
                continue;
            }
        };
        units.push(unit);
    }
    String::from_utf16_lossy(&units)
}

/// JSON text with each lone surrogate escape as the escape of U+F8FF, so that any parser takes it.
pub(crate) fn without_lone_surrogates(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    let escape = |at: usize| {
        let digits = text.get(at..)?.strip_prefix("\\u")?.get(..4)?;
        u16::from_str_radix(digits, 16).ok()
    };
    while let Some(found) = text[at..].find('\\') {
        out.push_str(&text[at..at + found]);
        at += found;
        let length = match (escape(at), escape(at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                out.push_str("\\uf8ff");
                at += 6;
                continue;
            }
            (Some(_), _) => 6,
            (None, _) => 2,
        };
        out.push_str(&text[at..at + length]);
        at += length;
    }
    out + &text[at..]
}

#[test]
fn the_reader_finds_values_by_their_bytes() {
    let text = br#" [ {"a" : "]\"}" , "\u0061b":[1,{"c":2e5}], "n":-1.0}, "x" ,[ ] , 12 ]"#;
    let found: Vec<String> = elements(text)
        .into_iter()
        .map(|range| String::from_utf8_lossy(&text[range]).into_owned())
        .collect();
    assert_eq!(
        found,
        [r#"{"a" : "]\"}" , "\u0061b":[1,{"c":2e5}], "n":-1.0}"#, r#""x""#, "[ ]", "12"]
    );
    let object = found[0].as_bytes();
    let keys: Vec<String> = entries(object)
        .into_iter()
        .map(|(key, range)| format!("{key}={}", String::from_utf8_lossy(&object[range])))
        .collect();
    assert_eq!(keys, [r#"a="]\"}""#, r#"ab=[1,{"c":2e5}]"#, "n=-1.0"]);
    assert_eq!(decode(br#""\ud83d\ude00\n\ud83d\/""#), "😀\n\u{fffd}/");
    assert_eq!(
        without_lone_surrogates(r#""\ud83d\ude00\ud83d\\ud83d""#),
        r#""\ud83d\ude00\uf8ff\\ud83d""#
    );
}
