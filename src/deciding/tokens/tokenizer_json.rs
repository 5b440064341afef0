//! Counts by a `tokenizer.json`, as Hugging Face's `tokenizers` counts. They need the cargo feature
//! `tokenizers`, because that library doubles the build.

#[cfg(feature = "tokenizers")]
use crate::deciding::tokens::counter::ChatCounter;
use crate::deciding::tokens::counter::TokenCounter;
use anyhow::Result;

/// The prefix of a counter's name that is the path of a `tokenizer.json`.
pub(crate) const PREFIX: &str = "file:";

/// Builds the counter with this name from the bytes of its file. Fails if the file is not a
/// `tokenizer.json`.
#[cfg(feature = "tokenizers")]
pub(crate) fn build(name: &'static str, bytes: &[u8]) -> Result<Box<dyn TokenCounter>> {
    loaded::TokenizerJson::new(name, bytes)
        .map(|counter| Box::new(ChatCounter(counter)) as Box<dyn TokenCounter>)
}

/// The remedy of a program that was built without the library.
#[cfg(not(feature = "tokenizers"))]
pub(super) const NOT_BUILT: &str = "this epitome was built without tokenizers; the wheel and the archives of a release have them, as does: cargo install --locked --features full --path .";

/// Builds the counter with this name from the bytes of its file. It always fails: the program was built
/// without the library.
#[cfg(not(feature = "tokenizers"))]
pub(crate) fn build(_: &'static str, _: &[u8]) -> Result<Box<dyn TokenCounter>> {
    anyhow::bail!(NOT_BUILT)
}

#[cfg(feature = "tokenizers")]
mod loaded {
    use crate::deciding::tokens::counter::CountTokens;
    use anyhow::{Result, anyhow};
    use tokenizers::Tokenizer;

    /// A counter with one tokenizer.
    pub(super) struct TokenizerJson {
        name: &'static str,
        tokenizer: Tokenizer,
    }

    impl TokenizerJson {
        pub(super) fn new(name: &'static str, bytes: &[u8]) -> Result<Self> {
            let mut tokenizer = Tokenizer::from_bytes(bytes)
                .map_err(|error| anyhow!("not a tokenizer.json: {error}"))?;
            // A count covers all text and nothing else. In a log, special tokens are text.
            tokenizer.with_truncation(None).map_err(|error| anyhow!(error))?;
            tokenizer.with_padding(None);
            tokenizer.set_encode_special_tokens(true);
            Ok(Self { name, tokenizer })
        }
    }

    impl CountTokens for TokenizerJson {
        fn name(&self) -> &'static str {
            self.name
        }

        fn count_text(&self, text: &str) -> usize {
            // The run catches the panic: a text that can't be counted costs its record.
            self.tokenizer
                .encode_fast(text, false)
                .unwrap_or_else(|error| panic!("{}: {error}", self.name))
                .len()
        }
    }
}

#[cfg(all(test, feature = "tokenizers"))]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_the_python_package() {
        let counter =
            build("file:small", include_bytes!("../../../fixtures/tokenizer/tokenizer.json"))
                .unwrap();
        let counts: Vec<serde_json::Value> =
            serde_json::from_slice(include_bytes!("../../../fixtures/tokenizer/counts.json"))
                .unwrap();
        assert!(counts.len() > 9);
        for count in counts {
            let text = count["text"].as_str().unwrap();
            assert_eq!(counter.count_text(text), count["tokens"], "{text:?}");
        }
    }
}
