//! Identifiers in running text: paths, URLs, codes, names from programs,
//! numbers, quotations. One pass over the bytes, no regular expressions.

use super::kinds::{CLASS, COLON, DASH, DOT, Kinds, LETTER, LONGEST, LOWER, OTHER, PATH, QUOTED, WIDE, is_date, kinds};
use super::line::is_wide;

const LONGEST_QUOTE: usize = 40;
const LONGEST_TICK: usize = 60;

/// Calls `found` with every identifier of a text, in order.
pub(super) fn scan<'t>(text: &'t str, found: &mut impl FnMut(&'t str, Kinds)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if CLASS[usize::from(bytes[at])] == 0 && !matches!(bytes[at], b'`' | b'"') {
            at += 1;
            continue;
        }
        let (end, class) = run(text, at);
        if class != 0 {
            at = token(text, at, end, class, found);
            continue;
        }
        if matches!(bytes[at], b'`' | b'"') {
            at = quotation(text, at, found);
            continue;
        }
        at = end;
    }
}

/// The run of token characters from `at` and their classes; without any, the end of the character there.
fn run(text: &str, start: usize) -> (usize, u16) {
    let bytes = text.as_bytes();
    let (mut at, mut class) = (start, 0);
    loop {
        // Nearly all text is ASCII letters: this loop is the cost of the whole summary.
        for &byte in &bytes[at..] {
            let own = CLASS[usize::from(byte)];
            if own & !WIDE == 0 {
                break;
            }
            class |= own;
            at += 1;
        }
        match bytes.get(at) {
            Some(b',') if thousands(bytes, at) => at += 1,
            Some(128..) => {
                let c = text[at..].chars().next().unwrap_or(char::REPLACEMENT_CHARACTER);
                if is_wide(c) || !c.is_alphanumeric() {
                    return (if class == 0 { at + c.len_utf8() } else { at }, class);
                }
                class |= LOWER;
                at += c.len_utf8();
            }
            _ => return (if class == 0 { at + 1 } else { at }, class),
        }
    }
}

/// Whether the comma at `at` stands inside a number: `1,234`.
fn thousands(bytes: &[u8], at: usize) -> bool {
    let digits = |range: Option<&[u8]>| range.is_some_and(|range| range.iter().all(u8::is_ascii_digit));
    at > 0 && bytes[at - 1].is_ascii_digit() && digits(bytes.get(at + 1..at + 4)) && !bytes.get(at + 4).is_some_and(u8::is_ascii_digit)
}

/// Reads the run `start..end` and returns where to go on.
fn token<'t>(text: &'t str, start: usize, end: usize, class: u16, found: &mut impl FnMut(&'t str, Kinds)) -> usize {
    // Most runs are plain words, at the end of a sentence or at its beginning.
    let bytes = text.as_bytes();
    let dotted = class & DOT != 0 && bytes[start..end - 1].contains(&b'.');
    let plain = class & !(LOWER | DOT | DASH | COLON) == 0 && !dotted;
    if plain || (class == LETTER & !WIDE && bytes[start].is_ascii_uppercase() && bytes[start + 1..end].iter().all(u8::is_ascii_lowercase)) {
        return end;
    }
    let whole = &text[start..end];
    if class & COLON == 0 {
        part(whole, found);
        return end;
    }
    if let Some(scheme) = whole.find("://").filter(|&at| at > 1) {
        let stop = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>' | ')' | ']' | '}' | '\\' | '|') || is_wide(c);
        let end = text[start..].find(stop).map_or(text.len(), |length| start + length);
        let url = text[start..end].trim_end_matches(['.', ',', ':', ';', '!', '?']);
        if url.len() > scheme + 3 && url.len() <= LONGEST {
            found(url, PATH);
        }
        return end;
    }
    if is_date(whole.as_bytes()) && whole.as_bytes().get(10) == Some(&b'T') {
        found(whole.trim_end_matches([':', '.', '-', '+']), OTHER);
        return end;
    }
    whole.split(':').for_each(|piece| part(piece, found));
    end
}

/// An identifier without colons, if it is one; else what its dashes join.
fn part<'t>(text: &'t str, found: &mut impl FnMut(&'t str, Kinds)) {
    let text = trimmed(text);
    if let Some(kinds) = kinds(text) {
        found(text, kinds);
    } else if text.len() <= LONGEST && text.contains('-') && text.contains(|c: char| c.is_ascii_uppercase() || c == '_') {
        text.split('-').for_each(|piece| {
            if let Some(kinds) = kinds(piece) {
                found(piece, kinds);
            }
        });
    }
}

/// Without the punctuation of the sentence around it.
fn trimmed(text: &str) -> &str {
    // Most need none of this.
    if let [first, .., last] = text.as_bytes()
        && first.is_ascii_alphanumeric()
        && last.is_ascii_alphanumeric()
    {
        return text;
    }
    let text = text.trim_end_matches(['.', '-', '+', '~', '@']).trim_start_matches(['-', '+', '@']);
    let dots = text.len() - text.trim_start_matches('.').len();
    let keep = if text[dots..].starts_with('/') { dots.min(2) } else { dots.min(1) };
    if dots > 2 { &text[dots..] } else { &text[dots - keep..] }
}

/// A quotation that opens at `at`; returns where to go on.
fn quotation<'t>(text: &'t str, at: usize, found: &mut impl FnMut(&'t str, Kinds)) -> usize {
    let bytes = text.as_bytes();
    let (mark, longest) = if bytes[at] == b'`' { (b'`', LONGEST_TICK) } else { (b'"', LONGEST_QUOTE) };
    let opens = (at == 0 || !bytes[at - 1].is_ascii_alphanumeric()) && !bytes.get(at + 1).is_none_or(|next| next.is_ascii_whitespace() || *next == mark);
    let rest = &bytes[at + 1..];
    let Some(length) = memchr::memchr2(mark, b'\n', &rest[..rest.len().min(longest + 1)]).filter(|&length| opens && rest[length] == mark) else {
        return at + 1;
    };
    let inner = &text[at + 1..at + 1 + length];
    let spaced = inner.contains(char::is_whitespace);
    if length >= 3 && inner.trim() == inner && !inner.contains('\\') {
        found(inner, QUOTED | if spaced { 0 } else { kinds(inner).unwrap_or(0) });
    }
    // What a phrase holds is worth finding as well.
    if spaced { at + 1 } else { at + length + 2 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::kinds::{CODE, NUMBER};

    fn all(text: &str) -> Vec<(&str, Kinds)> {
        let mut found = Vec::new();
        scan(text, &mut |identifier, kinds| found.push((identifier, kinds)));
        found
    }

    #[test]
    fn finds_what_an_agent_refers_to() {
        let text = "See /src/main.rs:42, user mia_li_3668 and/or HAT175 on 2024-05-20T06:00:00, https://x.org/a?b=1. Pay $1,234.50!";
        assert_eq!(
            all(text),
            [
                ("/src/main.rs", PATH),
                ("mia_li_3668", CODE),
                ("HAT175", CODE),
                ("2024-05-20T06:00:00", OTHER),
                ("https://x.org/a?b=1", PATH),
                ("1,234.50", NUMBER)
            ]
        );
    }

    #[test]
    fn identifiers_stand_out_of_scripts_without_spaces() {
        assert_eq!(all("发票编号为INV12345。"), [("INV12345", CODE)]);
        assert_eq!(all("größe_1 été"), [("größe_1", CODE)]);
    }

    #[test]
    fn quotations_are_whole() {
        assert_eq!(all("set `max_width` to \"one two\" now"), [("max_width", QUOTED | CODE), ("one two", QUOTED)]);
        assert!(all("plain words, and nothing else. 12 of 34").is_empty());
    }
}
