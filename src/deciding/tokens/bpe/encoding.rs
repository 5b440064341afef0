//! OpenAI's encodings: a pattern that cuts text into pieces, and a vocabulary for the byte-pair
//! encoding of the pieces.

use super::classes::Classified;
use super::vocabulary::{Vocabulary, embedded, packed};
use super::{cache, split};
use std::sync::LazyLock;

/// An encoding.
pub(crate) struct Encoding {
    /// The encoding's name.
    pub name: &'static str,
    pattern: Pattern,
    vocabulary: EmbeddedVocabulary,
    /// Index of the vocabulary's cache among the caches of a thread.
    cache: usize,
}

/// A vocabulary in the program.
enum EmbeddedVocabulary {
    /// It is used as it is there.
    InPlace(&'static Vocabulary),
    /// It is decompressed when it is first used: some milliseconds, for the encodings of older models.
    Packed(&'static LazyLock<Vocabulary>),
}

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

/// The encoding of GPT-4o and later models.
pub(crate) static O200K_BASE: Encoding = Encoding {
    name: "o200k_base",
    pattern: Pattern::O200k,
    vocabulary: EmbeddedVocabulary::InPlace(&O200K),
    cache: 0,
};
/// The encoding of gpt-oss. It differs from `o200k_base` only in special tokens, which are plain
/// text here.
pub(crate) static O200K_HARMONY: Encoding = Encoding {
    name: "o200k_harmony",
    pattern: Pattern::O200k,
    vocabulary: EmbeddedVocabulary::InPlace(&O200K),
    cache: 0,
};
/// The encoding of GPT-4 and GPT-3.5.
pub(crate) static CL100K_BASE: Encoding = Encoding {
    name: "cl100k_base",
    pattern: Pattern::Cl100k,
    vocabulary: EmbeddedVocabulary::Packed(&CL100K),
    cache: 1,
};
/// The encoding of text-davinci-003 and Codex.
pub(crate) static P50K_BASE: Encoding = Encoding {
    name: "p50k_base",
    pattern: Pattern::R50k,
    vocabulary: EmbeddedVocabulary::Packed(&P50K),
    cache: 2,
};
/// The encoding of GPT-3 and GPT-2.
pub(crate) static R50K_BASE: Encoding = Encoding {
    name: "r50k_base",
    pattern: Pattern::R50k,
    vocabulary: EmbeddedVocabulary::Packed(&R50K),
    cache: 3,
};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_have_encodings() {
        let got = [
            "openai:gpt-4o",
            "gpt-4",
            "openai/o3-mini",
            "gpt-oss-120b",
            "claude-opus-4-5",
            "ft:gpt-4o:me",
        ]
        .map(encoding_of);
        let want = [
            Some("o200k_base"),
            Some("cl100k_base"),
            Some("o200k_base"),
            Some("o200k_harmony"),
            None,
            Some("o200k_base"),
        ];
        assert_eq!(got, want);
    }
}
