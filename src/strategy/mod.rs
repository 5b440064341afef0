//! The stages' rules, one file a stage. Each reads a transcript, its ledger and
//! its own part of the policy, and proposes edits.

pub mod evict;
pub mod notice;
pub mod prune;
pub mod summarize;
pub mod tail;
pub mod trim;
pub mod truncate;
