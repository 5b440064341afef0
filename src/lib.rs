//! Compaction of logged LLM and agent transcripts, as a library.
//!
//! ```text
//! bytes -> Record -> Transcript -> Ledger -> Plan ---------------> Outcome -> bytes
//!          format    transcript    tokens    planner      ^  apply            output
//!                                              | holes    | fillings
//!                                              +-> Summarizer
//! ```
//!
//! Everything left of [`plan::Plan`] only reads, everything right of it only
//! carries out. See the README for what the program does.

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
pub mod retention;
pub mod settings;
pub mod sha256;
pub mod strategy;
pub mod summary;
pub mod tokens;
pub mod transcript;
