//! Measures how much of what came later a compaction would have kept.

pub mod contender;
pub mod gate;
mod references;
pub mod rows;
pub mod session;
