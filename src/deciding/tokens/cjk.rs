//! The estimate of the essay behind the preset `opencode-seed`: CJK characters
//! (U+4E00 to U+9FFF) cost 1.5 tokens, all other code points a quarter; rounded
//! as Python's `round` does, half to even (see `docs/reference/opencode.md`).

use crate::deciding::tokens::plain::{CountedExtras, PlainEstimate};

/// Quarters of a token that a CJK character costs more than other characters.
const CJK_QUARTERS: u64 = 5;

/// The counter with one price for CJK characters and another for all others.
pub(crate) const CJK: PlainEstimate = PlainEstimate {
    name: "cjk",
    extra_weight: extra_quarters,
    to_tokens: round_quarters,
    extras: CountedExtras::None,
};

/// Returns the quarters of a token beyond one per character. U+4E00 to U+9FFF are E4 B8 80 to
/// E9 BF BF.
pub(super) fn extra_quarters(utf8: &[u8]) -> u64 {
    let first_two = utf8
        .windows(2)
        .filter(|pair| matches!(pair, [0xE4, 0xB8..=0xBF] | [0xE5..=0xE9, _]));
    first_two.count() as u64 * CJK_QUARTERS
}

/// Returns the tokens of a number of quarters, rounded half to even.
fn round_quarters(quarters: u64) -> usize {
    let (tokens, rest) = (quarters / 4, quarters % 4);
    let up = rest == 3 || (rest == 2 && tokens % 2 == 1);
    usize::try_from(tokens + u64::from(up)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deciding::tokens::counter::TokenCounter;
    use crate::deciding::tokens::plain;

    #[test]
    fn the_price_is_by_character_and_halves_go_to_even() {
        // Computed by the code of the essay.
        for (text, tokens) in [
            ("", 0),
            ("ab", 0),
            ("abcdef", 2),
            ("abcdefghij", 2),
            ("abc", 1),
            ("中", 2),
            ("中文", 3),
            ("中文字", 4),
            ("中a", 2),
            ("日本語 ok", 5),
        ] {
            assert_eq!(CJK.count_text(text), tokens, "{text}");
        }
        let quarters = |text| plain::text_weight(text, extra_quarters);
        assert_eq!(
            [
                quarters("\u{4dff}"),
                quarters("\u{4e00}"),
                quarters("\u{9fff}"),
                quarters("\u{a000}"),
                quarters("かな😀")
            ],
            [1, 6, 6, 1, 3]
        );
    }
}
