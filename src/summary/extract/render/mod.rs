//! Writes the summary from the facts of a conversation, within a budget of tokens.

pub(crate) mod reference_groups;
pub(crate) mod request_lines;
pub(crate) mod section_bodies;
pub(crate) mod sections;
pub(crate) mod token_budget;
pub(crate) mod tool_line;
