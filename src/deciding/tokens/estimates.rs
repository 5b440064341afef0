//! The estimates of agents by the characters of a text. `docs/reference/presets.md` and
//! `docs/reference/opencode.md` have the rules.

use crate::deciding::tokens::plain::{CountedExtras, PlainEstimate};

/// UTF-16 code units per token, as OpenCode and pi have it, and bytes per token as Codex has it.
const PER_TOKEN: u64 = 4;
/// Quarters of a token that a UTF-16 code unit beyond ASCII costs Gemini CLI.
const OTHER_QUARTERS: u64 = 6;
/// Quarters of a token that a CJK character costs more than other characters.
const CJK_QUARTERS: u64 = 5;

/// OpenCode's estimate: UTF-16 code units divided by four, rounded half up.
pub(crate) const UTF16: PlainEstimate = PlainEstimate {
    name: "utf16",
    extra_weight: extra_units,
    to_tokens: utf16_tokens,
    extras: CountedExtras::None,
};

/// The estimate of pi: as [`UTF16`], rounded up.
pub(crate) const UTF16_UP: PlainEstimate = PlainEstimate {
    name: "utf16-up",
    to_tokens: quarter_up,
    extras: CountedExtras::JavaScriptArguments,
    ..UTF16
};

/// Codex's estimate: UTF-8 bytes divided by four, rounded up.
pub(crate) const BYTES: PlainEstimate = PlainEstimate {
    name: "bytes",
    extra_weight: continuation_bytes,
    to_tokens: quarter_up,
    extras: CountedExtras::ResultIds,
};

/// Gemini CLI's estimate: a quarter of a token per ASCII character, one and a half per other UTF-16
/// code unit, rounded down; a result by the length of its JSON.
pub(crate) const GEMINI_CLI: PlainEstimate = PlainEstimate {
    name: "gemini-cli",
    extra_weight: extra_gemini_quarters,
    to_tokens: |quarters| saturating_count(quarters / 4),
    extras: CountedExtras::JsonResults,
};

/// The estimate of the essay behind the preset `opencode-seed`: CJK characters (U+4E00 to U+9FFF)
/// cost 1.5 tokens, all other code points a quarter; rounded as Python's `round` does, half to even.
pub(crate) const CJK: PlainEstimate = PlainEstimate {
    name: "cjk",
    extra_weight: extra_cjk_quarters,
    to_tokens: round_quarters,
    extras: CountedExtras::None,
};

/// Returns the code units beyond one per character: characters of four bytes have two.
pub(super) fn extra_units(utf8: &[u8]) -> u64 {
    utf8.iter().map(|byte| u64::from(*byte >= 0xF0)).sum()
}

/// Returns the bytes beyond one per character.
pub(super) fn continuation_bytes(utf8: &[u8]) -> u64 {
    utf8.iter().filter(|byte| **byte & 0xC0 == 0x80).count() as u64
}

/// Returns the quarters of a token beyond one per character.
fn extra_gemini_quarters(utf8: &[u8]) -> u64 {
    utf8.iter()
        .map(|byte| match byte {
            0xC0..0xF0 => OTHER_QUARTERS - 1,
            0xF0.. => 2 * OTHER_QUARTERS - 1,
            _ => 0,
        })
        .sum()
}

/// Returns the quarters of a token beyond one per character. U+4E00 to U+9FFF are E4 B8 80 to
/// E9 BF BF.
pub(super) fn extra_cjk_quarters(utf8: &[u8]) -> u64 {
    let first_two =
        utf8.windows(2).filter(|pair| matches!(pair, [0xE4, 0xB8..=0xBF] | [0xE5..=0xE9, _]));
    first_two.count() as u64 * CJK_QUARTERS
}

/// Returns JavaScript's `Math.round(units / 4)`.
pub(crate) fn utf16_tokens(units: u64) -> usize {
    saturating_count((units + PER_TOKEN / 2) / PER_TOKEN)
}

/// Returns a quarter, rounded up.
fn quarter_up(weight: u64) -> usize {
    saturating_count(weight.div_ceil(PER_TOKEN))
}

/// Returns the tokens of a number of quarters, rounded half to even.
fn round_quarters(quarters: u64) -> usize {
    let (tokens, rest) = (quarters / 4, quarters % 4);
    let up = rest == 3 || (rest == 2 && tokens % 2 == 1);
    saturating_count(tokens + u64::from(up))
}

/// Returns a count, or the largest where it has no room.
pub(super) fn saturating_count(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deciding::tokens::counter::TokenCounter;
    use crate::deciding::tokens::plain::text_weight;

    #[test]
    fn texts_have_the_tokens_of_each_agent() {
        for (estimate, tokens, texts) in [
            (UTF16, 0, ["", "x"].as_slice()),
            (UTF16, 1, &["xx", "xxxxx"]),
            (UTF16, 2, &["xxxxxx", "xxxxxxxx"]),
            (BYTES, 0, &[""]),
            (BYTES, 1, &["a", "abcd", "日", "😀"]),
            (BYTES, 2, &["abcde", "日本"]),
            (GEMINI_CLI, 0, &["", "abc"]),
            (GEMINI_CLI, 1, &["abcd", "日", "aé"]),
            (GEMINI_CLI, 3, &["日本", "😀"]),
            // Computed by the code of the essay.
            (CJK, 0, &["", "ab"]),
            (CJK, 1, &["abc"]),
            (CJK, 2, &["abcdef", "abcdefghij", "中", "中a"]),
            (CJK, 3, &["中文"]),
            (CJK, 4, &["中文字"]),
            (CJK, 5, &["日本語 ok"]),
        ] {
            for text in texts {
                assert_eq!(estimate.count_text(text), tokens, "{text} {estimate:?}");
            }
        }
        let weights = |texts: &[&str], extra| -> Vec<u64> {
            texts.iter().map(|text| text_weight(text, extra)).collect()
        };
        assert_eq!(weights(&["é", "日本", "😀", "a😀b"], extra_units), [1, 2, 2, 4]);
        let edges = ["\u{4dff}", "\u{4e00}", "\u{9fff}", "\u{a000}", "かな😀"];
        assert_eq!(weights(&edges, extra_cjk_quarters), [1, 6, 6, 1, 3]);
    }
}
