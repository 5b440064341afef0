//! The stages. Each looks at a transcript, its ledger and its own part of the
//! policy, and proposes edits. One file a stage.

pub mod evict;
pub mod notice;
pub mod prune;
pub mod summarize;
pub mod tail;
pub mod trim;
pub mod truncate;
