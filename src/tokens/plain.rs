//! What estimates of bare text have in common: a message costs its text and its
//! calls, and nothing for being a message. A text weighs its code points, and
//! what the estimate adds for some of them.

use crate::json::text;
use crate::tokens::Counter;
use crate::tokens::approx::PER_IMAGE;
use crate::transcript::Role;
use crate::transcript::view::{Piece, View};

/// What is added for the characters of UTF-8 text.
pub(super) type Extra = fn(&[u8]) -> u64;

/// Weight of a text.
pub(super) fn text(text: &str, extra: Extra) -> u64 {
    bytes(text.as_bytes(), extra)
}

/// Weight of a text in a record: its bytes were checked when that was read.
pub(super) fn bytes(utf8: &[u8], extra: Extra) -> u64 {
    text::chars_in(utf8) as u64 + extra(utf8)
}

/// Weight of the text of a literal; it is decoded only if an escape may hide a character that costs more.
fn literal(literal: &[u8], extra: Extra) -> u64 {
    if memchr::memmem::find(literal, b"\\u").is_some() {
        return bytes(&text::decode_wtf8(literal), extra);
    }
    text::count(literal) as u64 + extra(literal)
}

/// Such an estimate.
#[derive(Debug, Clone, Copy)]
pub struct Plain {
    pub(super) name: &'static str,
    pub(super) extra: Extra,
    /// Tokens of a weight.
    pub(super) tokens: fn(u64) -> usize,
}

impl Counter for Plain {
    fn name(&self) -> &'static str {
        self.name
    }

    fn text(&self, said: &str) -> usize {
        (self.tokens)(text(said, self.extra))
    }

    fn message_with(
        &self,
        view: View<'_, '_>,
        index: usize,
        pieces: &[Piece<'_>],
        _: bool,
    ) -> usize {
        let (mut weight, mut images) = (0, 0);
        for piece in pieces {
            match *piece {
                Piece::Literal(span) => weight += literal(span, self.extra),
                Piece::Text(new) => weight += text(new, self.extra),
                Piece::Image => images += PER_IMAGE,
                Piece::Other(json) => weight += bytes(json, self.extra),
            }
        }
        for (number, call) in view.message(index).calls.iter().enumerate() {
            weight += call.name.map_or(0, |name| {
                literal(view.transcript.bytes(index, name), self.extra)
            });
            weight += bytes(&view.arguments(index, number), self.extra);
        }
        (self.tokens)(weight) + images
    }

    fn summary(&self, _: Role, text: &str) -> usize {
        self.text(text)
    }

    fn tools(&self, schemas: &[u8]) -> usize {
        (self.tokens)(bytes(schemas, self.extra))
    }

    fn scales_with_usage(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_literal_weighs_what_its_text_weighs(said in "[a\\\\\"\n\u{1}é中鿿ꀀ\u{4dff}\u{4e00}😀]{0,12}", escaped in any::<bool>()) {
            let spelled = if escaped { said.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect() } else { String::new() };
            let spelled = if escaped { format!("\"{spelled}\"").into_bytes() } else { text::literal(&said) };
            for extra in [crate::tokens::utf16::extra as Extra, crate::tokens::cjk::extra] {
                prop_assert_eq!(literal(&spelled, extra), text(&said, extra));
            }
            let units: u64 = said.chars().map(|c| c.len_utf16() as u64).sum();
            prop_assert_eq!(text(&said, crate::tokens::utf16::extra), units);
            let quarters: u64 = said.chars().map(|c| if ('\u{4e00}'..='\u{9fff}').contains(&c) { 6 } else { 1 }).sum();
            prop_assert_eq!(text(&said, crate::tokens::cjk::extra), quarters);
        }
    }
}
