//! OpenAI's encodings: a pattern that cuts text into pieces, and a vocabulary for the byte-pair
//! encoding of the pieces.

use super::classes::Classified;
use super::vocabulary::{Vocabulary, embedded, packed};
use super::{cache, split};
use crate::deciding::tokens::counter::CountTokens;
use std::sync::LazyLock;

pub(crate) struct Encoding {
    pub name: &'static str,
    pattern: Pattern,
    vocabulary: EmbeddedVocabulary,
    /// Index of the vocabulary's cache among the caches of a thread.
    cache: usize,
}

enum EmbeddedVocabulary {
    /// It is used as it is there.
    InPlace(&'static Vocabulary),
    /// It is decompressed when it is first used: some milliseconds, for the encodings of older models.
    Packed(&'static LazyLock<Vocabulary>),
}

use EmbeddedVocabulary::{InPlace, Packed};

impl EmbeddedVocabulary {
    #[inline]
    fn get(&self) -> &'static Vocabulary {
        match self {
            Self::InPlace(vocabulary) => vocabulary,
            Self::Packed(vocabulary) => vocabulary,
        }
    }
}

/// The pattern by which an encoding cuts text into pieces.
#[derive(Clone, Copy)]
enum Pattern {
    O200k,
    Cl100k,
    R50k,
}

pub(super) static O200K: Vocabulary = embedded!("o200k_base");
pub(super) static CL100K: LazyLock<Vocabulary> =
    LazyLock::new(|| Vocabulary::unpack(packed!("cl100k_base"), None));
pub(super) static P50K: LazyLock<Vocabulary> =
    LazyLock::new(|| Vocabulary::unpack(packed!("p50k_base"), None));
pub(super) static R50K: LazyLock<Vocabulary> =
    LazyLock::new(|| Vocabulary::unpack(packed!("r50k_base"), Some(&P50K)));

const fn encoding(
    name: &'static str,
    pattern: Pattern,
    vocabulary: EmbeddedVocabulary,
    cache: usize,
) -> Encoding {
    Encoding { name, pattern, vocabulary, cache }
}

/// The encoding of GPT-4o and later models.
pub(crate) static O200K_BASE: Encoding = encoding("o200k_base", Pattern::O200k, InPlace(&O200K), 0);
/// The encoding of gpt-oss. It differs from `o200k_base` only in special tokens, which are plain
/// text here.
pub(crate) static O200K_HARMONY: Encoding =
    encoding("o200k_harmony", Pattern::O200k, InPlace(&O200K), 0);
/// The encoding of GPT-4 and GPT-3.5.
pub(crate) static CL100K_BASE: Encoding =
    encoding("cl100k_base", Pattern::Cl100k, Packed(&CL100K), 1);
/// The encoding of text-davinci-003 and Codex.
pub(crate) static P50K_BASE: Encoding = encoding("p50k_base", Pattern::R50k, Packed(&P50K), 2);
/// The encoding of GPT-3 and GPT-2.
pub(crate) static R50K_BASE: Encoding = encoding("r50k_base", Pattern::R50k, Packed(&R50K), 3);

impl Encoding {
    /// Returns the tokens of a text. Special tokens are plain text.
    pub(crate) fn count(&self, text: &str) -> usize {
        let text = Classified::new(text);
        let vocabulary = self.vocabulary.get();
        cache::with_cache(self.cache, |cache| match self.pattern {
            Pattern::O200k => cache.count_tokens(text, split::end_o200k, vocabulary),
            Pattern::Cl100k => cache.count_tokens(text, split::end_cl100k, vocabulary),
            Pattern::R50k => cache.count_tokens(text, split::end_r50k, vocabulary),
        })
    }

    /// Returns the tokens of a text without the cache: each piece is looked up alone.
    #[cfg(feature = "benching")]
    pub(crate) fn count_uncached(&self, text: &str) -> usize {
        let split = match self.pattern {
            Pattern::O200k => split::end_o200k,
            Pattern::Cl100k => split::end_cl100k,
            Pattern::R50k => split::end_r50k,
        };
        cache::count_uncached(Classified::new(text), split, self.vocabulary.get())
    }
}

/// Returns the encoding of a model, as tiktoken-rs knows it. Models of other makers have none.
pub(crate) fn encoding_of(model: &str) -> Option<&'static str> {
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

/// A counter of tokens in one encoding.
pub(crate) struct ExactEncoding(pub &'static Encoding);

impl CountTokens for ExactEncoding {
    fn name(&self) -> &'static str {
        self.0.name
    }

    fn count_text(&self, text: &str) -> usize {
        self.0.count(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deciding::tokens::bpe::{
        CL100K_BASE, O200K_BASE, O200K_HARMONY, P50K_BASE, R50K_BASE,
    };
    use proptest::prelude::*;

    #[test]
    fn models_have_encodings() {
        let names = "openai:gpt-4o gpt-4 openai/o3-mini gpt-oss-120b claude-opus-4-5 ft:gpt-4o:me";
        let found: Vec<&str> =
            names.split(' ').map(|name| encoding_of(name).unwrap_or("-")).collect();
        assert_eq!(found.join(" "), "o200k_base cl100k_base o200k_base o200k_harmony - o200k_base");
    }

    type Reference = fn() -> &'static tiktoken_rs::CoreBPE;

    const ALL: [(&Encoding, Reference); 5] = [
        (&O200K_BASE, tiktoken_rs::o200k_base_singleton),
        (&O200K_HARMONY, tiktoken_rs::o200k_harmony_singleton),
        (&CL100K_BASE, tiktoken_rs::cl100k_base_singleton),
        (&P50K_BASE, tiktoken_rs::p50k_base_singleton),
        (&R50K_BASE, tiktoken_rs::r50k_base_singleton),
    ];

    fn assert_same_counts(text: &str) -> Result<(), TestCaseError> {
        for (encoding, theirs) in ALL {
            // The second count is from the cache.
            for _ in 0..2 {
                let wanted = theirs().encode_ordinary(text).len();
                prop_assert_eq!(encoding.count(text), wanted, "{} of {:?}", encoding.name, text);
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
            assert_same_counts(text).unwrap();
        }
    }

    #[test]
    fn long_runs_are_counted_fast_and_right() {
        for unit in [
            "a", "A", " ", "\t", "\n", "=", "中", "\u{301}", "😀", "1", "\u{a0} ", "aA", "=-*",
            "<|endoftext|>",
        ] {
            assert_same_counts(&unit.repeat(3000)).unwrap();
            // tiktoken-rs panics here.
            assert!(O200K_BASE.count(&unit.repeat(300_000)) > 0);
        }
    }

    #[test]
    fn random_text_counts_as_in_tiktoken() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut text =
            |from: &[char]| (0..1500).map(|_| from[random.usize(..from.len())]).collect::<String>();
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        let base64 =
            text(&chars("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"));
        let blanks = text(&chars(
            " \t\n\r\u{b}\u{c}\u{85}\u{a0}\u{1680}\u{2003}\u{2028}\u{202f}\u{3000}\u{200b}",
        ));
        let letters = text(&('a'..='z').collect::<Vec<_>>());
        let chinese = text(&('\u{4e00}'..='\u{9fff}').collect::<Vec<_>>());
        let any = text(&('\0'..=char::MAX).step_by(7).collect::<Vec<_>>());
        let minified = "!function(t,e){\"object\"==typeof exports?e(exports):e(t.a={})}(this,(function(t){var n=[1,2e3];for(;;)n[0]++}));".repeat(12);
        for text in [base64, blanks, letters, chinese, any, minified] {
            assert_same_counts(&text).unwrap();
        }
    }

    #[test]
    fn long_names_are_cached_right() {
        let mut random = fastrand::Rng::with_seed(5);
        let letters: String = (0..300).map(|_| random.lowercase()).collect();
        // Lengths around the limits of the caches, and more names than places.
        let mut names: Vec<String> =
            (1..=letters.len()).map(|end| letters[..end].to_owned()).collect();
        names.extend(
            (0..2000).map(|_| (0..random.usize(14..66)).map(|_| random.lowercase()).collect()),
        );
        for _ in 0..2 {
            random.shuffle(&mut names);
            for (encoding, theirs) in ALL {
                for name in &names {
                    let wanted = theirs().encode_ordinary(name).len();
                    assert_eq!(encoding.count(name), wanted, "{} of {name}", encoding.name);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_counts_as_in_tiktoken(text in any::<String>()) {
            assert_same_counts(&text)?;
        }

        #[test]
        fn special_characters_count_as_in_tiktoken(text in "[a-cA-C ǅʰ\u{301}中1½'stſrevldm/\\-\r\n\t\u{a0}\u{3000}\u{85}😀 ]{0,40}") {
            assert_same_counts(&text)?;
        }
    }
}
