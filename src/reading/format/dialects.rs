//! The dialects of model APIs in which the conversations of journals are written down again.

use crate::reading::format::anthropic::AnthropicFormat;
use crate::reading::format::gemini::GeminiFormat;
use crate::reading::format::langchain::LangChainFormat;
use crate::reading::format::openai::OpenAiFormat;
use crate::reading::format::prelude::*;
use crate::reading::format::responses::ResponsesFormat;
use crate::reading::format::sharegpt::ShareGptTurns;
use crate::reading::format::turn_list_format::TurnListFormat;

pub(super) const ANTHROPIC: DocumentDialect = DocumentDialect {
    name: "anthropic",
    read: |records| AnthropicFormat.read_transcript(records, Shape::Conversation),
};
pub(super) const GEMINI: DocumentDialect = DocumentDialect {
    name: "gemini",
    read: |records| GeminiFormat.read_transcript(records, Shape::Conversation),
};
pub(super) const LANGCHAIN: DocumentDialect = DocumentDialect {
    name: "langchain",
    read: |records| LangChainFormat.read_transcript(records, Shape::Conversation),
};
pub(super) const OPENAI: DocumentDialect = DocumentDialect {
    name: "openai",
    read: |records| OpenAiFormat.read_transcript(records, Shape::Conversation),
};
pub(super) const RESPONSES: DocumentDialect = DocumentDialect {
    name: "openai-responses",
    read: |records| ResponsesFormat.read_transcript(records, Shape::Conversation),
};
pub(super) const SHAREGPT: DocumentDialect = DocumentDialect {
    name: "sharegpt",
    read: |records| TurnListFormat(ShareGptTurns).read_transcript(records, Shape::Conversation),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::format::format_by_name;

    #[test]
    fn every_dialect_is_named_as_its_format() {
        for dialect in [ANTHROPIC, GEMINI, LANGCHAIN, OPENAI, RESPONSES, SHAREGPT] {
            assert!(format_by_name(dialect.name).is_some(), "{}", dialect.name);
        }
    }
}
