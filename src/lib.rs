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
//! for chunk in epitome::open("fixtures/demo/sessions.jsonl")? {
//!     for conversation in chunk?.conversations(&policy) {
//!         let conversation = conversation?;
//!         let compacted = conversation.compact()?;
//!         let (before, after) = (conversation.tokens(), compacted.tokens_after);
//!         println!("{}: {before} -> {after} tokens", conversation.thread_id());
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod base;
#[cfg(feature = "benching")]
#[doc(hidden)]
pub mod benching;
mod commands;
mod convert;
mod dataset;
mod deciding;
mod files;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing;
mod interface;
mod measuring;
#[doc(hidden)]
pub mod program;
mod reading;
mod reporting;
mod running;
mod settings;
mod summary;

pub use deciding::plan::{
    ClearedInputs, Edit, Eviction, Fate, Hole, Plan, PruneCause, Pruning, Reason, SkipCause, Stage,
    Summary, Truncation,
};
pub use interface::{
    CompactError, Compacted, CompactionPolicy, EvictedResult, LoggedCall, LoggedConversation,
    LoggedMessage, OpenError, PolicyError, ReadError, RecordChunk, RecordChunks, RestoreFailure,
    Restored, open, restore,
};
pub use reading::transcript::dropped_blocks::DroppedBlocks;
pub use reading::transcript::summary_frame::SummaryFrame;
