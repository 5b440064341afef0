//! Finds personal data: mail addresses, phone numbers, card numbers with their check digit, and IP
//! addresses of the open internet.

use crate::base::secrets::keywords::FoundSecret;
use core::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;

/// The fewest and the most digits of a phone number with its country.
const PHONE_DIGITS: std::ops::RangeInclusive<usize> = 8..=15;
/// The fewest and the most digits of a card number.
const CARD_DIGITS: std::ops::RangeInclusive<usize> = 13..=19;
/// Endings of names with `@` that are files or packages, not domains.
const NO_DOMAINS: [&str; 14] =
    ["c", "cpp", "css", "git", "go", "html", "js", "json", "local", "md", "png", "py", "rs", "ts"];

/// Returns the personal data in a text, in order.
pub(super) fn find_personal_data(text: &str) -> Vec<FoundSecret> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    for at in memchr::memchr_iter(b'@', bytes) {
        found.extend(mail_address(text, at).map(|range| new_found(range, "email")));
    }
    let mut at = 0;
    while let Some(start) = next_number(bytes, at) {
        let number = NumberRun::at(bytes, start);
        at = number.range.end;
        let kind = number.kind(text);
        found.extend(kind.map(|kind| new_found(number.range, kind)));
    }
    for range in colon_words(bytes) {
        let address = text[range.clone()].parse::<Ipv6Addr>();
        if address.is_ok_and(|address| is_open_v6(address, &text[range.clone()])) {
            found.push(new_found(range, "ip_address"));
        }
    }
    found.sort_by_key(|found: &FoundSecret| found.range.start);
    found
}

fn new_found(range: Range<usize>, kind: &'static str) -> FoundSecret {
    FoundSecret { range, kind }
}

/// Returns the mail address around an `@`.
fn mail_address(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let is_local = |byte: &u8| byte.is_ascii_alphanumeric() || b"._%+-".contains(byte);
    let before = bytes[..at].iter().rev().take(64).take_while(|byte| is_local(byte));
    let start = at - before.count();
    let is_domain = |byte: &u8| byte.is_ascii_alphanumeric() || b".-".contains(byte);
    let domain = bytes[at + 1..].iter().take_while(|byte| is_domain(byte));
    let end = at + 1 + domain.count();
    let domain = text[at + 1..end].trim_end_matches(['.', '-']);
    let (name, ending) = domain.rsplit_once('.')?;
    let is_ending = ending.len() >= 2
        && ending.bytes().all(|byte| byte.is_ascii_alphabetic())
        && !NO_DOMAINS.contains(&ending);
    let local = &text[start..at];
    // `git@host:path` and `https://user@host` are addresses of repositories.
    let is_remote = local == "git" || text[..start].ends_with("://");
    // A version behind an `@` has no letters: `wasi-cli@0.2.0.wasm`.
    let is_named = name.contains(|c: char| c.is_ascii_alphabetic());
    let is_name = local.starts_with(|c: char| c.is_ascii_alphanumeric()) && is_named;
    (is_ending && is_name && !is_remote).then(|| start..at + 1 + domain.len())
}

/// Digits with marks between them.
struct NumberRun {
    range: Range<usize>,
    digits: Vec<u8>,
    /// The marks between the digits.
    marks: Vec<u8>,
    has_plus: bool,
}

/// Returns the beginning of the next number that stands by itself.
fn next_number(bytes: &[u8], from: usize) -> Option<usize> {
    (from..bytes.len()).find(|&at| {
        let is_start = match bytes[at] {
            b'+' | b'(' => bytes.get(at + 1).is_some_and(u8::is_ascii_digit),
            byte => byte.is_ascii_digit(),
        };
        let before = at.checked_sub(1).map(|before| bytes[before]);
        is_start
            && before
                .is_none_or(|byte| !byte.is_ascii_alphanumeric() && !b"._-/$#=".contains(&byte))
    })
}

impl NumberRun {
    fn at(bytes: &[u8], start: usize) -> Self {
        let mut run = Self {
            range: start..start + 1,
            digits: Vec::new(),
            marks: Vec::new(),
            has_plus: bytes[start] == b'+',
        };
        let mut marks = Vec::new();
        for (at, byte) in bytes.iter().enumerate().skip(start) {
            if byte.is_ascii_digit() {
                run.marks.append(&mut marks);
                run.digits.push(*byte);
                run.range.end = at + 1;
            } else if b" -.()+".contains(byte) && marks.len() < 2 && run.digits.len() < 20 {
                marks.push(*byte);
            } else {
                break;
            }
        }
        run
    }

    /// Returns the kind of personal data that the number is.
    fn kind(&self, text: &str) -> Option<&'static str> {
        let behind = text.as_bytes().get(self.range.end);
        if behind.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
            return None;
        }
        if self.marks.iter().all(|mark| *mark == b'.') && self.marks.len() == 3 {
            let address = text[self.range.clone()].parse::<Ipv4Addr>();
            return address.is_ok_and(is_open_v4).then_some("ip_address");
        }
        let is_card = CARD_DIGITS.contains(&self.digits.len())
            && self.marks.iter().all(|mark| matches!(mark, b' ' | b'-'))
            && is_card_number(&self.digits);
        if is_card {
            return Some("card_number");
        }
        self.is_phone().then_some("phone")
    }

    /// Returns true for a number with its country, or in the groups of North America.
    fn is_phone(&self) -> bool {
        let has_groups = self.marks.iter().filter(|mark| **mark != b'+').count() >= 2;
        if self.has_plus {
            return has_groups && PHONE_DIGITS.contains(&self.digits.len());
        }
        let marks: &[u8] = &self.marks;
        self.digits.len() == 10
            && self.digits[0] > b'1'
            && matches!(marks, b"() -" | b")-" | b") -" | b"--" | b"()-")
    }
}

/// Returns true for the number of a card of the known issuers, by its check digit.
fn is_card_number(digits: &[u8]) -> bool {
    let two = (digits[0] - b'0') * 10 + (digits[1] - b'0');
    let is_issued = matches!((two, digits.len()), (40..=49, 13 | 16 | 19) | (51..=55 | 22..=27 | 60 | 65, 16) | (34 | 37, 15) | (30 | 36 | 38, 14));
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            let value = u32::from(digit - b'0') * if place % 2 == 1 { 2 } else { 1 };
            value / 10 + value % 10
        })
        .sum();
    is_issued && sum.is_multiple_of(10) && digits.iter().any(|digit| *digit != digits[0])
}

fn is_open_v4(address: Ipv4Addr) -> bool {
    // Versions have small numbers.
    let is_version = address.octets().iter().all(|octet| *octet < 32);
    !(is_version
        || address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_broadcast()
        || address.is_documentation()
        || address.is_multicast()
        || address.octets()[0] == 0
        || address.octets()[0] == 255)
}

fn is_open_v6(address: Ipv6Addr, spelled: &str) -> bool {
    let [first, second, ..] = address.segments();
    let groups = spelled.split(':').filter(|group| !group.is_empty()).count();
    let is_documentation = first == 0x2001 && second == 0xdb8;
    groups >= 4 && (0x2000..0x4000).contains(&first) && !is_documentation
}

/// Returns the words of hexadecimal digits and colons.
fn colon_words(bytes: &[u8]) -> Vec<Range<usize>> {
    let is_part = |byte: u8| byte.is_ascii_hexdigit() || byte == b':';
    let (mut words, mut at) = (Vec::new(), 0);
    while let Some(colon) = memchr::memmem::find(&bytes[at..], b":").map(|colon| at + colon) {
        let start = bytes[at..colon].iter().rposition(|byte| !is_part(*byte));
        let start = start.map_or(at, |start| at + start + 1);
        let end = bytes[colon..].iter().position(|byte| !is_part(*byte));
        let end = end.map_or(bytes.len(), |end| colon + end);
        let touches = |at: Option<usize>| {
            at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphanumeric)
        };
        if (8..=39).contains(&(end - start))
            && !touches(start.checked_sub(1))
            && !touches(Some(end))
        {
            words.push(start..end);
        }
        at = end.max(colon + 1);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<&'static str> {
        let found = find_personal_data(text);
        found.into_iter().map(|found| found.kind).collect()
    }

    #[test]
    fn personal_data_is_found() {
        for (text, kind) in [
            ("Write to anna.berg+x@post.example.org, please.", "email"),
            ("Call +49 30 901820-0 after ten.", "phone"),
            ("Call (415) 555-2671.", "phone"),
            ("Call 415-555-2671.", "phone"),
            ("Card 4111 1111 1111 1111, next.", "card_number"),
            ("Card 378282246310005", "card_number"),
            ("From 81.2.69.142 to us.", "ip_address"),
            ("From 2a02:8108:8ac0:207::1 to us.", "ip_address"),
        ] {
            assert_eq!(kinds(text), [kind], "{text}");
        }
    }

    #[test]
    fn other_numbers_and_names_are_left() {
        for text in [
            "git@github.com:me/tool.git and https://me@host.example/x",
            "@app.route, lodash@4.17.21, @types/node@20.1.py, wasi-cli@0.2.0.wasm",
            "Version 1.2.3.4 on 127.0.0.1 and 192.168.0.7, 10.0.0.2",
            "Card 4111 1111 1111 1112; 1700000000000; 4000000000.25",
            "+1700000000 in a diff, 2026-11-28 10:15:00, 555-1234",
            "std::fs::read, 12:30:45, a::b, ::1, fe80::1",
            "0x4111111111111111 and id-4111111111111111",
        ] {
            assert_eq!(kinds(text), [""; 0], "{text}");
        }
    }
}
