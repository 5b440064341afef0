//! Gemini CLI's estimate: a quarter of a token per ASCII character, one and a half per other UTF-16
//! code unit, rounded down; a result by the length of its JSON (see `docs/reference/presets.md`).

use crate::deciding::tokens::plain::{CountedExtras, PlainEstimate};

/// Quarters of a token that a UTF-16 code unit beyond ASCII costs.
const OTHER_QUARTERS: u64 = 6;

/// The counter of Gemini CLI.
pub(crate) const GEMINI_CLI: PlainEstimate = PlainEstimate {
    name: "gemini-cli",
    extra_weight: extra_quarters,
    to_tokens: round_down,
    extras: CountedExtras::JsonResults,
};

/// Returns the quarters of a token beyond one per character.
fn extra_quarters(utf8: &[u8]) -> u64 {
    utf8.iter()
        .map(|byte| match byte {
            0xC0..0xF0 => OTHER_QUARTERS - 1,
            0xF0.. => 2 * OTHER_QUARTERS - 1,
            _ => 0,
        })
        .sum()
}

fn round_down(quarters: u64) -> usize {
    usize::try_from(quarters / 4).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deciding::tokens::counter::TokenCounter;

    #[test]
    fn characters_beyond_ascii_cost_more() {
        let texts = ["", "abc", "abcd", "日", "日本", "😀", "aé"];
        assert_eq!(
            texts.map(|text| GEMINI_CLI.count_text(text)),
            [0, 0, 1, 1, 3, 3, 1]
        );
    }
}
