//! Collects the facts of a conversation that a summary is written from.

pub(crate) mod collector;
pub(crate) mod earlier_summary;
pub(crate) mod error_log;
pub(crate) mod final_state;
pub(crate) mod inline_commands;
pub(crate) mod references;
pub(crate) mod shell_files;
pub(crate) mod tool_effects;
pub(crate) mod touched_files;
pub(crate) mod user_messages;
pub(crate) mod weights;
