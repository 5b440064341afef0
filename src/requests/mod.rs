//! Summaries through batch files.

pub mod manifest;
pub mod results;
