//! Measures how much of what came later a compaction would have kept.

pub(crate) mod contender;
pub(crate) mod gate;
mod references;
pub(crate) mod rows;
pub(crate) mod session;
