//! Summaries through batch files: what an export directory holds, and results as
//! a summarizer.

pub mod manifest;
pub mod results;
pub mod shards;
