//! The library as Rust programs use it: a few types over the modules that the
//! `epitome` program is made of.

mod conversation;
mod error;
mod policy;
mod restore;
mod source;

pub use conversation::{Compacted, EvictedResult, LoggedCall, LoggedConversation, LoggedMessage};
pub use error::{CompactError, OpenError, ReadError, RestoreFailure};
pub use policy::{CompactionPolicy, PolicyError};
pub use restore::{Restored, restore};
pub use source::{RecordChunk, RecordChunks, open};
