//! Collects the facts of a conversation that a summary is written from.

pub(crate) mod argument_keys;
pub(crate) mod argument_values;
pub(crate) mod collector;
pub(crate) mod conversation_facts;
pub(crate) mod earlier_summary;
pub(crate) mod error_lines;
pub(crate) mod error_log;
pub(crate) mod file_actions;
pub(crate) mod final_state;
pub(crate) mod inline_commands;
pub(crate) mod patch_files;
pub(crate) mod pending_calls;
pub(crate) mod places;
pub(crate) mod ranking;
pub(crate) mod references;
pub(crate) mod shell_files;
pub(crate) mod todos;
pub(crate) mod tool_uses;
pub(crate) mod touched_files;
pub(crate) mod user_messages;
pub(crate) mod weights;
