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

mod apply;
mod archive;
mod audit;
mod batch;
#[cfg(feature = "benching")]
#[doc(hidden)]
pub mod benching;
mod cli;
mod commands;
mod compaction;
mod conversation;
mod convert;
mod dataset;
mod error;
mod evaluation;
mod foreign_text;
mod format;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing;
mod input;
mod interface;
mod json;
mod model;
mod output;
mod plan;
mod planner;
mod policy;
#[doc(hidden)]
pub mod program;
mod progress;
mod replay;
mod report;
mod requests;
mod restoration;
mod retention;
mod secrets;
mod settings;
mod sha256;
mod stop_flag;
mod strategy;
mod stream;
mod summary;
mod tokens;
mod transcript;

pub use interface::{
    CompactError, Compacted, CompactionPolicy, EvictedResult, LoggedCall, LoggedConversation,
    LoggedMessage, OpenError, PolicyError, ReadError, RecordChunk, RecordChunks, RestoreFailure,
    Restored, open, restore,
};
pub use plan::{
    ClearedInputs, Edit, Eviction, Fate, Hole, Plan, PruneCause, Pruning, Reason, SkipCause, Stage,
    Summary, Truncation,
};
pub use transcript::dropped_blocks::DroppedBlocks;
pub use transcript::summary_frame::SummaryFrame;
