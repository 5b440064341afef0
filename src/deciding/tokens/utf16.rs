//! OpenCode's estimate: UTF-16 code units divided by four, rounded half up (see
//! `docs/reference/opencode.md`).

use crate::deciding::tokens::plain::{CountedExtras, PlainEstimate};

/// UTF-16 code units per token.
const PER_TOKEN: u64 = 4;

/// The counter of UTF-16 code units at a fixed price.
pub(crate) const UTF16: PlainEstimate = PlainEstimate {
    name: "utf16",
    extra_weight: extra_units,
    to_tokens: tokens,
    extras: CountedExtras::None,
};

/// The counter of pi: as [`UTF16`], rounded up.
pub(crate) const UTF16_UP: PlainEstimate = PlainEstimate {
    name: "utf16-up",
    extra_weight: extra_units,
    to_tokens: tokens_up,
    extras: CountedExtras::JavaScriptArguments,
};

/// Returns the code units beyond one per character: characters of four bytes have two.
pub(super) fn extra_units(utf8: &[u8]) -> u64 {
    utf8.iter().map(|byte| u64::from(*byte >= 0xF0)).sum()
}

/// Returns JavaScript's `Math.round(units / 4)`.
pub(crate) fn tokens(units: u64) -> usize {
    usize::try_from((units + PER_TOKEN / 2) / PER_TOKEN).unwrap_or(usize::MAX)
}

/// Returns JavaScript's `Math.ceil(units / 4)`.
fn tokens_up(units: u64) -> usize {
    usize::try_from(units.div_ceil(PER_TOKEN)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deciding::tokens::counter::TokenCounter;
    use crate::deciding::tokens::plain;

    #[test]
    fn halves_are_rounded_up_and_pairs_are_two_units() {
        let tokens_of = |units: usize| UTF16.count_text(&"x".repeat(units));
        assert_eq!([0, 1, 2, 5, 6, 7, 8].map(tokens_of), [0, 0, 1, 1, 2, 2, 2]);
        let units = |text| plain::text_weight(text, extra_units);
        assert_eq!(
            [units("é"), units("日本"), units("😀"), units("a😀b")],
            [1, 2, 2, 4]
        );
    }
}
