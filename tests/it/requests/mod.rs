//! Summaries through batch files.

mod batches;
mod export;
#[cfg(unix)]
mod kills;
#[cfg(unix)]
mod provider;
mod results;
mod support;

pub(crate) use batches::openai;
pub(crate) use support::{KEY, export, requests, result, talks};
