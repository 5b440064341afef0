//! Audits the compactions that agents made themselves: what their summaries kept of what the
//! continuation needed, and what the embedded summarizer would have kept in as many tokens.

mod measured;
pub(crate) mod page;
mod parts;
pub(crate) mod rows;

pub(crate) use measured::{AuditedCompaction, audit_compaction};
