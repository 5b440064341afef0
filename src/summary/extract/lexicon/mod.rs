//! The word lists of the summarizer.

pub(crate) mod argument_names;
pub(crate) mod assistant_words;
pub(crate) mod code_words;
pub(crate) mod document_words;
pub(crate) mod finding_words;
pub(crate) mod identifier_words;
pub(crate) mod message_marks;
pub(crate) mod outcome_words;
pub(crate) mod plan_words;
pub(crate) mod request_words;
pub(crate) mod sentence_words;
pub(crate) mod shell_words;
pub(crate) mod tool_words;
pub(crate) mod wish_words;
