//! The library as Rust programs use it: a few types over the modules that the
//! `epitome` program is made of.

mod conversation;
mod policy;
mod restore;
mod source;

pub use conversation::{
    CompactError, Compacted, EvictedResult, LoggedCall, LoggedConversation, LoggedMessage,
};
pub use policy::{CompactionPolicy, PolicyError};
pub use restore::{RestoreFailure, Restored, restore};
pub use source::{OpenError, ReadError, RecordChunk, RecordChunks, open};
