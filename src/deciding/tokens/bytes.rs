//! Codex's estimate: UTF-8 bytes divided by four, rounded up (see `docs/reference/presets.md`).

use crate::deciding::tokens::plain::{CountedExtras, PlainEstimate};

/// Bytes per token.
const PER_TOKEN: u64 = 4;

/// The counter of bytes at a fixed price.
pub(crate) const BYTES: PlainEstimate = PlainEstimate {
    name: "bytes",
    extra_weight: continuation_bytes,
    to_tokens,
    extras: CountedExtras::ResultIds,
};

/// Returns the bytes beyond one per character.
fn continuation_bytes(utf8: &[u8]) -> u64 {
    utf8.iter().filter(|byte| **byte & 0xC0 == 0x80).count() as u64
}

fn to_tokens(bytes: u64) -> usize {
    usize::try_from(bytes.div_ceil(PER_TOKEN)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deciding::tokens::counter::TokenCounter;

    #[test]
    fn bytes_are_counted_and_rounded_up() {
        let texts = ["", "a", "abcd", "abcde", "日", "日本", "😀"];
        assert_eq!(
            texts.map(|text| BYTES.count_text(text)),
            [0, 1, 1, 2, 1, 2, 1]
        );
    }
}
