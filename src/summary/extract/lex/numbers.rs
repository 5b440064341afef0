//! Finds the bounds of numbers as people write them: with a sign, and with
//! commas and blanks between their digits.
//!
//! Part of a number is a different number. Where the bounds are not sure, no part
//! is reported.

use super::commas::{CommaRole, comma_role, is_digit_at};
use super::identifier_runs::is_identifier_byte;
use super::printed_prefix::opens_control_sequence;

/// Extends the run `start..end` to all of the numbers that it begins and ends with, and cuts off
/// numbers that may go on outside it. Returns `None` if nothing is left, or if an earlier run has
/// reported the number.
pub(crate) fn fit_to_numbers(bytes: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    let (mut from, mut to) = (start, end);
    let comma_behind =
        bytes.get(end) == Some(&b',') && is_digit_at(bytes, end - 1) && is_digit_at(bytes, end + 1);
    if start >= 2
        && bytes[start - 1] == b','
        && is_digit_at(bytes, start - 2)
        && is_digit_at(bytes, start)
    {
        match comma_role(bytes, start) {
            CommaRole::Separate => {}
            CommaRole::Unsure => from = skip_number(bytes, start, end),
            CommaRole::Join { start: first, .. } if is_reported_before(bytes, first, start) => {
                return None;
            }
            CommaRole::Join {
                start: first,
                end: last,
            } => (from, to) = (first, last.max(end)),
        }
    } else if comma_behind {
        match comma_role(bytes, end - 1) {
            CommaRole::Separate => {}
            CommaRole::Unsure => to = final_number_start(bytes, start, end),
            CommaRole::Join { end: last, .. } => to = last,
        }
    }
    if from > start && to == end && comma_behind {
        // If the beginning is unsure, so is the end: `000-2` of `1,000-2,000`.
        to = final_number_start(bytes, from.min(end), end);
    }
    if is_digit_at(bytes, from) && is_thousands_group(bytes, from) {
        from = skip_number(bytes, from, to);
    }
    if from < to
        && is_digit_at(bytes, to - 1)
        && bytes.get(to).is_some_and(|byte| is_gap(*byte))
        && is_thousands_group(bytes, to + 1)
    {
        to = final_number_start(bytes, from, to);
    }
    if from > 0 && bytes[from - 1] == b'-' && from < start {
        from -= 1;
    }
    (to >= from + 3).then_some((from, to))
}

/// Returns true if the number at the start of a run may begin before the run, or belongs to a
/// control sequence. `before` is the byte before `start`.
pub(crate) fn may_begin_before(bytes: &[u8], start: usize, before: u8) -> bool {
    match before {
        b',' => start >= 2 && is_digit_at(bytes, start - 2),
        b'[' => opens_control_sequence(&bytes[..start]),
        b';' => true,
        byte => is_gap(byte) && start >= 2 && is_digit_at(bytes, start - 2),
    }
}

/// Returns true if the number at the end of a run may go on behind the run, or numbers a line.
/// `after` is the byte at `end`.
pub(crate) fn may_go_on(bytes: &[u8], end: usize, after: u8) -> bool {
    match after {
        b'|' | b'\t' => true,
        b',' => is_digit_at(bytes, end + 1),
        byte => is_gap(byte) && is_digit_at(bytes, end + 1),
    }
}

/// Returns true if a byte other than a comma or a dot can separate thousands.
fn is_gap(byte: u8) -> bool {
    matches!(byte, b' ' | b'\'')
}

/// Returns true if the three digits at `at` may be the thousands of the one to three digits before
/// a gap: `1 299`.
fn is_thousands_group(bytes: &[u8], at: usize) -> bool {
    let is_triple = (at..at + 3).all(|at| is_digit_at(bytes, at)) && !is_digit_at(bytes, at + 3);
    if !is_triple || at < 2 || !is_gap(bytes[at - 1]) {
        return false;
    }
    let before = bytes[..at - 1]
        .iter()
        .rev()
        .take(4)
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    // A fraction has no thousands behind it.
    let is_bounded = at.checked_sub(before + 2).is_none_or(|at| {
        let joins = bytes[at].is_ascii_alphanumeric()
            || matches!(bytes[at], b'_' | b'/' | b'@' | b'.' | b',');
        !joins || ends_with_escape(&bytes[..=at])
    });
    (1..=3).contains(&before) && is_bounded
}

/// Returns true if the bytes end with an escape of JSON, so that its last letter belongs to no
/// word: `\n`, `\u20ac`.
fn ends_with_escape(bytes: &[u8]) -> bool {
    match bytes {
        [.., b'\\', b'b' | b'f' | b'n' | b'r' | b't'] => true,
        [.., b'\\', b'u', a, b, c, d] => [a, b, c, d].iter().all(|byte| byte.is_ascii_hexdigit()),
        _ => false,
    }
}

/// Returns the first place behind the number, its unit and a dash at the start of `start..end`.
fn skip_number(bytes: &[u8], start: usize, end: usize) -> usize {
    let number_end = start
        + bytes[start..end]
            .iter()
            .take_while(|byte| is_number_byte(**byte))
            .count();
    let unit_end = number_end
        + bytes[number_end..end]
            .iter()
            .take_while(|byte| byte.is_ascii_alphabetic())
            .count();
    unit_end + usize::from(unit_end < end && bytes[unit_end] == b'-')
}

/// Returns the start of the number at the end of `start..end`.
fn final_number_start(bytes: &[u8], start: usize, end: usize) -> usize {
    end - bytes[start..end]
        .iter()
        .rev()
        .take_while(|byte| is_number_byte(**byte))
        .count()
}

fn is_number_byte(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'.' | b',')
}

/// Returns true if a run between `first` and `at` that holds a piece of the number is long enough
/// to have been reported with the number.
fn is_reported_before(bytes: &[u8], first: usize, at: usize) -> bool {
    let before = bytes[..first]
        .iter()
        .rev()
        .take(2)
        .take_while(|byte| is_identifier_byte(**byte))
        .count();
    bytes[first - before..at]
        .split(|byte| *byte == b',')
        .any(|piece| piece.len() >= 3)
}

/// Returns true if the minus before `at` is the sign of the number `at..end`, and no hyphen.
pub(crate) fn is_negative(bytes: &[u8], at: usize, end: usize) -> bool {
    let length = bytes[at..end]
        .iter()
        .take_while(|byte| is_number_byte(**byte))
        .count();
    let (number, rest) = bytes[at..end].split_at(length);
    let follows_value = at >= 2 && matches!(bytes[at - 2], b')' | b']' | b'}' | b'%');
    bytes[at - 1] == b'-'
        && !follows_value
        && number.iter().any(u8::is_ascii_digit)
        && (is_exponent(rest) || rest.iter().all(u8::is_ascii_alphanumeric))
}

fn is_exponent(rest: &[u8]) -> bool {
    matches!(rest, [b'e' | b'E', b'+' | b'-', digits @ ..] if digits.iter().all(u8::is_ascii_digit))
}

/// Returns true if a text consists of digits, dots and commas.
pub(crate) fn is_number(text: &str) -> bool {
    text.bytes().all(is_number_byte)
}

/// Returns true if a character beyond ASCII separates the thousands of numbers.
pub(crate) fn is_wide_gap(c: char) -> bool {
    matches!(c, '\u{A0}' | '\u{2009}' | '\u{202F}' | '\u{2019}')
}

/// Returns true if a character beyond ASCII may be a minus.
pub(crate) fn is_wide_minus(c: char) -> bool {
    matches!(
        c,
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{FE63}' | '\u{FF0D}'
    )
}
