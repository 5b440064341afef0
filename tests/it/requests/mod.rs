//! Summaries through batch files.

mod batches;
mod export;
mod results;
mod support;

pub(crate) use support::{KEY, export, requests, result, talks};
