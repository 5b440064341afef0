//! The document that all stages share: one conversation, with the byte span of
//! everything that can be counted, cut or replaced. It knows no format; a
//! `Format` fills it in, and renders edits back into bytes.

mod callers;
mod document;
pub mod exchange;
pub mod journal;
mod message;
pub mod message_time;
pub mod overlay;
pub mod rewrite_arguments;
mod role;
pub mod splice;
pub mod summary_frame;
pub mod view;

pub use document::{Noticed, Record, Transcript};
pub use message::{BlockKind, Content, Message, MessageBlock, ToolCall, Usage, are_all_text};
pub use role::Role;
