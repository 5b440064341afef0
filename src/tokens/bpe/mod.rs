//! Exact counts of OpenAI's encodings: byte-pair encoding of the pieces that the
//! encoding's pattern cuts. tiktoken-rs is the reference for every number (the tests
//! compare); it counts nothing here, because it panics on long runs of blanks.
//!
//! What a message costs beyond its text is OpenAI's, as far as it is public (OpenAI
//! Cookbook, "How to count tokens with tiktoken"): 3 tokens for its frame, its role,
//! and a name with 1 more. A call costs its name and its arguments as they are
//! spelled; call ids are not shown to the model. An image costs 85, the price of one
//! at low detail. Tool schemas cost their JSON: how they are really shown is not public.

mod cache;
mod character;
mod classes;
mod encoding;
mod layout;
mod merge;
mod split;
mod vocabulary;

use crate::tokens::Counter;
use crate::transcript::view::{Piece, View};
use crate::transcript::{Role, text};
pub use encoding::{CL100K_BASE, Encoding, O200K_BASE, O200K_HARMONY, P50K_BASE, R50K_BASE};

/// Tokens of a message's frame.
const PER_MESSAGE: usize = 3;
/// Tokens that a name costs beyond its text.
const PER_NAME: usize = 1;
/// Tokens of an image, of audio and of files: never counted as the text that encodes them.
const PER_IMAGE: usize = 85;
/// Other blocks are counted as their JSON up to so many bytes: longer ones hold encoded data.
const MOST_BLOCK_BYTES: usize = 4096;

/// Counts one encoding.
pub struct Exact(pub &'static Encoding);

impl Counter for Exact {
    fn name(&self) -> &'static str {
        self.0.name
    }

    fn text(&self, text: &str) -> usize {
        self.0.count(text)
    }

    fn message_with(&self, view: View<'_, '_>, index: usize, pieces: &[Piece<'_>], _blocks: bool) -> usize {
        let message = view.message(index);
        let mut tokens = PER_MESSAGE + self.0.count(message.role.name());
        for piece in pieces {
            tokens += match *piece {
                Piece::Literal(literal) => self.0.count(&text::decode(literal)),
                Piece::Text(text) => self.0.count(text),
                Piece::Other(json) if json.len() <= MOST_BLOCK_BYTES => self.0.count(&String::from_utf8_lossy(json)),
                Piece::Image | Piece::Other(_) => PER_IMAGE,
            };
        }
        for (number, call) in message.calls.iter().enumerate() {
            tokens += call.name.map_or(0, |name| self.0.count(&text::decode(view.transcript.bytes(index, name))));
            tokens += self.0.count(&text::wtf8_to_str(&view.arguments(index, number)));
        }
        tokens + message.name.map_or(0, |name| PER_NAME + self.0.count(&text::decode(view.transcript.bytes(index, name))))
    }

    fn summary(&self, role: Role, text: &str) -> usize {
        PER_MESSAGE + self.0.count(role.name()) + self.0.count(text)
    }

    fn tools(&self, schemas: &[u8]) -> usize {
        self.0.count(&String::from_utf8_lossy(schemas))
    }

    fn scales_with_usage(&self) -> bool {
        false
    }
}

/// The encoding of a model, as tiktoken-rs knows it; none for models of other makers.
#[must_use]
pub fn encoding_of(model: &str) -> Option<&'static str> {
    use tiktoken_rs::tokenizer::{Tokenizer, get_tokenizer};
    let bare = || get_tokenizer(model.split_once([':', '/'])?.1);
    Some(match get_tokenizer(model).or_else(bare)? {
        Tokenizer::O200kHarmony => O200K_HARMONY.name,
        Tokenizer::O200kBase => O200K_BASE.name,
        Tokenizer::Cl100kBase => CL100K_BASE.name,
        Tokenizer::P50kBase | Tokenizer::P50kEdit => P50K_BASE.name,
        Tokenizer::R50kBase | Tokenizer::Gpt2 => R50K_BASE.name,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Reference = fn() -> &'static tiktoken_rs::CoreBPE;

    const ALL: [(&Encoding, Reference); 5] = [
        (&O200K_BASE, tiktoken_rs::o200k_base_singleton),
        (&O200K_HARMONY, tiktoken_rs::o200k_harmony_singleton),
        (&CL100K_BASE, tiktoken_rs::cl100k_base_singleton),
        (&P50K_BASE, tiktoken_rs::p50k_base_singleton),
        (&R50K_BASE, tiktoken_rs::r50k_base_singleton),
    ];

    fn same(text: &str) -> Result<(), TestCaseError> {
        for (encoding, theirs) in ALL {
            // Twice: counted, and remembered.
            for _ in 0..2 {
                prop_assert_eq!(encoding.count(text), theirs().encode_ordinary(text).len(), "{} of {:?}", encoding.name, text);
            }
        }
        Ok(())
    }

    #[test]
    fn counts_are_those_of_tiktoken() {
        for text in [
            "",
            " ",
            "  ",
            " \n",
            "\n ",
            "a\n \n  b",
            "x \t\u{a0}y",
            "don't DON'T Don'T we'LL 'ſ it'ſ 're'",
            "\u{301}ABC \u{301}abc ǅabc ʰX",
            "<|endoftext|><|im_start|>",
            "12345 1½ ٣٤",
            "http://a.b/c//d\n/e /\n//",
            "你好，世界。\u{3000}再见",
            "😀👍🏽 é e\u{301}",
            "HTMLParser parseHTML ÀÉ",
            "    if x:\r\n\r\n\t\treturn\n\n",
        ] {
            same(text).unwrap();
        }
    }

    #[test]
    fn long_runs_end_soon_and_well() {
        for unit in ["a", "A", " ", "\n", "=", "中", "\u{301}", "😀", "1", "\u{a0} ", "aA"] {
            same(&unit.repeat(3000)).unwrap();
            // Where tiktoken-rs panics.
            assert!(O200K_BASE.count(&unit.repeat(300_000)) > 0);
        }
    }

    #[test]
    fn models_have_encodings() {
        let got = ["openai:gpt-4o", "gpt-4", "openai/o3-mini", "gpt-oss-120b", "claude-opus-4-5", "ft:gpt-4o:me"].map(encoding_of);
        let want = [Some("o200k_base"), Some("cl100k_base"), Some("o200k_base"), Some("o200k_harmony"), None, Some("o200k_base")];
        assert_eq!(got, want);
    }

    proptest! {
        #[test]
        fn any_text_counts_as_tiktoken_counts_it(text in any::<String>()) {
            same(&text)?;
        }

        #[test]
        fn what_patterns_look_at_counts_as_tiktoken_counts_it(text in "[a-cA-C ǅʰ\u{301}中1½'stſrevldm/\\-\r\n\t\u{a0}\u{3000}\u{85}😀 ]{0,40}") {
            same(&text)?;
        }
    }
}
