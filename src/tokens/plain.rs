//! What estimates of bare text have in common: a message costs its text and its
//! calls, and nothing for being a message. A text weighs its code points, and
//! what the estimate adds for some of them.

use crate::json::{count_literal_points, count_utf8_points, decode_literal_wtf8};
use crate::tokens::TokenCounter;
use crate::tokens::approx::PER_IMAGE;
use crate::transcript::Role;
use crate::transcript::view::{ContentPiece, TranscriptView};

/// What is added for the characters of UTF-8 text.
pub(super) type Extra = fn(&[u8]) -> u64;

/// Weight of a text.
pub(super) fn text_weight(text: &str, extra: Extra) -> u64 {
    utf8_weight(text.as_bytes(), extra)
}

/// Weight of a text in a record: its bytes were checked when that was read.
pub(super) fn utf8_weight(utf8: &[u8], extra: Extra) -> u64 {
    count_utf8_points(utf8) as u64 + extra(utf8)
}

/// Weight of the text of a literal; it is decoded only if an escape may hide a character that costs more.
fn literal_weight(literal: &[u8], extra: Extra) -> u64 {
    if memchr::memmem::find(literal, b"\\u").is_some() {
        return utf8_weight(&decode_literal_wtf8(literal), extra);
    }
    count_literal_points(literal) as u64 + extra(literal)
}

/// Such an estimate.
#[derive(Debug, Clone, Copy)]
pub struct PlainEstimate {
    pub(super) name: &'static str,
    pub(super) extra: Extra,
    /// Tokens of a weight.
    pub(super) tokens: fn(u64) -> usize,
}

impl TokenCounter for PlainEstimate {
    fn name(&self) -> &'static str {
        self.name
    }

    fn count_text(&self, said: &str) -> usize {
        (self.tokens)(text_weight(said, self.extra))
    }

    fn count_message_as(
        &self,
        view: TranscriptView<'_, '_>,
        index: usize,
        pieces: &[ContentPiece<'_>],
        _: bool,
    ) -> usize {
        let (mut weight, mut images) = (0, 0);
        for piece in pieces {
            match *piece {
                ContentPiece::Literal(span) => weight += literal_weight(span, self.extra),
                ContentPiece::Text(new) => weight += text_weight(new, self.extra),
                ContentPiece::Image => images += PER_IMAGE,
                ContentPiece::Other(json) => weight += utf8_weight(json, self.extra),
            }
        }
        for (number, call) in view.message(index).calls.iter().enumerate() {
            weight += call.name.map_or(0, |name| {
                literal_weight(view.transcript.bytes(index, name), self.extra)
            });
            weight += utf8_weight(&view.call_arguments(index, number), self.extra);
        }
        (self.tokens)(weight) + images
    }

    fn count_summary(&self, _: Role, text: &str) -> usize {
        self.count_text(text)
    }

    fn count_tools(&self, schemas: &[u8]) -> usize {
        (self.tokens)(utf8_weight(schemas, self.extra))
    }

    fn scales_with_usage(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::encode_literal;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_literal_weighs_what_its_text_weighs(said in "[a\\\\\"\n\u{1}é中鿿ꀀ\u{4dff}\u{4e00}😀]{0,12}", escaped in any::<bool>()) {
            let spelled = if escaped { said.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect() } else { String::new() };
            let spelled = if escaped { format!("\"{spelled}\"").into_bytes() } else { encode_literal(&said) };
            for extra in [crate::tokens::utf16::extra as Extra, crate::tokens::cjk::extra] {
                prop_assert_eq!(literal_weight(&spelled, extra), text_weight(&said, extra));
            }
            let units: u64 = said.chars().map(|c| c.len_utf16() as u64).sum();
            prop_assert_eq!(text_weight(&said, crate::tokens::utf16::extra), units);
            let quarters: u64 = said.chars().map(|c| if ('\u{4e00}'..='\u{9fff}').contains(&c) { 6 } else { 1 }).sum();
            prop_assert_eq!(text_weight(&said, crate::tokens::cjk::extra), quarters);
        }
    }
}
