//! Summaries through batch files: what an export directory holds, and results as
//! a summarizer.

pub(crate) mod manifest;
pub(crate) mod results;
pub(crate) mod shards;
pub(crate) mod submitter;
