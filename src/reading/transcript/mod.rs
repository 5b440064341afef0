//! The document that all stages share: one conversation, with the byte span of
//! everything that can be counted, cut or replaced. It knows no format; a
//! `Format` fills it in, and renders edits back into bytes.

mod callers;
mod document;
pub(crate) mod dropped_blocks;
pub(crate) mod envelopes;
pub(crate) mod exchange;
pub(crate) mod journal;
mod message;
pub(crate) mod message_time;
pub(crate) mod overlay;
pub(crate) mod prelude;
pub(crate) mod repeated;
pub(crate) mod rewrite_arguments;
mod role;
pub(crate) mod summary_frame;
pub(crate) mod view;

pub(crate) use crate::reading::json::splice;
pub(crate) use document::{Noticed, Record, Transcript, UnreadMessage};
pub(crate) use message::{
    BlockKind, Content, Message, MessageBlock, ToolCall, Usage, are_all_text,
};
pub(crate) use role::Role;
