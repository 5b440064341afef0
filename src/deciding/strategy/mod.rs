//! The stages' rules, one file a stage. Each reads a transcript, its ledger and
//! its own part of the policy, and proposes edits.

pub(crate) mod asked_summary;
pub(crate) mod bound_reasoning;
pub(crate) mod clear;
pub(crate) mod cutoff;
pub(crate) mod dedup;
pub(crate) mod evict;
pub(crate) mod kept_before;
pub(crate) mod notice;
pub(crate) mod pin;
pub(crate) mod placeholder;
pub(crate) mod prelude;
pub(crate) mod prune;
pub(crate) mod recent;
pub(crate) mod replaceable;
pub(crate) mod shorten;
pub(crate) mod shorten_json;
pub(crate) mod tail;
pub(crate) mod trim;
pub(crate) mod truncate;
