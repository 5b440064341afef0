//! The stages' rules, one file a stage. Each reads a transcript, its ledger and
//! its own part of the policy, and proposes edits.

pub(crate) mod clear;
pub(crate) mod cutoff;
pub(crate) mod evict;
pub(crate) mod notice;
pub(crate) mod prune;
pub(crate) mod tail;
pub(crate) mod trim;
pub(crate) mod truncate;
