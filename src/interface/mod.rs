//! The library as Rust programs use it: a few types over the modules that the
//! `epitome` program is made of.

mod conversation;
mod error;
mod policy;
mod restore;
mod source;

pub use conversation::{Compacted, Conversation, EvictedResult};
pub use error::{CompactError, OpenError, ReadError, RestoreError};
pub use policy::{Policy, PolicyError};
pub use restore::{Restored, restore};
pub use source::{Conversations, Records, open};
