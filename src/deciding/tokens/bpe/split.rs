//! The patterns that cut text into pieces before byte-pair encoding, written by hand.
//! Each function returns the end of the piece that begins at an offset. With a regex
//! engine, most of the time of an exact count would go here.
//!
//! Source of the patterns: tiktoken's `openai_public.py`, as tiktoken-rs 0.12 has them.

use super::classes::{CASELESS, Classified, LETTER, LINE_END, LOWER, MARK, NUMBER, SPACE, UPPER};

/// Returns the end of a piece under `o200k_base` and `o200k_harmony`.
#[inline]
pub(super) fn end_o200k(text: Classified<'_>, at: usize) -> usize {
    // Most pieces are words of ASCII letters.
    let start = at + usize::from(text.bytes[at] == b' ');
    let start = start + usize::from(text.bytes.get(start).is_some_and(u8::is_ascii_uppercase));
    let end = text.end_of_ascii_letters(start, false);
    if end > start && text.bytes.get(end).is_none_or(|byte| byte.is_ascii() && *byte != b'\'') {
        return end;
    }
    let Some((class, next)) = text.class_at(at) else {
        return at;
    };
    let prefix = class & (LETTER | NUMBER | LINE_END) == 0;
    match_word(text, at, next, prefix).unwrap_or_else(|| {
        if class & NUMBER != 0 {
            return end_of_number(text, next);
        }
        match_symbols(text, at, class, next, LineEnds::WithSlash).unwrap_or_else(|| {
            // `\s*[\r\n]+|\s+(?!\S)|\s+`
            let end = text.end_of_run(at, SPACE);
            match_to_last_line_end(text, at, end).unwrap_or_else(|| end_of_blanks(text, at, end))
        })
    })
}

/// Classes of the first part of a word in `o200k`.
const FIRST: u8 = UPPER | CASELESS | MARK;
/// Classes of the second part of a word in `o200k`.
const REST: u8 = LOWER | CASELESS | MARK;

/// Matches `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+` and
/// `(?i:'s|'t|'re|'ve|'m|'ll|'d)?`, then the same with `+` and `*` exchanged.
fn match_word(text: Classified<'_>, at: usize, next: usize, has_prefix: bool) -> Option<usize> {
    let end = match_after_prefix(text, at, next, has_prefix, match_cased)
        .or_else(|| match_after_prefix(text, at, next, has_prefix, match_upper))?;
    Some(match_contraction(text.bytes, end, true).unwrap_or(end))
}

/// Matches `part` after the character at `at` if that may be a prefix, else at `at`.
#[inline]
fn match_after_prefix(
    text: Classified<'_>,
    at: usize,
    next: usize,
    has_prefix: bool,
    part: impl Fn(Classified<'_>, usize) -> Option<usize>,
) -> Option<usize> {
    if has_prefix { part(text, next).or_else(|| part(text, at)) } else { part(text, at) }
}

/// Matches characters in [`FIRST`], then at least one in [`REST`].
fn match_cased(text: Classified<'_>, start: usize) -> Option<usize> {
    let mut end = start;
    let mut overlap = None;
    while let Some((class, next)) = text.class_at(end)
        && class & FIRST != 0
    {
        end = next;
        if class & REST != 0 {
            overlap = Some(end);
        }
    }
    let rest = text.end_of_run(end, REST);
    // If nothing follows, the first part gives back the characters that both parts may match.
    if rest > end { Some(rest) } else { overlap }
}

/// Matches at least one character in [`FIRST`].
fn match_upper(text: Classified<'_>, start: usize) -> Option<usize> {
    Some(text.end_of_run(start, FIRST)).filter(|end| *end > start)
}

/// Returns the end of a piece under `cl100k_base`.
#[inline]
pub(super) fn end_cl100k(text: Classified<'_>, at: usize) -> usize {
    if let Some(end) = match_ascii_word(text, at) {
        return end;
    }
    let Some((class, next)) = text.class_at(at) else {
        return at;
    };
    // `'(?i:[sdmt]|ll|ve|re)`
    if let Some(end) = match_contraction(text.bytes, at, true) {
        return end;
    }
    // `[^\r\n\p{L}\p{N}]?+\p{L}++`
    if class & LETTER != 0 {
        return text.end_of_run(next, LETTER);
    }
    if class & (NUMBER | LINE_END) == 0 && text.has_class(next, LETTER) {
        return text.end_of_run(next, LETTER);
    }
    if class & NUMBER != 0 {
        return end_of_number(text, next);
    }
    match_symbols(text, at, class, next, LineEnds::Plain).unwrap_or_else(|| {
        // `\s++$|\s*[\r\n]|\s+(?!\S)|\s`
        let end = text.end_of_run(at, SPACE);
        if end == text.bytes.len() {
            end
        } else {
            match_to_last_line_end(text, at, end).unwrap_or_else(|| end_of_blanks(text, at, end))
        }
    })
}

/// Returns the end of a piece under `p50k_base` and `r50k_base`.
#[inline]
pub(super) fn end_r50k(text: Classified<'_>, at: usize) -> usize {
    if let Some(end) = match_ascii_word(text, at) {
        return end;
    }
    let Some((class, next)) = text.class_at(at) else {
        return at;
    };
    // `'(?:[sdmt]|ll|ve|re)`
    if let Some(end) = match_contraction(text.bytes, at, false) {
        return end;
    }
    // ` ?\p{L}++| ?\p{N}++`
    let (class_of, start) = if text.bytes[at] == b' ' {
        (text.class_at(next).map_or(0, |(class, _)| class), next)
    } else {
        (class, at)
    };
    for kind in [LETTER, NUMBER] {
        if class_of & kind != 0 {
            return text.end_of_run(start, kind);
        }
    }
    match_symbols(text, at, class, next, LineEnds::None).unwrap_or_else(|| {
        // `\s++$|\s+(?!\S)|\s`
        let end = text.end_of_run(at, SPACE);
        if end == text.bytes.len() { end } else { end_of_blanks(text, at, end) }
    })
}

/// Matches an optional blank and ASCII letters, with ASCII after them. Most pieces are such words.
#[inline]
fn match_ascii_word(text: Classified<'_>, at: usize) -> Option<usize> {
    let start = at + usize::from(text.bytes[at] == b' ');
    let end = text.end_of_ascii_letters(start, true);
    (end > start && text.bytes.get(end).is_none_or(u8::is_ascii)).then_some(end)
}

/// Returns the end of `\p{N}{1,3}` after its first character.
fn end_of_number(text: Classified<'_>, mut at: usize) -> usize {
    for _ in 0..2 {
        match text.class_at(at) {
            Some((class, next)) if class & NUMBER != 0 => at = next,
            _ => break,
        }
    }
    at
}

/// The line ends that may follow symbols in the same piece.
#[derive(Clone, Copy, PartialEq)]
enum LineEnds {
    None,
    Plain,
    WithSlash,
}

/// Matches ` ?[^\s\p{L}\p{N}]+` and the line ends after it.
fn match_symbols(
    text: Classified<'_>,
    at: usize,
    class: u8,
    next: usize,
    line_ends: LineEnds,
) -> Option<usize> {
    const OTHERS: u8 = SPACE | LETTER | NUMBER;
    let start = if text.bytes[at] == b' ' { next } else { at };
    if (start == at && class & OTHERS != 0)
        || text.class_at(start).is_none_or(|(class, _)| class & OTHERS != 0)
    {
        return None;
    }
    let mut end = text.end_of_run_without(start, OTHERS);
    while line_ends != LineEnds::None && matches!(text.bytes.get(end), Some(b'\r' | b'\n'))
        || line_ends == LineEnds::WithSlash && text.bytes.get(end) == Some(&b'/')
    {
        end += 1;
    }
    Some(end)
}

/// Matches `\s*[\r\n]+` in a run of white space: up to its last line end.
fn match_to_last_line_end(text: Classified<'_>, at: usize, end: usize) -> Option<usize> {
    memchr::memrchr2(b'\r', b'\n', &text.bytes[at..end]).map(|last| at + last + 1)
}

/// Returns the end of `\s+(?!\S)|\s`: the run, without its last character if something follows.
fn end_of_blanks(text: Classified<'_>, at: usize, end: usize) -> usize {
    if end == text.bytes.len() {
        return end;
    }
    let last = (at..end).rev().find(|place| text.bytes[*place] & 0xC0 != 0x80).unwrap_or(at);
    if last > at { last } else { end }
}

/// Matches `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll` or `'d`. If case is ignored, `ſ` (U+017F) is an
/// `s`.
fn match_contraction(bytes: &[u8], at: usize, any_case: bool) -> Option<usize> {
    let rest = bytes.get(at..)?.strip_prefix(b"'")?;
    let letters = [0, 1].map(|place| folded_letter(rest, place, any_case));
    let length = match letters {
        [b's' | b't' | b'm' | b'd', _] => 1,
        [b'r' | b'v', b'e'] | [b'l', b'l'] => 2,
        _ if any_case && rest.starts_with("ſ".as_bytes()) => 2,
        _ => return None,
    };
    Some(at + 1 + length)
}

/// Returns the byte at a place, in lower case if case is ignored; 0 beyond the end.
#[inline]
fn folded_letter(rest: &[u8], place: usize, any_case: bool) -> u8 {
    let byte = rest.get(place).copied().unwrap_or_default();
    if any_case { byte.to_ascii_lowercase() } else { byte }
}
