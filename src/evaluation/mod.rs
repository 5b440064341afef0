//! Measures what a compaction would have kept of what came later.

pub mod rows;
pub mod session;
