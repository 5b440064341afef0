//! The patterns that cut text into pieces before byte-pair encoding, by hand:
//! given the text and where a piece begins, each says where it ends. A regex engine
//! spends most of an exact count here.
//!
//! Source of the patterns: tiktoken's `openai_public.py`, as tiktoken-rs 0.12 has them.

use super::classes::{CASELESS, Classified, LETTER, LINE_END, LOWER, MARK, NUMBER, SPACE, UPPER};

/// `o200k_base` and `o200k_harmony`.
#[inline]
pub(super) fn o200k(text: Classified<'_>, at: usize) -> usize {
    // Most pieces are such words.
    let start = at + usize::from(text.bytes[at] == b' ');
    let start = start + usize::from(text.bytes.get(start).is_some_and(u8::is_ascii_uppercase));
    let end = text.ascii_letters(start, false);
    if end > start
        && text
            .bytes
            .get(end)
            .is_none_or(|byte| byte.is_ascii() && *byte != b'\'')
    {
        return end;
    }
    let Some((class, next)) = text.at(at) else {
        return at;
    };
    let prefix = class & (LETTER | NUMBER | LINE_END) == 0;
    word(text, at, next, prefix).unwrap_or_else(|| {
        if class & NUMBER != 0 {
            return numbers(text, next);
        }
        symbols(text, at, class, next, LineEnds::WithSlash).unwrap_or_else(|| {
            // `\s*[\r\n]+|\s+(?!\S)|\s+`
            let end = text.run(at, SPACE);
            after_last_line_end(text, at, end).unwrap_or_else(|| blanks(text, at, end))
        })
    })
}

const FIRST: u8 = UPPER | CASELESS | MARK;
const REST: u8 = LOWER | CASELESS | MARK;

/// `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?`, and the same with `+` and `*` the
/// other way around.
fn word(text: Classified<'_>, at: usize, next: usize, prefix: bool) -> Option<usize> {
    let cased = |start: usize| {
        let mut end = start;
        let mut overlap = None;
        while let Some((class, next)) = text.at(end)
            && class & FIRST != 0
        {
            end = next;
            if class & REST != 0 {
                overlap = Some(end);
            }
        }
        let rest = text.run(end, REST);
        // Without more, the first part gives back what both parts may hold.
        if rest > end { Some(rest) } else { overlap }
    };
    let upper = |start: usize| Some(text.run(start, FIRST)).filter(|end| *end > start);
    let with = |part: &dyn Fn(usize) -> Option<usize>| {
        if prefix {
            part(next).or_else(|| part(at))
        } else {
            part(at)
        }
    };
    let end = with(&cased).or_else(|| with(&upper))?;
    Some(contraction(text.bytes, end, true).unwrap_or(end))
}

/// `cl100k_base`.
#[inline]
pub(super) fn cl100k(text: Classified<'_>, at: usize) -> usize {
    if let Some(end) = ascii_word(text, at) {
        return end;
    }
    let Some((class, next)) = text.at(at) else {
        return at;
    };
    // `'(?i:[sdmt]|ll|ve|re)`
    if let Some(end) = contraction(text.bytes, at, true) {
        return end;
    }
    // `[^\r\n\p{L}\p{N}]?+\p{L}++`
    if class & LETTER != 0 {
        return text.run(next, LETTER);
    }
    if class & (NUMBER | LINE_END) == 0 && text.is(next, LETTER) {
        return text.run(next, LETTER);
    }
    if class & NUMBER != 0 {
        return numbers(text, next);
    }
    symbols(text, at, class, next, LineEnds::Plain).unwrap_or_else(|| {
        // `\s++$|\s*[\r\n]|\s+(?!\S)|\s`
        let end = text.run(at, SPACE);
        if end == text.bytes.len() {
            end
        } else {
            after_last_line_end(text, at, end).unwrap_or_else(|| blanks(text, at, end))
        }
    })
}

/// `p50k_base` and `r50k_base`.
#[inline]
pub(super) fn r50k(text: Classified<'_>, at: usize) -> usize {
    if let Some(end) = ascii_word(text, at) {
        return end;
    }
    let Some((class, next)) = text.at(at) else {
        return at;
    };
    // `'(?:[sdmt]|ll|ve|re)`
    if let Some(end) = contraction(text.bytes, at, false) {
        return end;
    }
    // ` ?\p{L}++| ?\p{N}++`
    let (class_of, start) = if text.bytes[at] == b' ' {
        (text.at(next).map_or(0, |(class, _)| class), next)
    } else {
        (class, at)
    };
    for kind in [LETTER, NUMBER] {
        if class_of & kind != 0 {
            return text.run(start, kind);
        }
    }
    symbols(text, at, class, next, LineEnds::None).unwrap_or_else(|| {
        // `\s++$|\s+(?!\S)|\s`
        let end = text.run(at, SPACE);
        if end == text.bytes.len() {
            end
        } else {
            blanks(text, at, end)
        }
    })
}

/// What most pieces are: a blank or none, and letters, where only ASCII stands.
#[inline]
fn ascii_word(text: Classified<'_>, at: usize) -> Option<usize> {
    let start = at + usize::from(text.bytes[at] == b' ');
    let end = text.ascii_letters(start, true);
    (end > start && text.bytes.get(end).is_none_or(u8::is_ascii)).then_some(end)
}

/// `\p{N}{1,3}`, its first already read.
fn numbers(text: Classified<'_>, mut at: usize) -> usize {
    for _ in 0..2 {
        match text.at(at) {
            Some((class, next)) if class & NUMBER != 0 => at = next,
            _ => break,
        }
    }
    at
}

/// What may follow symbols.
#[derive(Clone, Copy, PartialEq)]
enum LineEnds {
    None,
    Plain,
    WithSlash,
}

/// ` ?[^\s\p{L}\p{N}]+` and the line ends behind it.
fn symbols(
    text: Classified<'_>,
    at: usize,
    class: u8,
    next: usize,
    line_ends: LineEnds,
) -> Option<usize> {
    const OTHERS: u8 = SPACE | LETTER | NUMBER;
    let start = if text.bytes[at] == b' ' { next } else { at };
    if (start == at && class & OTHERS != 0)
        || text.at(start).is_none_or(|(class, _)| class & OTHERS != 0)
    {
        return None;
    }
    let mut end = text.run_without(start, OTHERS);
    while line_ends != LineEnds::None && matches!(text.bytes.get(end), Some(b'\r' | b'\n'))
        || line_ends == LineEnds::WithSlash && text.bytes.get(end) == Some(&b'/')
    {
        end += 1;
    }
    Some(end)
}

/// `\s*[\r\n]+` in a run of white space: up to its last line end.
fn after_last_line_end(text: Classified<'_>, at: usize, end: usize) -> Option<usize> {
    memchr::memrchr2(b'\r', b'\n', &text.bytes[at..end]).map(|last| at + last + 1)
}

/// `\s+(?!\S)|\s`: the run, but for its last character where something follows.
fn blanks(text: Classified<'_>, at: usize, end: usize) -> usize {
    if end == text.bytes.len() {
        return end;
    }
    let last = (at..end)
        .rev()
        .find(|place| text.bytes[*place] & 0xC0 != 0x80)
        .unwrap_or(at);
    if last > at { last } else { end }
}

/// `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll`, `'d` at `at`. Without case, `ſ` (U+017F) is an `s`.
fn contraction(bytes: &[u8], at: usize, any_case: bool) -> Option<usize> {
    let rest = bytes.get(at..)?.strip_prefix(b"'")?;
    let letter = |place: usize| {
        let byte = rest.get(place).copied().unwrap_or_default();
        if any_case {
            byte.to_ascii_lowercase()
        } else {
            byte
        }
    };
    let length = match (letter(0), letter(1)) {
        (b's' | b't' | b'm' | b'd', _) => 1,
        (b'r' | b'v', b'e') | (b'l', b'l') => 2,
        _ if any_case && rest.starts_with("ſ".as_bytes()) => 2,
        _ => return None,
    };
    Some(at + 1 + length)
}
