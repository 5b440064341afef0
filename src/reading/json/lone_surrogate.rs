//! Search for lone surrogates: halves of a pair without the other half.
//!
//! Measured by `cargo bench --features benching --bench tricks` (2026-11): a regular
//! expression takes 80 times as long.

use crate::reading::json::unescape::{decode_escape, keep_surrogate};
use memchr::memmem::Finder;
use std::sync::LazyLock;

static UNICODE_ESCAPE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\\u"));

/// Returns true if JSON text holds the escape of a lone surrogate.
pub(crate) fn has_lone_surrogate(json: &[u8]) -> bool {
    let mut pair_end = 0;
    UNICODE_ESCAPE.find_iter(json).any(|at| {
        // Skips the second half of a pair, an escaped backslash before a `u`, and what is no
        // surrogate.
        if at < pair_end
            || !matches!(json.get(at + 2), Some(b'd' | b'D'))
            || json[..at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
        {
            return false;
        }
        let escape = decode_escape(&json[at..], keep_surrogate);
        pair_end = at + escape.spelled_len;
        escape.spelled_len == 6 && escape.bytes[0] == 0xED && escape.bytes[1] >= 0xA0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_halves_without_the_other_half_are_found() {
        assert!(has_lone_surrogate(br#""a\n\u00e9\ud83d\ude00\ud83d\u0041\udc00/\/""#));
        assert!(!has_lone_surrogate(br#""\ud83d\ude00""#));
        assert!(
            !has_lone_surrogate(br#""\\ud83d \\\\ud83d""#) && has_lone_surrogate(br#""\\\ud83d""#)
        );
        assert!(
            has_lone_surrogate(br#""\ud83d\ude00\ude00""#)
                && has_lone_surrogate(br#""\uD83D\u00e9""#)
        );
    }
}
