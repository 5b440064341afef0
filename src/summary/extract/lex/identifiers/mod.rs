//! Finds identifiers in running text: paths, URLs, codes, names from programs and
//! numbers. Makes a single pass over the bytes, without regular expressions.

mod segments;

#[cfg(test)]
mod number_tests;
#[cfg(test)]
mod tests;

use super::byte_classes::{ByteClasses, COLON, DIGIT, WIDE, classes_of};
use super::clip::is_wide;
use super::identifier_kinds::{Kinds, LONGEST_IDENTIFIER};
use super::identifier_runs::{find_runs, is_identifier_byte};
use super::numbers::{fit_to_numbers, is_wide_gap, is_wide_minus, may_begin_before, may_go_on};
use super::printed_prefix::{skip_control_sequence, skip_line_number};
use segments::{report_whole, scan_segment};

/// The spelling of characters in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextEncoding {
    /// As they stand.
    Plain,
    /// As in a string of JSON: a backslash begins an escape and is never part of an identifier.
    Escaped,
}

/// Calls `found` with every identifier of a text, its kinds and its byte offset, in order.
pub(crate) fn scan_identifiers<'t>(
    text: &'t str,
    encoding: TextEncoding,
    found: &mut impl FnMut(&'t str, Kinds, usize),
) {
    let bytes = text.as_bytes();
    find_runs(bytes, &mut |start, end| {
        // Most of the short runs are numbers of one or two digits.
        if end - start < 3 {
            return;
        }
        let classes = classes_of(&bytes[start..end]);
        if stands_alone(bytes, start, end, classes) {
            report_whole(text, start, end, classes, found);
        } else if !is_line_number(bytes, start, end, classes)
            && let Some(start) = skip_escape(bytes, start, end, encoding)
        {
            scan_run(text, start, end, found);
        }
    });
}

/// Returns true if the run is the number of a line in a listing and nothing else: `1458:`. A
/// listing has as many as lines.
fn is_line_number(bytes: &[u8], start: usize, end: usize, classes: ByteClasses) -> bool {
    classes == DIGIT | COLON
        && start > 0
        && bytes[start - 1] == b'\n'
        && skip_line_number(bytes, start, end) == end
}

/// Returns true if the run is a single piece as it stands: it touches no escape, no punctuation of
/// a sentence, no listing and no longer number. This holds for most runs.
fn stands_alone(bytes: &[u8], start: usize, end: usize, classes: ByteClasses) -> bool {
    let (first, last) = (bytes[start], bytes[end - 1]);
    let before = if start == 0 { b'\n' } else { bytes[start - 1] };
    let after = bytes.get(end).copied().unwrap_or(b'\n');
    classes & (COLON | WIDE) == 0
        && (is_name_byte(first) || (first == b'/' && before != b'<'))
        && is_name_byte(last)
        && before != b'\\'
        && after != b'\\'
        && !(first.is_ascii_digit() && may_begin_before(bytes, start, before))
        && !(last.is_ascii_digit() && may_go_on(bytes, end, after))
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Returns the start of the run behind the letter of an escape that touches it: `\nname`. Returns
/// `None` if an escape stands for a letter of the run, or for a slash that continues it.
fn skip_escape(bytes: &[u8], start: usize, end: usize, encoding: TextEncoding) -> Option<usize> {
    let is_json = encoding == TextEncoding::Escaped;
    if bytes.get(end) == Some(&b'\\')
        && (starts_with_code_unit(&bytes[end + 1..])
            || (is_json && bytes.get(end + 1) == Some(&b'/')))
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
        // The line end of a program that is written in JSON: `print("\\nname")`.
        b'n' | b'r' | b't'
            if is_json
                && slashes % 4 == 2
                && !before.is_some_and(|before| is_identifier_byte(before) || before == b':') =>
        {
            None
        }
        _ if slashes % 2 == 0 => Some(start),
        // Plain text can hold JSON too.
        b'u' if is_json || starts_with_code_unit(&bytes[start..]) => None,
        // An escaped line end in plain text, unless it is a folder: `\\name`.
        b'n' | b'r' | b't' if !is_json && !ends_in_windows_path(&bytes[..start]) => None,
        _ if !is_json => Some(start),
        b'/' if before.is_some_and(is_identifier_byte) => None,
        b'n' | b'r' | b't' | b'b' | b'f' | b'/' => Some(start + 1),
        // Not an escape, so not JSON either.
        _ => Some(start),
    }
}

/// Returns true if the bytes end inside a Windows path: `C:\\dir\\`.
fn ends_in_windows_path(bytes: &[u8]) -> bool {
    let near = &bytes[bytes.len().saturating_sub(LONGEST_IDENTIFIER)..];
    let path = near
        .iter()
        .rposition(|byte| !is_identifier_byte(*byte) && *byte != b'\\')
        .map_or(near, |at| &near[at + 1..]);
    matches!(path, [drive, b':', b'\\', ..] if drive.is_ascii_alphabetic())
}

/// Returns true if the bytes begin with an escaped code unit without its backslash: `u00e9`.
fn starts_with_code_unit(bytes: &[u8]) -> bool {
    matches!(bytes, [b'u', unit @ ..] if unit.len() >= 4 && unit[..4].iter().all(u8::is_ascii_hexdigit))
}

/// Reports the identifiers of the run `start..end`, which needs a closer look.
fn scan_run<'t>(
    text: &'t str,
    start: usize,
    end: usize,
    found: &mut impl FnMut(&'t str, Kinds, usize),
) {
    let bytes = text.as_bytes();
    let mut start = start;
    if bytes[start].is_ascii_digit() {
        start = skip_control_sequence(bytes, start, end);
        if start >= end {
            return;
        }
    }
    let Some((start, end)) = fit_to_numbers(bytes, start, end) else {
        return;
    };
    let start = match bytes[start] {
        b'0'..=b'9' => skip_line_number(bytes, start, end),
        // `</name>` closes a tag and is no path.
        b'/' if start > 0 && bytes[start - 1] == b'<' => start + 1,
        _ => start,
    };
    if start == end {
        return;
    }
    if text[start..end].is_ascii() {
        scan_segment(text, start, end, found);
    } else {
        scan_mixed_run(text, start, end, found);
    }
}

/// Reports the identifiers of a run with characters beyond ASCII. Characters of scripts without
/// spaces, and characters that are neither letters nor digits, split the run.
fn scan_mixed_run<'t>(
    text: &'t str,
    start: usize,
    end: usize,
    found: &mut impl FnMut(&'t str, Kinds, usize),
) {
    let mut at = start;
    let mut previous = WidePiece::default();
    for piece in text[start..end].split(is_separator) {
        let gap = text[at + piece.len()..end].chars().next();
        let next = at + piece.len() + gap.map_or(0, char::len_utf8);
        let current = WidePiece { text: piece, gap };
        if piece.len() >= 3 && !is_part_of_number(previous, current, &text[next..end]) {
            scan_segment(text, at, at + piece.len(), found);
        }
        (at, previous) = (next, current);
    }
}

fn is_separator(c: char) -> bool {
    is_wide(c) || (!c.is_ascii() && !c.is_alphanumeric())
}

/// A piece of a run and the separator behind it.
#[derive(Debug, Clone, Copy, Default)]
struct WidePiece<'t> {
    text: &'t str,
    gap: Option<char>,
}

/// Returns true if a piece is part of a number: of `1 299` with a blank beyond ASCII, or of a
/// number whose sign is outside the piece.
fn is_part_of_number(previous: WidePiece<'_>, piece: WidePiece<'_>, rest: &str) -> bool {
    are_grouped(previous.text, previous.gap, piece.text)
        || are_grouped(piece.text, piece.gap, rest)
        || (follows_sign(previous, piece.text)
            && starts_with_digit(piece.text.trim_start_matches(['-', '.'])))
}

/// Returns true if `gap` separates the thousands of a number.
fn are_grouped(left: &str, gap: Option<char>, right: &str) -> bool {
    ends_with_digit(left) && starts_with_digit(right) && gap.is_some_and(is_wide_gap)
}

fn follows_sign(previous: WidePiece<'_>, text: &str) -> bool {
    previous.gap.is_some_and(|gap| {
        text.starts_with('-') || (previous.text.is_empty() && is_wide_minus(gap))
    })
}

fn starts_with_digit(text: &str) -> bool {
    text.as_bytes().first().is_some_and(u8::is_ascii_digit)
}

fn ends_with_digit(text: &str) -> bool {
    text.as_bytes().last().is_some_and(u8::is_ascii_digit)
}
