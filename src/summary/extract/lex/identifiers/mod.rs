//! Identifiers in running text: paths, URLs, codes, names from programs,
//! numbers, quotations. One pass over the bytes, no regular expressions.

use crate::summary::extract::lex::identifier_kinds::{
    COLON, DASH, DIGIT, Kinds, LONGEST, LOWER, OTHER, PATH, QUOTED, SLASH, UNDER, UPPER, WIDE,
    class_of, is_date, kinds,
};
use crate::summary::extract::lex::line::is_wide;
use crate::summary::extract::lex::{
    identifier_runs as runs_of, numbers, printed_prefix as printed,
};

const LONGEST_QUOTE: usize = 40;
const LONGEST_TICK: usize = 60;

/// How the bytes of a text are to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextEncoding {
    /// As they stand.
    Plain,
    /// As JSON: a backslash begins an escape, and is never part of an identifier.
    Escaped,
}

/// Calls `found` with every identifier of a text and where it begins, in order.
pub(crate) fn scan<'t>(
    text: &'t str,
    spelling: TextEncoding,
    found: &mut impl FnMut(&'t str, Kinds, usize),
) {
    let bytes = text.as_bytes();
    runs_of::runs(bytes, &mut |start, end| {
        // Most of the short ones are numbers of one or two digits.
        if end - start < 3 {
            return;
        }
        let class = class_of(&bytes[start..end]);
        if stands_alone(bytes, start, end, class) {
            whole(text, start, end, class, found);
        } else if !numbers_a_line(bytes, start, end, class)
            && let Some(start) = after_escape(bytes, start, end, spelling)
        {
            run(text, start, end, found);
        }
    });
}

/// Whether a run is the number of its line in a listing and nothing else: `1458:`. There are as many as lines.
fn numbers_a_line(bytes: &[u8], start: usize, end: usize, class: u16) -> bool {
    class == DIGIT | COLON
        && start > 0
        && bytes[start - 1] == b'\n'
        && printed::after_line_number(bytes, start, end) == end
}

/// Whether a run is one piece as it stands: no escape, sentence, listing or longer number has a share in it. Most are.
fn stands_alone(bytes: &[u8], start: usize, end: usize, class: u16) -> bool {
    let (first, last) = (bytes[start], bytes[end - 1]);
    let before = if start == 0 { b'\n' } else { bytes[start - 1] };
    let after = bytes.get(end).copied().unwrap_or(b'\n');
    let bounded = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    class & (COLON | WIDE) == 0
        && (bounded(first) || (first == b'/' && before != b'<'))
        && bounded(last)
        && before != b'\\'
        && after != b'\\'
        && !(first.is_ascii_digit() && numbers::may_begin_before(bytes, start, before))
        && !(last.is_ascii_digit() && numbers::may_go_on(bytes, end, after))
}

/// The quotations of a text, each with the kinds it has without its quotes.
pub(crate) fn quotations<'t>(text: &'t str, found: &mut impl FnMut(&'t str, Kinds)) {
    let bytes = text.as_bytes();
    let mut next = 0;
    for at in memchr::memchr2_iter(b'`', b'"', bytes) {
        if at >= next {
            next = quotation(text, at, found);
        }
    }
}

/// Where the run begins behind the escape that glues itself to it: `\nname`. `None` if an escape is a letter of it, or a slash that goes on with it.
fn after_escape(bytes: &[u8], start: usize, end: usize, spelling: TextEncoding) -> Option<usize> {
    let json = spelling == TextEncoding::Escaped;
    if bytes.get(end) == Some(&b'\\')
        && (is_unit(&bytes[end + 1..]) || (json && bytes.get(end + 1) == Some(&b'/')))
    {
        return None;
    }
    if start == 0 || bytes[start - 1] != b'\\' {
        return Some(start);
    }
    let slashes = bytes[..start]
        .iter()
        .rev()
        .take_while(|&&byte| byte == b'\\')
        .count();
    let before = start.checked_sub(slashes + 1).map(|at| bytes[at]);
    match bytes[start] {
        _ if slashes % 2 == 0 => Some(start),
        // Other text can hold JSON too.
        b'u' if json || is_unit(&bytes[start..]) => None,
        // A line end that other text escapes, or a folder: `\\name`.
        b'n' | b'r' | b't' if !json && !is_windows_path(&bytes[..start]) => None,
        _ if !json => Some(start),
        b'/' if before.is_some_and(runs_of::is_word) => None,
        b'n' | b'r' | b't' | b'b' | b'f' | b'/' => Some(start + 1),
        // No escape, so no JSON either.
        _ => Some(start),
    }
}

/// Whether these bytes end in the middle of a path as Windows writes it: `C:\\dir\\`.
fn is_windows_path(bytes: &[u8]) -> bool {
    let near = &bytes[bytes.len().saturating_sub(LONGEST)..];
    let path = near
        .iter()
        .rposition(|byte| !runs_of::is_word(*byte) && *byte != b'\\')
        .map_or(near, |at| &near[at + 1..]);
    matches!(path, [drive, b':', b'\\', ..] if drive.is_ascii_alphabetic())
}

/// Whether these bytes begin with an escaped code unit, without its backslash: `u00e9`.
fn is_unit(bytes: &[u8]) -> bool {
    matches!(bytes, [b'u', unit @ ..] if unit.len() >= 4 && unit[..4].iter().all(u8::is_ascii_hexdigit))
}

/// Reads the run `start..end`.
fn run<'t>(text: &'t str, start: usize, end: usize, found: &mut impl FnMut(&'t str, Kinds, usize)) {
    let bytes = text.as_bytes();
    let mut start = start;
    if bytes[start].is_ascii_digit() {
        start = printed::after_control(bytes, start, end);
        if start >= end {
            return;
        }
    }
    let Some((start, end)) = numbers::whole(bytes, start, end) else {
        return;
    };
    let start = match bytes[start] {
        b'0'..=b'9' => printed::after_line_number(bytes, start, end),
        // `</name>` closes a tag, and is no path.
        b'/' if start > 0 && bytes[start - 1] == b'<' => start + 1,
        _ => start,
    };
    if start == end {
        return;
    }
    let whole = &text[start..end];
    if whole.is_ascii() {
        return ascii(text, start, end, found);
    }
    let mut at = start;
    let mut before = ("", None);
    for piece in whole.split(|c: char| is_wide(c) || (!c.is_ascii() && !c.is_alphanumeric())) {
        let next = text[at + piece.len()..end].chars().next();
        let behind = at + piece.len() + next.map_or(0, char::len_utf8);
        if piece.len() >= 3 && !is_torn(before, piece, next, &text[behind..end]) {
            ascii(text, at, at + piece.len(), found);
        }
        (at, before) = (behind, (piece, next));
    }
}

/// Whether a piece of a run is part of a number: of `1 299` with a blank beyond ASCII, or of one whose sign it does not hold.
fn is_torn((last, gap): (&str, Option<char>), piece: &str, next: Option<char>, rest: &str) -> bool {
    let begins = |text: &str| text.as_bytes().first().is_some_and(u8::is_ascii_digit);
    let ends = |text: &str| text.as_bytes().last().is_some_and(u8::is_ascii_digit);
    let grouped = |left: &str, gap: Option<char>, right: &str| {
        ends(left) && begins(right) && gap.is_some_and(numbers::is_wide_gap)
    };
    let signed = || {
        gap.is_some()
            && (piece.starts_with('-')
                || (last.is_empty() && gap.is_some_and(numbers::is_wide_minus)))
    };
    grouped(last, gap, piece)
        || grouped(piece, next, rest)
        || (signed() && begins(piece.trim_start_matches(['-', '.'])))
}

/// Reads a run of one script.
fn ascii<'t>(
    text: &'t str,
    start: usize,
    end: usize,
    found: &mut impl FnMut(&'t str, Kinds, usize),
) {
    let whole = &text[start..end];
    let bytes = whole.as_bytes();
    let class = class_of(bytes);
    if class & COLON == 0 {
        return part(text, (start, end), class, found);
    }
    if class & SLASH != 0
        && let Some(scheme) = bytes
            .windows(3)
            .position(|window| window == b"://")
            .filter(|&at| at > 1)
    {
        let stop = |c: char| {
            c.is_whitespace()
                || matches!(
                    c,
                    '"' | '\'' | '`' | '<' | '>' | ')' | ']' | '}' | '\\' | '|'
                )
                || is_wide(c)
        };
        let length = text[start..].find(stop).unwrap_or(text.len() - start);
        let url = text[start..start + length].trim_end_matches(['.', ',', ':', ';', '!', '?']);
        if url.len() > scheme + 3 && url.len() <= LONGEST {
            found(url, PATH, start);
        }
        return;
    }
    if class & DASH != 0 && is_date(bytes) && bytes.get(10) == Some(&b'T') {
        return found(whole.trim_end_matches([':', '.', '-', '+']), OTHER, start);
    }
    if is_time(bytes) {
        return;
    }
    let mut from = 0;
    for colon in memchr::memchr_iter(b':', bytes).chain([bytes.len()]) {
        part(
            text,
            (start + from, start + colon),
            class_of(&bytes[from..colon]),
            found,
        );
        from = colon + 1;
    }
}

/// Whether a run begins like a time of day: `12:30:00+02` has no parts that mean anything.
fn is_time(bytes: &[u8]) -> bool {
    matches!(bytes, [a, b, b':', c, d, ..] if [a, b, c, d].iter().all(|byte| byte.is_ascii_digit()))
        && bytes.get(5).is_none_or(|byte| *byte == b':')
}

/// An identifier without colons, if it is one; else what its dashes join.
fn part<'t>(
    text: &'t str,
    (start, end): (usize, usize),
    class: u16,
    found: &mut impl FnMut(&'t str, Kinds, usize),
) {
    // Most pieces are words and numbers of one or two digits.
    if end - start < 3 || class & !(LOWER | WIDE | DASH) == 0 {
        return;
    }
    let piece = &text[start..end];
    let cut = trimmed(piece);
    let at = start + (cut.as_ptr() as usize - piece.as_ptr() as usize);
    let class = if cut.len() == piece.len() {
        class
    } else {
        class_of(cut.as_bytes())
    };
    let stop = at + cut.len();
    if let Some(kinds) = kinds(cut, class) {
        // `1042-` is a negative number, or one that a range begins with.
        if stop < end && text.as_bytes()[stop] == b'-' && numbers::is_number(cut) {
            return;
        }
        let at = if at == start + 1 && numbers::is_negative(text.as_bytes(), at, stop) {
            start
        } else {
            at
        };
        found(&text[at..stop], kinds, at);
    } else {
        joined(text, at, stop, class, found);
    }
}

/// An identifier without colons and without anything to take off its ends, if it is one; else what its dashes join.
fn whole<'t>(
    text: &'t str,
    start: usize,
    end: usize,
    class: u16,
    found: &mut impl FnMut(&'t str, Kinds, usize),
) {
    let piece = &text[start..end];
    match kinds(piece, class) {
        Some(kinds) => found(piece, kinds, start),
        None => joined(text, start, end, class, found),
    }
}

/// The identifiers that dashes join.
fn joined<'t>(
    text: &'t str,
    start: usize,
    end: usize,
    class: u16,
    found: &mut impl FnMut(&'t str, Kinds, usize),
) {
    if class & DASH == 0 || end - start > LONGEST || class & (UPPER | UNDER) == 0 {
        return;
    }
    let mut at = start;
    for piece in text[start..end].split('-') {
        if let Some(kinds) = kinds(piece, class_of(piece.as_bytes())) {
            found(piece, kinds, at);
        }
        at += piece.len() + 1;
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
    let text = text
        .trim_end_matches(['.', '-', '+', '~', '@'])
        .trim_start_matches(['-', '+', '@']);
    let dots = text.len() - text.trim_start_matches('.').len();
    let keep = match text.as_bytes().get(dots) {
        Some(b'/') => dots.min(2),
        // `..125` ends a range, and is no fraction.
        Some(b'0'..=b'9') if dots > 1 => 0,
        _ => dots.min(1),
    };
    if dots > 2 {
        &text[dots..]
    } else {
        &text[dots - keep..]
    }
}

/// A quotation that opens at `at`; returns where to go on.
fn quotation<'t>(text: &'t str, at: usize, found: &mut impl FnMut(&'t str, Kinds)) -> usize {
    let bytes = text.as_bytes();
    let (mark, longest) = if bytes[at] == b'`' {
        (b'`', LONGEST_TICK)
    } else {
        (b'"', LONGEST_QUOTE)
    };
    let opens = (at == 0 || !bytes[at - 1].is_ascii_alphanumeric())
        && !bytes
            .get(at + 1)
            .is_none_or(|next| next.is_ascii_whitespace() || *next == mark);
    let rest = &bytes[at + 1..];
    let Some(length) = memchr::memchr2(mark, b'\n', &rest[..rest.len().min(longest + 1)])
        .filter(|&length| opens && rest[length] == mark)
    else {
        return at + 1;
    };
    let inner = &text[at + 1..at + 1 + length];
    let spaced = inner.contains(char::is_whitespace);
    if length >= 3 && inner.trim() == inner && !inner.contains('\\') {
        found(
            inner,
            QUOTED
                | if spaced {
                    0
                } else {
                    kinds(inner, class_of(inner.as_bytes())).unwrap_or(0)
                },
        );
    }
    at + length + 2
}

#[cfg(test)]
mod tests;
