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

/// JavaScript's `string.length`.
fn units(text: &str) -> u64 {
    // A character takes two code units if it takes four bytes.
    text.bytes().fold(0, |units, byte| units + u64::from(byte & 0xC0 != 0x80) + u64::from(byte >= 0xF0))
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
        tokens(units(text))
    }

    fn message_with(&self, view: View<'_, '_>, index: usize, pieces: &[Piece<'_>], _: bool) -> usize {
        plain::message(view, index, pieces, units, tokens)
    }

    fn summary(&self, _: Role, text: &str) -> usize {
        self.text(text)
    }

    fn tools(&self, schemas: &[u8]) -> usize {
        self.text(&plain::utf8(schemas))
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
        assert_eq!([units("é"), units("日本"), units("😀"), units("a😀b")], [1, 2, 2, 4]);
    }
}
