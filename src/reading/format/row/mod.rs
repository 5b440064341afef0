//! Logs that are only read, as rows: constant data that one interpreter reads.
//!
//! - `at` and `condition`: places in a record, and what must be there;
//! - `evidence`: how a record is told, and `log`: the row itself;
//! - `conversation`, `step` and `message`: records that hold conversations, and their messages;
//!   `pointers`: texts that these keep elsewhere;
//! - `lines` and `line_tree`: records that are messages of one conversation;
//! - `blocks`: blocks of Anthropic; `agents`: the agents that share a log.

mod agents;
pub(super) mod at;
mod blocks;
pub(super) mod condition;
mod conversation;
mod conversation_reader;
pub(super) mod evidence;
mod line_tree;
mod lines;
mod log;
mod message;
pub(super) mod message_tree;
mod pointers;
pub(super) mod prelude;
mod step;
