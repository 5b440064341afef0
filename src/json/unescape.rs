//! What a JSON string literal says: its escapes undone, sixty-four bytes at a time.

use crate::json::lanes::{LANES, Lanes, Level, dispatch};
use crate::json::text::{hex, is_low_surrogate};

/// Bytes that stand for a lone surrogate.
pub(super) type Surrogate = fn(u16) -> [u8; 3];

/// U+FFFD, for those who want text.
pub(super) fn replacement(_: u16) -> [u8; 3] {
    [0xEF, 0xBF, 0xBD]
}

/// The surrogate itself, as Python keeps it in a `str` (WTF-8).
pub(super) fn itself(half: u16) -> [u8; 3] {
    let [high, low] = half.to_be_bytes();
    [
        0xE0 | (high >> 4),
        0x80 | ((high & 0x0F) << 2) | (low >> 6),
        0x80 | (low & 0x3F),
    ]
}

/// Appends what `inner`, the valid content of a literal, says.
pub(super) fn unescape(inner: &[u8], surrogate: Surrogate, out: &mut Vec<u8>) {
    let mut at = 0;
    if inner.len() >= LANES {
        let start = out.len();
        // What an escape says is never longer than the escape, and a block is copied whole before it is known how much of it counts.
        out.resize(start + inner.len() + LANES, 0);
        let told;
        (at, told) = blocks(inner, surrogate, &mut out[start..]);
        out.truncate(start + told);
    }
    while at < inner.len() {
        let plain = memchr::memchr(b'\\', &inner[at..]).unwrap_or(inner.len() - at);
        out.extend_from_slice(&inner[at..at + plain]);
        at += plain;
        if at < inner.len() {
            let (said, length, escape) = escape(&inner[at..], surrogate);
            out.extend_from_slice(&said[..length]);
            at += escape;
        }
    }
}

/// Writes what the whole blocks of `inner` say; how far they reach, and how many bytes were written.
fn blocks(inner: &[u8], surrogate: Surrogate, room: &mut [u8]) -> (usize, usize) {
    let (mut at, mut told) = (0, 0);
    while let Some(block) = inner.get(at..).and_then(|rest| rest.first_chunk::<LANES>()) {
        let (base, end) = (at, at + LANES);
        let mut backslashes = dispatch!(Level::new(), simd => Lanes::new(simd, block).equal(b'\\'));
        loop {
            // What follows the last escape, up to the next one or the end of the block.
            let next = (base + backslashes.trailing_zeros() as usize).min(end);
            // To copy all and take back what does not count is a few moves; a length that is known only now is a call.
            match inner[at..].first_chunk::<LANES>() {
                Some(chunk) => room[told..told + LANES].copy_from_slice(chunk),
                None => room[told..told + next - at].copy_from_slice(&inner[at..next]),
            }
            told += next - at;
            at = next;
            if next == end {
                break;
            }
            let (said, length, escape) = escape(&inner[at..], surrogate);
            room[told..told + said.len()].copy_from_slice(&said);
            told += length;
            at += escape;
            if at >= end {
                break;
            }
            backslashes &= u64::MAX << (at - base);
        }
    }
    (at, told)
}

/// The escape that `rest` begins with: what it says, how many bytes that is, and how many it has itself.
#[inline]
pub(super) fn escape(rest: &[u8], surrogate: Surrogate) -> ([u8; 4], usize, usize) {
    let byte = match rest.get(1) {
        Some(b'u') => return unit(rest, surrogate),
        Some(b'n') => b'\n',
        Some(b't') => b'\t',
        Some(b'r') => b'\r',
        Some(b'b') => 0x8,
        Some(b'f') => 0xC,
        Some(&other) => other,
        None => b'\\',
    };
    ([byte, 0, 0, 0], 1, 2)
}

fn unit(rest: &[u8], surrogate: Surrogate) -> ([u8; 4], usize, usize) {
    let Some(first) = hex(rest) else {
        return ([b'u', 0, 0, 0], 1, 2);
    };
    let second = hex(&rest[6..]).filter(|low| is_low_surrogate(*low));
    let (point, length) = match (first, second) {
        (0xD800..=0xDBFF, Some(low)) => (
            0x1_0000 + ((u32::from(first) - 0xD800) << 10) + (u32::from(low) - 0xDC00),
            12,
        ),
        (other, _) => (u32::from(other), 6),
    };
    match char::from_u32(point) {
        Some(c) => {
            let mut said = [0; 4];
            let wide = c.encode_utf8(&mut said).len();
            (said, wide, length)
        }
        None => {
            let [a, b, c] = surrogate(first);
            ([a, b, c, 0], 3, 6)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn said(inner: &str) -> Vec<u8> {
        let mut out = b"before".to_vec();
        unescape(inner.as_bytes(), itself, &mut out);
        out.split_off(6)
    }

    #[test]
    fn escapes_at_any_place_of_a_block() {
        for blanks in 0..140 {
            let padding = " ".repeat(blanks);
            for (escape, wanted) in [
                ("\\n", "\n"),
                ("\\\\", "\\"),
                ("\\u00e9", "\u{e9}"),
                ("\\ud83d\\ude00", "\u{1f600}"),
                ("\\\"x", "\"x"),
                ("\\/\\b\\f\\r\\t", "/\u{8}\u{c}\r\t"),
                ("é", "é"),
            ] {
                assert_eq!(
                    said(&format!("{padding}{escape}{padding}")),
                    format!("{padding}{wanted}{padding}").as_bytes(),
                    "{blanks} {escape}"
                );
            }
        }
        assert_eq!(said("\\ud800x\\udc00"), b"\xed\xa0\x80x\xed\xb0\x80");
    }

    proptest! {
        #[test]
        fn as_serde_reads_it(text in any::<String>(), dense in r#"["\\\n\t/\u{1}a-c\u{e9}\u{1f600}]{0,200}"#) {
            for text in [text, dense] {
                let literal = serde_json::to_string(&text).unwrap();
                prop_assert_eq!(said(&literal[1..literal.len() - 1]), text.as_bytes());
            }
        }
    }
}
