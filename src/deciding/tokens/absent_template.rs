//! Chat templates of a program that was built without tokenizers: there are none.

use crate::deciding::tokens::chat_template::ChatTemplateSource;
use crate::deciding::tokens::tokenizer_json::NOT_BUILT;
use anyhow::Result;

/// A chat template with its tokenizer. Without the library there is none.
pub(crate) enum AbsentTemplate {}

impl AbsentTemplate {
    /// Reads a template and its tokenizer. It always fails: the program was built without the library.
    pub(crate) fn new(source: ChatTemplateSource<'_>) -> Result<Self> {
        drop(source);
        anyhow::bail!(NOT_BUILT)
    }

    /// Returns the tokens of a chat. It never fails: there is no template.
    pub(crate) fn count(&self, _: &[u8], _: Option<&[u8]>) -> Result<usize> {
        match *self {}
    }
}
