//! The dialects of model APIs in which the conversations of journals are written down again.

use crate::reading::format::anthropic::ANTHROPIC_CHAT;
use crate::reading::format::gemini::GEMINI_CHAT;
use crate::reading::format::langchain::LANGCHAIN_CHAT;
use crate::reading::format::openai::OPENAI_CHAT;
use crate::reading::format::prelude::*;
use crate::reading::format::responses::RESPONSES_CHAT;
use crate::reading::format::sharegpt::SHAREGPT_CHAT;

pub(super) const ANTHROPIC: DocumentDialect = DocumentDialect {
    name: "anthropic",
    list: "messages",
    read: |records| ANTHROPIC_CHAT.read_transcript(records, Shape::Conversation),
};
pub(super) const GEMINI: DocumentDialect = DocumentDialect {
    name: "gemini",
    list: "contents",
    read: |records| GEMINI_CHAT.read_transcript(records, Shape::Conversation),
};
pub(super) const LANGCHAIN: DocumentDialect = DocumentDialect {
    name: "langchain",
    list: "messages",
    read: |records| LANGCHAIN_CHAT.read_transcript(records, Shape::Conversation),
};
pub(super) const OPENAI: DocumentDialect = DocumentDialect {
    name: "openai",
    list: "messages",
    read: |records| OPENAI_CHAT.read_transcript(records, Shape::Conversation),
};
pub(super) const RESPONSES: DocumentDialect = DocumentDialect {
    name: "openai-responses",
    list: "input",
    read: |records| RESPONSES_CHAT.read_transcript(records, Shape::Conversation),
};
pub(super) const SHAREGPT: DocumentDialect = DocumentDialect {
    name: "sharegpt",
    list: "conversations",
    read: |records| SHAREGPT_CHAT.read_transcript(records, Shape::Conversation),
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
