//! Decides if commas between digits belong to a number or separate the items of a list.

use super::identifier_kinds::is_date;
use super::identifier_runs::is_identifier_byte;
use super::printed_prefix::skip_control_sequence;
use crate::summary::extract::lexicon::identifier_words::CURRENCIES;

/// Maximum length of a number in bytes. A longer chain of digits and commas is a list.
const LONGEST_NUMBER: usize = 40;

/// The role of the commas between digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommaRole {
    /// They separate the items of a list.
    Separate,
    /// They belong to the number in the byte range `start..end`.
    Join { start: usize, end: usize },
    /// The text allows both readings.
    Unsure,
}

/// The verdict of the text on a side of a chain of digits and commas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Separate,
    Join,
    Unsure,
}

/// Returns true if there is a digit at byte `at`.
pub(crate) fn is_digit_at(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_some_and(u8::is_ascii_digit)
}

/// Returns the role of the commas around the digit at byte `at`.
pub(crate) fn comma_role(bytes: &[u8], at: usize) -> CommaRole {
    let (mut start, mut end) = (at, at + 1);
    while start > 0 && at - start <= LONGEST_NUMBER && is_in_chain(bytes, start - 1) {
        start -= 1;
    }
    while end - at <= LONGEST_NUMBER && is_in_chain(bytes, end) {
        end += 1;
    }
    while bytes[end - 1] == b'.' {
        end -= 1;
    }
    if end - start > LONGEST_NUMBER {
        return CommaRole::Separate;
    }
    let (after, unit_end) = verdict_after(bytes, end);
    let verdicts = [
        verdict_by_shape(&bytes[start..end]),
        verdict_before(bytes, start),
        after,
    ];
    if verdicts.contains(&Verdict::Separate) {
        CommaRole::Separate
    } else if verdicts.contains(&Verdict::Unsure) {
        CommaRole::Unsure
    } else {
        CommaRole::Join {
            start,
            end: unit_end,
        }
    }
}

/// Returns true if the byte is a digit, a dot, or a comma between digits.
fn is_in_chain(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at) {
        Some(b'0'..=b'9' | b'.') => true,
        Some(b',') => at > 0 && is_digit_at(bytes, at - 1) && is_digit_at(bytes, at + 1),
        _ => false,
    }
}

fn all_digits(piece: &[u8]) -> bool {
    piece.iter().all(u8::is_ascii_digit)
}

fn is_group_of(piece: &[u8], length: usize) -> bool {
    piece.len() == length && all_digits(piece)
}

/// Returns true if dots separate the digits into thousands: `1.299`.
fn is_grouped_by_dots(piece: &[u8]) -> bool {
    piece
        .split(|byte| *byte == b'.')
        .enumerate()
        .all(|(at, group)| {
            if at == 0 {
                (1..=3).contains(&group.len())
            } else {
                group.len() == 3
            }
        })
}

/// Judges the commas of a chain by the lengths of the groups between them.
fn verdict_by_shape(chain: &[u8]) -> Verdict {
    let mut groups = chain.split(|byte| *byte == b',');
    let head = groups.next().unwrap_or_default();
    let tail = groups.next_back().unwrap_or_default();
    let has_inner = groups.clone().next().is_some();
    let dot = tail.iter().position(|byte| *byte == b'.');
    let (integer, fraction) = tail.split_at(dot.unwrap_or(tail.len()));
    let ends_in_thousands =
        is_group_of(integer, 3) && fraction.get(1..).is_none_or(all_digits) && all_digits(head);
    let joins = if has_inner {
        // `1,234,567.00`, and `12,34,567` as in India.
        ends_in_thousands
            && [3, 2].into_iter().any(|length| {
                head.len() <= length && groups.clone().all(|group| is_group_of(group, length))
            })
    } else {
        // `1,299.50`, `247,13`, `1.299,50`.
        (ends_in_thousands && head.len() <= 3)
            || (all_digits(tail)
                && (if all_digits(head) {
                    tail.len() <= 2
                } else {
                    is_grouped_by_dots(head)
                }))
    };
    if joins {
        Verdict::Join
    } else if has_inner || !all_digits(head) || !all_digits(tail) {
        // A dot outside thousands is the decimal point, so the comma is not. No number has commas
        // everywhere.
        Verdict::Separate
    } else {
        Verdict::Unsure
    }
}

/// Judges the commas of the digits from byte `first` on by the text before them.
fn verdict_before(bytes: &[u8], first: usize) -> Verdict {
    let Some(mut at) = first.checked_sub(1) else {
        return Verdict::Join;
    };
    let run_start = first
        - bytes[..first]
            .iter()
            .rev()
            .take(LONGEST_NUMBER)
            .take_while(|byte| is_identifier_byte(**byte))
            .count();
    let is_escaped = run_start > 0 && bytes[run_start - 1] == b'\\' && run_start < first;
    if matches!(bytes[at], b'-' | b'+' | b'~') {
        let sign = at;
        let Some(next) = at.checked_sub(1) else {
            return Verdict::Join;
        };
        at = next;
        if is_escaped && run_start + 1 == sign {
            return Verdict::Join;
        }
        if is_identifier_byte(bytes[at]) && bytes[at] != b':' {
            return if first >= 8 && is_date(&bytes[first - 8..]) {
                Verdict::Separate
            } else {
                Verdict::Unsure
            };
        }
    }
    match bytes[at] {
        b'[' | b'{' | b',' => Verdict::Separate,
        // Nothing shows where the number begins in `\u20ac1,299`.
        b'a'..=b'z' | b'A'..=b'Z' if is_escaped && run_start + 1 != first => Verdict::Unsure,
        b'a'..=b'z' | b'A'..=b'Z' => {
            if is_escaped
                || is_currency(&bytes[run_start..first])
                || skip_control_sequence(bytes, run_start, first) == first
            {
                Verdict::Join
            } else {
                Verdict::Separate
            }
        }
        b'_' | b'@' | b'/' => Verdict::Separate,
        _ => Verdict::Join,
    }
}

fn is_currency(word: &[u8]) -> bool {
    CURRENCIES
        .iter()
        .any(|currency| word.eq_ignore_ascii_case(currency))
}

/// Judges the commas of the digits up to byte `last` by the text behind them. Also returns the end
/// of the number with its unit.
fn verdict_after(bytes: &[u8], last: usize) -> (Verdict, usize) {
    match bytes.get(last) {
        Some(b']' | b'}') => (Verdict::Separate, last),
        Some(b',') if is_identifier_byte_at(bytes, last + 1) => (Verdict::Separate, last),
        Some(b'-' | b'+' | b'~' | b'_' | b'/' | b'@') => (Verdict::Unsure, last),
        Some(b':') if is_identifier_byte_at(bytes, last + 1) => (Verdict::Unsure, last),
        Some(b'a'..=b'z' | b'A'..=b'Z') => {
            let end = last
                + bytes[last..]
                    .iter()
                    .take(LONGEST_NUMBER)
                    .take_while(|byte| byte.is_ascii_alphabetic())
                    .count();
            let is_unit = !is_identifier_byte_at(bytes, end)
                || (bytes[end] == b'.' && !is_identifier_byte_at(bytes, end + 1));
            let verdict = if is_unit {
                Verdict::Join
            } else {
                Verdict::Unsure
            };
            (verdict, end)
        }
        Some(0x80..) => {
            let end = last
                + bytes[last..]
                    .iter()
                    .take(LONGEST_NUMBER)
                    .take_while(|byte| is_identifier_byte(**byte))
                    .count();
            // Completes a character that the limit cut in two.
            let continuation = bytes[end..]
                .iter()
                .take_while(|byte| **byte & 0xC0 == 0x80)
                .count();
            (Verdict::Join, end + continuation)
        }
        _ => (Verdict::Join, last),
    }
}

fn is_identifier_byte_at(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).copied().is_some_and(is_identifier_byte)
}
