//! What a chat template is made of.

use std::collections::BTreeMap;
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
