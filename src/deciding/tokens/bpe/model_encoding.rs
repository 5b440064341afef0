//! The encoding that a model uses.

use super::encoding::{CL100K_BASE, O200K_BASE, O200K_HARMONY, P50K_BASE, R50K_BASE};

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
