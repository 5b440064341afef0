//! The tokens of a tokenizer.json, as Hugging Face's `tokenizers` counts them: with the cargo feature `tokenizers`,
//! because that library doubles what has to be built.

use crate::tokens::TokenCounter;
#[cfg(feature = "tokenizers")]
use crate::tokens::chat::ChatCounter;

/// What stands before the path in the name of such a counter.
pub const PREFIX: &str = "file:";

/// The counter of that name, from the bytes of its file.
///
/// # Errors
/// What is wrong with the file; or that this program was built without the library.
#[cfg(feature = "tokenizers")]
pub fn build(name: &'static str, bytes: &[u8]) -> Result<Box<dyn TokenCounter>, String> {
    loaded::TokenizerJson::new(name, bytes)
        .map(|counter| Box::new(ChatCounter(counter)) as Box<dyn TokenCounter>)
}

/// The counter of that name, from the bytes of its file.
///
/// # Errors
/// That this program was built without the library.
#[cfg(not(feature = "tokenizers"))]
pub fn build(_: &'static str, _: &[u8]) -> Result<Box<dyn TokenCounter>, String> {
    Err("this epitome was built without tokenizers; build it with them: cargo install --locked --features tokenizers --path .".to_owned())
}

#[cfg(feature = "tokenizers")]
mod loaded {
    use crate::tokens::chat::CountTokens;
    use tokenizers::Tokenizer;

    /// Counts with one tokenizer.
    pub(super) struct TokenizerJson {
        name: &'static str,
        tokenizer: Tokenizer,
    }

    impl TokenizerJson {
        pub(super) fn new(name: &'static str, bytes: &[u8]) -> Result<Self, String> {
            let mut tokenizer = Tokenizer::from_bytes(bytes)
                .map_err(|error| format!("not a tokenizer.json: {error}"))?;
            // A count is of all the text, and of nothing else; in a log, special tokens are text.
            tokenizer
                .with_truncation(None)
                .map_err(|error| error.to_string())?;
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
            // The run catches it: a text that can't be counted costs its record.
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
        let counter = build(
            "file:small",
            include_bytes!("../../fixtures/tokenizer/tokenizer.json"),
        )
        .unwrap();
        let counts: Vec<serde_json::Value> =
            serde_json::from_slice(include_bytes!("../../fixtures/tokenizer/counts.json")).unwrap();
        assert!(counts.len() > 9);
        for count in counts {
            let text = count["text"].as_str().unwrap();
            assert_eq!(counter.text(text), count["tokens"], "{text:?}");
        }
    }
}
