//! OpenCode's estimate: UTF-16 code units divided by four, rounded half up
//! (spec: opencode, A.1, "Token estimate").

use crate::tokens::{Counter, plain};
use crate::transcript::Role;
use crate::transcript::view::{Piece, View};

/// UTF-16 code units per token.
const PER_TOKEN: u64 = 4;

/// Counts UTF-16 code units at a fixed price.
#[derive(Debug, Clone, Copy)]
pub struct Utf16;

/// Code units beyond one a character: those of four bytes take two.
pub(super) fn extra(utf8: &[u8]) -> u64 {
    utf8.iter().map(|byte| u64::from(*byte >= 0xF0)).sum()
}

/// JavaScript's `Math.round(units / 4)`.
#[must_use]
pub fn tokens(units: u64) -> usize {
    usize::try_from((units + PER_TOKEN / 2) / PER_TOKEN).unwrap_or(usize::MAX)
}

impl Counter for Utf16 {
    fn name(&self) -> &'static str {
        "utf16"
    }

    fn text(&self, text: &str) -> usize {
        tokens(plain::text(text, extra))
    }

    fn message_with(&self, view: View<'_, '_>, index: usize, pieces: &[Piece<'_>], _: bool) -> usize {
        plain::message(view, index, pieces, extra, tokens)
    }

    fn summary(&self, _: Role, text: &str) -> usize {
        self.text(text)
    }

    fn tools(&self, schemas: &[u8]) -> usize {
        tokens(plain::bytes(schemas, extra))
    }

    fn scales_with_usage(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_rounded_up_and_pairs_are_two_units() {
        let of = |units: usize| Utf16.text(&"x".repeat(units));
        assert_eq!([0, 1, 2, 5, 6, 7, 8].map(of), [0, 0, 1, 1, 2, 2, 2]);
        let units = |text| plain::text(text, extra);
        assert_eq!([units("é"), units("日本"), units("😀"), units("a😀b")], [1, 2, 2, 4]);
    }
}
