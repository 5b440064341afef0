//! OpenAI's encodings: a pattern that cuts text into pieces, and a vocabulary for the byte-pair encoding of each.

use super::classes::Classified;
use super::vocabulary::{Vocabulary, embedded};
use super::{cache, split};

/// One encoding.
pub struct Encoding {
    /// Its name.
    pub name: &'static str,
    pattern: Pattern,
    vocabulary: &'static Vocabulary,
    /// The place of its vocabulary among the caches of a thread.
    cache: usize,
}

/// How an encoding cuts text into pieces.
#[derive(Clone, Copy)]
enum Pattern {
    O200k,
    Cl100k,
    R50k,
}

pub(super) static O200K: Vocabulary = embedded!("o200k_base");
pub(super) static CL100K: Vocabulary = embedded!("cl100k_base");
pub(super) static P50K: Vocabulary = embedded!("p50k_base");
pub(super) static R50K: Vocabulary = embedded!("r50k_base");

/// Of GPT-4o and later.
pub static O200K_BASE: Encoding = Encoding {
    name: "o200k_base",
    pattern: Pattern::O200k,
    vocabulary: &O200K,
    cache: 0,
};
/// As `o200k_base`, but for special tokens, which are plain text here.
pub static O200K_HARMONY: Encoding = Encoding {
    name: "o200k_harmony",
    pattern: Pattern::O200k,
    vocabulary: &O200K,
    cache: 0,
};
/// Of GPT-4 and GPT-3.5.
pub static CL100K_BASE: Encoding = Encoding {
    name: "cl100k_base",
    pattern: Pattern::Cl100k,
    vocabulary: &CL100K,
    cache: 1,
};
/// Of text-davinci-003 and Codex.
pub static P50K_BASE: Encoding = Encoding {
    name: "p50k_base",
    pattern: Pattern::R50k,
    vocabulary: &P50K,
    cache: 2,
};
/// Of GPT-3 and GPT-2.
pub static R50K_BASE: Encoding = Encoding {
    name: "r50k_base",
    pattern: Pattern::R50k,
    vocabulary: &R50K,
    cache: 3,
};

impl Encoding {
    /// Tokens of a text; that of special tokens is plain.
    #[must_use]
    pub fn count(&self, text: &str) -> usize {
        let text = Classified::new(text);
        cache::with(self.cache, |cache| match self.pattern {
            Pattern::O200k => cache.count(text, split::o200k, self.vocabulary),
            Pattern::Cl100k => cache.count(text, split::cl100k, self.vocabulary),
            Pattern::R50k => cache.count(text, split::r50k, self.vocabulary),
        })
    }
}
