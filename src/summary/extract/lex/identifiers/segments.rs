//! Splits a run of ASCII or of a single script at colons and hyphens, and
//! reports the identifiers among the parts.

use crate::summary::extract::lex::byte_classes::{
    ByteClasses, COLON, DASH, LOWER, SLASH, UNDER, UPPER, WIDE, classes_of,
};
use crate::summary::extract::lex::clip::is_wide;
use crate::summary::extract::lex::identifier_kinds::{
    Kinds, LONGEST_IDENTIFIER, NUMBER, OTHER, PATH, is_date, kinds_by_classes,
};
use crate::summary::extract::lex::numbers::{is_negative, is_number};
use std::ops::Range;

/// Reports the identifiers of the segment `start..end`.
pub(crate) fn scan_segment<'t>(
    text: &'t str,
    start: usize,
    end: usize,
    found: &mut impl FnMut(&'t str, Kinds, usize),
) {
    let segment = &text[start..end];
    let bytes = segment.as_bytes();
    let classes = classes_of(bytes);
    if classes & COLON == 0 {
        return report_part(text, start, end, classes, found);
    }
    if classes & SLASH != 0
        && let Some(scheme) = scheme_length(bytes)
    {
        let length = text[start..].find(ends_url).unwrap_or(text.len() - start);
        let url = text[start..start + length].trim_end_matches(['.', ',', ':', ';', '!', '?']);
        if url.len() > scheme + 3 && url.len() <= LONGEST_IDENTIFIER {
            found(url, PATH, start);
        }
        return;
    }
    if classes & DASH != 0 && is_date(bytes) && bytes.get(10) == Some(&b'T') {
        return found(segment.trim_end_matches([':', '.', '-', '+']), OTHER, start);
    }
    if is_time(bytes) {
        return;
    }
    let mut from = 0;
    for colon in memchr::memchr_iter(b':', bytes).chain([bytes.len()]) {
        let classes = classes_of(&bytes[from..colon]);
        report_part(text, start + from, start + colon, classes, found);
        from = colon + 1;
    }
}

/// Returns the length of a URL's scheme in bytes. A scheme has at least two letters.
fn scheme_length(bytes: &[u8]) -> Option<usize> {
    bytes
        .windows(3)
        .position(|window| window == b"://")
        .filter(|&at| at > 1)
}

fn ends_url(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '"' | '\'' | '`' | '<' | '>' | ')' | ']' | '}' | '\\' | '|'
        )
        || is_wide(c)
}

/// Returns true if a run begins with a time of day. The parts of `12:30:00+02` mean nothing alone.
fn is_time(bytes: &[u8]) -> bool {
    matches!(bytes, [a, b, b':', c, d, ..] if [a, b, c, d].iter().all(|byte| byte.is_ascii_digit()))
        && bytes.get(5).is_none_or(|byte| *byte == b':')
}

/// Reports a part without colons if it is an identifier, otherwise the identifiers that its hyphens
/// join.
fn report_part<'t>(
    text: &'t str,
    start: usize,
    end: usize,
    classes: ByteClasses,
    found: &mut impl FnMut(&'t str, Kinds, usize),
) {
    // Most parts are words and numbers of one or two digits.
    if end - start < 3 || classes & !(LOWER | WIDE | DASH) == 0 {
        return;
    }
    let part = &text[start..end];
    let trimmed = trim_punctuation(part);
    let at = start + (trimmed.as_ptr() as usize - part.as_ptr() as usize);
    let classes = if trimmed.len() == part.len() {
        classes
    } else {
        classes_of(trimmed.as_bytes())
    };
    let stop = at + trimmed.len();
    let Some(kinds) = kinds_by_classes(trimmed, classes) else {
        return report_hyphenated(text, at, stop, classes, found);
    };
    // `1042-` is a negative number, or the lower end of a range.
    if stop < end && text.as_bytes()[stop] == b'-' && is_number(trimmed) {
        return;
    }
    let at = if at == start + 1 && is_negative(text.as_bytes(), at, stop) {
        start
    } else {
        at
    };
    report_members(text, at..stop, kinds, found);
}

/// Reports a part without colons and without punctuation around it if it is an identifier,
/// otherwise the identifiers that its hyphens join.
pub(crate) fn report_whole<'t>(
    text: &'t str,
    start: usize,
    end: usize,
    classes: ByteClasses,
    found: &mut impl FnMut(&'t str, Kinds, usize),
) {
    let part = &text[start..end];
    match kinds_by_classes(part, classes) {
        Some(kinds) => report_members(text, start..end, kinds, found),
        None => report_hyphenated(text, start, end, classes, found),
    }
}

/// Reports an identifier, or those that its dots join: `card.cardSlot` names the member `cardSlot`,
/// whatever the value before it is called. A class says whose member it is: `Card.cardSlot`.
fn report_members<'t>(
    text: &'t str,
    range: Range<usize>,
    kinds: Kinds,
    found: &mut impl FnMut(&'t str, Kinds, usize),
) {
    let whole = &text[range.clone()];
    if kinds & (PATH | NUMBER) != 0 || !whole.contains('.') || !are_names(whole) {
        return found(whole, kinds, range.start);
    }
    let mut at = range.start;
    let mut is_named = false;
    for member in whole.split('.') {
        if let Some(kinds) = kinds_by_classes(member, classes_of(member.as_bytes())) {
            found(member, kinds, at);
            is_named = true;
        }
        at += member.len() + 1;
    }
    if !is_named {
        found(whole, kinds, range.start);
    }
}

/// Returns true if dots join names of a program, the first of them no class, and no parts of a version
/// or a host.
fn are_names(text: &str) -> bool {
    !text.starts_with(|first: char| first.is_uppercase())
        && text.trim_start_matches('.').split('.').all(|name| {
            !name.contains('-')
                && name.starts_with(|first: char| first.is_alphabetic() || first == '_')
        })
}

/// Reports the identifiers that hyphens join.
fn report_hyphenated<'t>(
    text: &'t str,
    start: usize,
    end: usize,
    classes: ByteClasses,
    found: &mut impl FnMut(&'t str, Kinds, usize),
) {
    if classes & DASH == 0 || end - start > LONGEST_IDENTIFIER || classes & (UPPER | UNDER) == 0 {
        return;
    }
    let mut at = start;
    for part in text[start..end].split('-') {
        if let Some(kinds) = kinds_by_classes(part, classes_of(part.as_bytes())) {
            found(part, kinds, at);
        }
        at += part.len() + 1;
    }
}

/// Trims the punctuation of the sentence around an identifier.
fn trim_punctuation(text: &str) -> &str {
    // Most identifiers have none.
    if let [first, .., last] = text.as_bytes()
        && first.is_ascii_alphanumeric()
        && last.is_ascii_alphanumeric()
    {
        return text;
    }
    let text = text
        .trim_end_matches(['.', '-', '+', '~', '@'])
        .trim_start_matches(['-', '+', '@']);
    let dots = text.len() - text.trim_start_matches('.').len();
    let kept_dots = match text.as_bytes().get(dots) {
        Some(b'/') => dots.min(2),
        // `..125` ends a range and is no fraction.
        Some(b'0'..=b'9') if dots > 1 => 0,
        _ => dots.min(1),
    };
    if dots > 2 {
        &text[dots..]
    } else {
        &text[dots - kept_dots..]
    }
}
