//! Logs that are only read, as rows: constant data that one interpreter reads.
//!
//! - `at` and `condition`: places in a record, and what must be there;
//! - `log`: the row itself;
//! - `conversation`, `step` and `message`: records that hold conversations, and their messages;
//!   `pointers`: texts that these keep elsewhere;
//! - `lines` and `line_tree`: records that are messages of one conversation;
//! - `blocks`: blocks of Anthropic.

mod at;
mod blocks;
mod condition;
mod conversation;
mod conversation_reader;
mod line_tree;
mod lines;
mod log;
mod message;
mod message_reader;
pub(super) mod message_tree;
mod pointers;
mod step;

pub(super) use at::{At, NOWHERE, at, fill};
pub(super) use blocks::{
    Block, BlockJson, call_block, join_blocks, render_block, render_blocks, result_block,
    text_block,
};
pub(super) use condition::{
    FILLED, If, LIST, OBJECT, TEXT, TEXT_OR_LIST, all, has, hold, is, kind, none, some, starts,
    truth,
};
pub(super) use conversation::{ConversationRow, Id, Messages, Model, branch, listed};
pub(super) use lines::{Becomes, Line, LineLinks, LinesRow, ListRow};
pub(super) use log::{LogRow, Reads, conversation, event, fits, list, own_message};
pub(super) use pointers::PointerRow;
pub(super) use step::{
    Case, MessageRow, MessageWriter, SpeakerRow, Step, Who, by, call, each, image, inside, message,
    otherwise, part, result, text, thought, usage, value, when,
};
