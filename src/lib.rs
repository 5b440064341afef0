//! Compaction of logged LLM and agent transcripts, as a library.
//!
//! ```text
//! bytes -> Record -> Transcript -> Ledger -> Plan ---------------> Outcome -> bytes
//!          format    transcript    tokens    planner      ^  apply            output
//!                                              | holes    | fillings
//!                                              +-> Summarizer
//! ```
//!
//! Everything left of [`Plan`] only reads, everything right of it only carries
//! out. `docs/ARCHITECTURE.md` shows the way of a conversation with file names.
//!
//! This interface reads logs, counts, plans and compacts conversations in memory,
//! and restores what the `epitome` program compacted:
//!
//! ```
//! let policy = epitome::CompactionPolicy::preset("deepagents")?;
//! for records in epitome::open("fixtures/demo/sessions.jsonl")? {
//!     for conversation in records?.conversations(&policy) {
//!         let conversation = conversation?;
//!         let compacted = conversation.compact()?;
//!         let (before, after) = (conversation.tokens(), compacted.tokens_after);
//!         println!("{}: {before} -> {after} tokens", conversation.thread_id());
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod apply;
pub mod archive;
pub mod batch;
pub mod cli;
pub mod commands;
pub mod compaction;
pub mod conversation;
pub mod convert;
pub mod error;
pub mod evaluation;
pub mod format;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing;
pub mod input;
mod interface;
pub mod json;
pub mod model;
pub mod output;
pub mod plan;
pub mod planner;
pub mod policy;
#[doc(hidden)]
pub mod program;
pub mod progress;
pub(crate) mod replay;
pub mod report;
pub mod requests;
mod restoration;
pub mod retention;
pub mod settings;
pub mod sha256;
pub mod strategy;
pub mod summary;
pub mod tokens;
pub mod transcript;

pub use interface::{
    CompactError, Compacted, CompactionPolicy, Conversations, EvictedResult, LoggedConversation,
    OpenError, PolicyError, ReadError, Records, RestoreFailure, Restored, open, restore,
};
pub use plan::{Edit, Eviction, Fate, Hole, Plan, Pruning, Reason, Stage, Summary, Truncation};
