//! Numbers as people write them: with a sign before them, with commas and
//! blanks in them. Part of a number is another number, so where it is not sure
//! how far one goes, nothing of it is told.

use crate::summary::extract::lex::identifier_kinds::is_date;
use crate::summary::extract::lex::identifier_runs::is_word;
use crate::summary::extract::lex::printed_prefix as printed;

/// No number has so many bytes: digits with commas that go on are a list.
const LONGEST: usize = 40;
/// What stands before an amount without a blank.
const CURRENCIES: &[&[u8]] = &[
    b"EUR", b"USD", b"GBP", b"CHF", b"SEK", b"NOK", b"DKK", b"JPY", b"CNY", b"INR", b"CAD", b"AUD",
    b"Rs", b"kr",
];

/// What the commas between digits do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Commas {
    /// They part the items of a list.
    Part,
    /// They belong to the number from here to there.
    Join(usize, usize),
    /// One or the other.
    Unsure,
}

fn digit(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_some_and(u8::is_ascii_digit)
}

/// The run `start..end` with all of the numbers that it begins and ends with, without those that may go on elsewhere.
/// `None` if nothing is left, or a run before it holds the number.
pub(crate) fn whole(bytes: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    let (mut from, mut to) = (start, end);
    if start >= 2 && bytes[start - 1] == b',' && digit(bytes, start - 2) && digit(bytes, start) {
        match commas(bytes, start) {
            Commas::Part => {}
            Commas::Unsure => from = behind(bytes, start, end),
            Commas::Join(first, _) if is_told(bytes, first, start) => return None,
            Commas::Join(first, last) => (from, to) = (first, last.max(end)),
        }
    } else if bytes.get(end) == Some(&b',') && digit(bytes, end - 1) && digit(bytes, end + 1) {
        match commas(bytes, end - 1) {
            Commas::Part => {}
            Commas::Unsure => to = tail(bytes, start, end),
            Commas::Join(_, last) => to = last,
        }
    }
    if from > start
        && to == end
        && bytes.get(end) == Some(&b',')
        && digit(bytes, end - 1)
        && digit(bytes, end + 1)
    {
        // Unsure at its beginning, so at its end too: `000-2` of `1,000-2,000`.
        to = tail(bytes, from.min(end), end);
    }
    if digit(bytes, from) && is_group(bytes, from) {
        from = behind(bytes, from, to);
    }
    if from < to
        && digit(bytes, to - 1)
        && bytes.get(to).is_some_and(|byte| is_gap(*byte))
        && is_group(bytes, to + 1)
    {
        to = tail(bytes, from, to);
    }
    if from > 0 && bytes[from - 1] == b'-' && from < start {
        from -= 1;
    }
    (to >= from + 3).then_some((from, to))
}

/// Whether the number at `start`, where a run begins, may have begun before it, or is none: what printing put there.
pub(crate) fn may_begin_before(bytes: &[u8], start: usize, before: u8) -> bool {
    match before {
        b',' => start >= 2 && digit(bytes, start - 2),
        b'[' => printed::is_control(&bytes[..start]),
        b';' => true,
        byte => is_gap(byte) && start >= 2 && digit(bytes, start - 2),
    }
}

/// Whether the number that ends at `end`, where a run ends, may go on behind it, or is that of a line.
pub(crate) fn may_go_on(bytes: &[u8], end: usize, after: u8) -> bool {
    match after {
        b'|' | b'\t' => true,
        b',' => digit(bytes, end + 1),
        byte => is_gap(byte) && digit(bytes, end + 1),
    }
}

/// What may part the thousands of a number beside commas and dots.
fn is_gap(byte: u8) -> bool {
    matches!(byte, b' ' | b'\'')
}

/// Whether three digits at `at` may be the thousands of the one to three digits before the gap before them: `1 299`.
fn is_group(bytes: &[u8], at: usize) -> bool {
    let three = (at..at + 3).all(|at| digit(bytes, at)) && !digit(bytes, at + 3);
    if !three || at < 2 || !is_gap(bytes[at - 1]) {
        return false;
    }
    let before = bytes[..at - 1]
        .iter()
        .rev()
        .take(4)
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    // A fraction has no thousands behind it.
    let bounded = at.checked_sub(before + 2).is_none_or(|at| {
        let joins = bytes[at].is_ascii_alphanumeric()
            || matches!(bytes[at], b'_' | b'/' | b'@' | b'.' | b',');
        !joins || ends_escape(&bytes[..=at])
    });
    (1..=3).contains(&before) && bounded
}

/// Whether an escape of JSON ends here, so that its last letter is none of what follows: `\n`, `\u20ac`.
fn ends_escape(bytes: &[u8]) -> bool {
    match bytes {
        [.., b'\\', b'b' | b'f' | b'n' | b'r' | b't'] => true,
        [.., b'\\', b'u', a, b, c, d] => [a, b, c, d].iter().all(|byte| byte.is_ascii_hexdigit()),
        _ => false,
    }
}

/// The first place behind the number, its unit and a dash that the run `start..end` begins with.
fn behind(bytes: &[u8], start: usize, end: usize) -> usize {
    let number = start
        + bytes[start..end]
            .iter()
            .take_while(|byte| is_part(**byte))
            .count();
    let unit = number
        + bytes[number..end]
            .iter()
            .take_while(|byte| byte.is_ascii_alphabetic())
            .count();
    unit + usize::from(unit < end && bytes[unit] == b'-')
}

/// Where the number begins that the run `start..end` ends with.
fn tail(bytes: &[u8], start: usize, end: usize) -> usize {
    end - bytes[start..end]
        .iter()
        .rev()
        .take_while(|byte| is_part(**byte))
        .count()
}

fn is_part(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'.' | b',')
}

/// Whether one of the runs that hold the pieces of the number from `first` up to `at` is long enough to be looked at: it told the number.
fn is_told(bytes: &[u8], first: usize, at: usize) -> bool {
    let before = bytes[..first]
        .iter()
        .rev()
        .take(2)
        .take_while(|byte| is_word(**byte))
        .count();
    bytes[first - before..at]
        .split(|byte| *byte == b',')
        .any(|piece| piece.len() >= 3)
}

/// What the commas do around the digit at `at`.
fn commas(bytes: &[u8], at: usize) -> Commas {
    let belongs = |at: usize| match bytes.get(at) {
        Some(b'0'..=b'9' | b'.') => true,
        Some(b',') => at > 0 && digit(bytes, at - 1) && digit(bytes, at + 1),
        _ => false,
    };
    let (mut first, mut last) = (at, at + 1);
    while first > 0 && at - first <= LONGEST && belongs(first - 1) {
        first -= 1;
    }
    while last - at <= LONGEST && belongs(last) {
        last += 1;
    }
    while bytes[last - 1] == b'.' {
        last -= 1;
    }
    if last - first > LONGEST {
        return Commas::Part;
    }
    let (shape, before) = (shape(&bytes[first..last]), before(bytes, first));
    let (after, last) = after(bytes, last);
    match (shape, before, after) {
        (Commas::Part, ..) | (_, Commas::Part, _) | (_, _, Commas::Part) => Commas::Part,
        (Commas::Unsure, ..) | (_, Commas::Unsure, _) | (_, _, Commas::Unsure) => Commas::Unsure,
        _ => Commas::Join(first, last),
    }
}

/// What the commas of digits, dots and commas do, told from these alone.
fn shape(chain: &[u8]) -> Commas {
    let digits = |piece: &[u8]| piece.iter().all(u8::is_ascii_digit);
    let exactly = |piece: &[u8], length: usize| piece.len() == length && digits(piece);
    let groups = |piece: &[u8]| {
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
    };
    let mut pieces = chain.split(|byte| *byte == b',');
    let (head, end) = (
        pieces.next().unwrap_or_default(),
        pieces.next_back().unwrap_or_default(),
    );
    let number = pieces.clone().count();
    let (whole, fraction) = end.split_at(
        end.iter()
            .position(|byte| *byte == b'.')
            .unwrap_or(end.len()),
    );
    let thousands = exactly(whole, 3) && fraction.get(1..).is_none_or(digits) && digits(head);
    let joined = if number == 0 {
        // `1,299.50`, `247,13`, `1.299,50`.
        (thousands && head.len() <= 3)
            || (digits(end)
                && (if digits(head) {
                    end.len() <= 2
                } else {
                    groups(head)
                }))
    } else {
        // `1,234,567.00`, and as in India `12,34,567`.
        let by = |length: usize| {
            head.len() <= length && pieces.clone().all(|piece| exactly(piece, length))
        };
        thousands && (by(3) || by(2))
    };
    match joined {
        true => Commas::Join(0, chain.len()),
        // A dot that parts no thousands is the decimal point, so the comma is none; and no number has commas everywhere.
        false if number > 0 || !digits(head) || !digits(end) => Commas::Part,
        false => Commas::Unsure,
    }
}

const JOIN: Commas = Commas::Join(0, 0);

/// What stands before the digits from `first` on says of their commas.
fn before(bytes: &[u8], first: usize) -> Commas {
    let Some(mut at) = first.checked_sub(1) else {
        return JOIN;
    };
    let run = first
        - bytes[..first]
            .iter()
            .rev()
            .take(LONGEST)
            .take_while(|byte| is_word(**byte))
            .count();
    let escaped = run > 0 && bytes[run - 1] == b'\\' && run < first;
    if matches!(bytes[at], b'-' | b'+' | b'~') {
        let sign = at;
        let Some(next) = at.checked_sub(1) else {
            return JOIN;
        };
        at = next;
        if escaped && run + 1 == sign {
            return JOIN;
        }
        if is_word(bytes[at]) && bytes[at] != b':' {
            return if first >= 8 && is_date(&bytes[first - 8..]) {
                Commas::Part
            } else {
                Commas::Unsure
            };
        }
    }
    match bytes[at] {
        b'[' | b'{' | b',' => Commas::Part,
        b'a'..=b'z' | b'A'..=b'Z' => {
            let is_amount = || {
                CURRENCIES
                    .iter()
                    .any(|currency| bytes[run..first].eq_ignore_ascii_case(currency))
            };
            if escaped && run + 1 != first {
                // `\u20ac1,299`: where the number begins can't be told.
                Commas::Unsure
            } else if escaped || is_amount() || printed::after_control(bytes, run, first) == first {
                JOIN
            } else {
                Commas::Part
            }
        }
        b'_' | b'@' | b'/' => Commas::Part,
        _ => JOIN,
    }
}

/// What stands behind the digits up to `last` says of their commas; and where the number ends with its unit.
fn after(bytes: &[u8], last: usize) -> (Commas, usize) {
    let words = |at: usize| bytes.get(at).copied().is_some_and(is_word);
    match bytes.get(last) {
        Some(b']' | b'}') => (Commas::Part, last),
        Some(b',') if words(last + 1) => (Commas::Part, last),
        Some(b'-' | b'+' | b'~' | b'_' | b'/' | b'@') => (Commas::Unsure, last),
        Some(b':') if words(last + 1) => (Commas::Unsure, last),
        Some(b'a'..=b'z' | b'A'..=b'Z') => {
            let end = last
                + bytes[last..]
                    .iter()
                    .take(LONGEST)
                    .take_while(|byte| byte.is_ascii_alphabetic())
                    .count();
            let is_unit = !words(end) || (bytes[end] == b'.' && !words(end + 1));
            (if is_unit { JOIN } else { Commas::Unsure }, end)
        }
        Some(0x80..) => {
            let end = last
                + bytes[last..]
                    .iter()
                    .take(LONGEST)
                    .take_while(|byte| is_word(**byte))
                    .count();
            // No letter is cut in two.
            let inside = bytes[end..]
                .iter()
                .take_while(|byte| **byte & 0xC0 == 0x80)
                .count();
            (JOIN, end + inside)
        }
        _ => (JOIN, last),
    }
}

/// Whether the minus before `at`, with which the piece begins, is the sign of the number up to `end`, and no hyphen.
pub(crate) fn is_negative(bytes: &[u8], at: usize, end: usize) -> bool {
    let number = bytes[at..end]
        .iter()
        .take_while(|byte| is_part(**byte))
        .count();
    let rest = &bytes[at + number..end];
    let exponent = || matches!(rest, [b'e' | b'E', b'+' | b'-', digits @ ..] if digits.iter().all(u8::is_ascii_digit));
    let exact = || rest.iter().all(u8::is_ascii_alphanumeric);
    let closes = at >= 2 && matches!(bytes[at - 2], b')' | b']' | b'}' | b'%');
    bytes[at - 1] == b'-'
        && !closes
        && bytes[at..at + number].iter().any(u8::is_ascii_digit)
        && (exponent() || exact())
}

/// Whether a text is all digits, dots and commas.
pub(crate) fn is_number(text: &str) -> bool {
    text.bytes().all(is_part)
}

/// Whether a letter beyond ASCII parts the thousands of numbers.
pub(crate) fn is_wide_gap(c: char) -> bool {
    matches!(c, '\u{A0}' | '\u{2009}' | '\u{202F}' | '\u{2019}')
}

/// Whether a letter beyond ASCII may be a minus.
pub(crate) fn is_wide_minus(c: char) -> bool {
    matches!(
        c,
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{FE63}' | '\u{FF0D}'
    )
}

#[cfg(test)]
mod tests {
    use crate::summary::extract::lex::identifiers::{TextEncoding, scan};

    fn all(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        scan(text, TextEncoding::Plain, &mut |identifier, _, at| {
            assert_eq!(&text[at..at + identifier.len()], identifier);
            found.extend(
                identifier
                    .bytes()
                    .any(|byte| byte.is_ascii_digit())
                    .then_some(identifier),
            );
        });
        found
    }

    fn json(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        scan(text, TextEncoding::Escaped, &mut |identifier, _, _| {
            found.push(identifier)
        });
        found
    }

    #[test]
    fn a_number_keeps_its_sign() {
        assert_eq!(
            all("balance: -1042.75\nutc_offset:-3600 (-200) x=-300, -1e-7 wait -150ms"),
            ["-1042.75", "-3600", "-200", "-300", "-1e-7", "-150ms"]
        );
        assert_eq!(
            json(r#"{"balance": -1299.50, "at":[-33.8688,-151.2093], "text": "\n-500"}"#),
            ["-1299.50", "-33.8688", "-151.2093", "-500"]
        );
    }

    #[test]
    fn a_hyphen_is_no_sign() {
        assert_eq!(
            all("2024-05-01, a-300, 100-200, (202)-5550123 --4000 10%-20.5% 10\u{2013}200"),
            [
                "2024-05-01",
                "a-300",
                "100-200",
                "202",
                "5550123",
                "4000",
                "20.5",
                "200"
            ]
        );
        // What may be a minus, and what may be a hyphen.
        assert!(all("\u{2212}1042.75 cost \u{2013}200 1042.75- 10\u{B0}-200\u{B0}").is_empty());
    }

    #[test]
    fn a_number_keeps_its_commas() {
        assert_eq!(
            all("Summe: 1.299,50 EUR, MwSt: 247,13. Rest:1,299.50"),
            ["1.299,50", "247,13", "1,299.50"]
        );
        assert_eq!(
            all("12,345,678 -1,299 -12,34,567 EUR1,299.50 1.299,50EUR \u{20AC}1,299.50 100,200p"),
            [
                "12,345,678",
                "-1,299",
                "-12,34,567",
                "EUR1,299.50",
                "1.299,50EUR",
                "1,299.50",
                "100,200p",
            ]
        );
        assert_eq!(
            json(r#"{"a": "1.299,50", "b": "x\n1,299.50"}"#),
            ["1.299,50", "1,299.50"]
        );
        assert_eq!(all("\u{1b}[1m1,299.50\u{1b}[0m"), ["1,299.50"]);
    }

    #[test]
    fn commas_of_lists_join_nothing() {
        assert_eq!(
            all("[100,200,300] HAT175,200,300 2024-05-20,100 33.8688,151.2093 {100,200}"),
            [
                "100",
                "200",
                "300",
                "HAT175",
                "200",
                "300",
                "2024-05-20",
                "100",
                "33.8688",
                "151.2093",
                "100",
                "200"
            ]
        );
        assert_eq!(
            json(r#"{"a":[1,299,500],"b":["x",100,200]}"#),
            ["299", "500", "100", "200"]
        );
        let long = "100,".repeat(1000);
        assert_eq!(all(&long).len(), 1000);
    }

    #[test]
    fn what_may_be_half_a_number_is_left_out() {
        assert!(all("1 299,50 and 125 000 kr, 1'299.50 or 1\u{A0}299,50").is_empty());
        assert!(all("2021,123 59,3293 1,000-2,000").is_empty());
        assert_eq!(all("x[..125] and .125, 06:00:00,123"), ["125", ".125"]);
        assert!(json(r#"{"a": "\u20ac1 299,50", "b": "x\n1 299,50"}"#).is_empty());
        assert_eq!(
            json(r#"{"a": "\u001b[31m12,345,678\u001b[0m \u001B[1mid_77"}"#),
            ["12,345,678", "id_77"]
        );
    }
}
