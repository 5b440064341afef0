//! What a chat template is made of, and why it has no token count for a chat.

use std::collections::BTreeMap;
use thiserror::Error;
use time::OffsetDateTime;

/// The files that describe how a model's chats become tokens.
#[cfg_attr(
    not(feature = "tokenizers"),
    expect(dead_code, reason = "nothing reads templates without tokenizers")
)]
pub(crate) struct ChatTemplateSource<'f> {
    /// The `tokenizer.json`.
    pub(crate) tokenizer: &'f [u8],
    pub(crate) template: &'f str,
    /// The texts of special tokens by their names, such as `bos_token`.
    pub(crate) special_tokens: BTreeMap<String, String>,
    /// The time that templates see.
    pub(crate) now: OffsetDateTime,
}

/// A reason why a chat has no token count.
#[derive(Debug, Error)]
pub(crate) enum ChatTemplateError {
    /// The program was built without the library.
    #[cfg(not(feature = "tokenizers"))]
    #[error(
        "this epitome was built without tokenizers; the wheel and the archives of a release have them, as does: cargo install --locked --features full --path ."
    )]
    NotBuilt,
    /// The tokenizer can't be read.
    #[cfg(feature = "tokenizers")]
    #[error("not a tokenizer.json: {0}")]
    Tokenizer(tokenizers::Error),
    /// The template can't be read, or refuses the chat.
    #[cfg(feature = "tokenizers")]
    #[error("the chat template: {0}")]
    Template(#[from] minijinja::Error),
}
