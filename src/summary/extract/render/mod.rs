//! Writes the summary from the facts of a conversation, within a budget of tokens.

pub(crate) mod reference_groups;
pub(crate) mod sections;
