//! A model behind an HTTP interface, live and in batches.

mod batch_client;
mod batch_list;
mod batch_search;
mod call_budget;
mod call_error;
mod caller;
mod client;
mod connection;
mod pacing;
mod prelude;
mod summarizer;
mod tls;

pub(crate) use batch_client::{BatchClient, DownloadError, SubmissionError};
pub(crate) use batch_list::{BatchStatus, ListedBatch, NewestBatch, is_safe_id, read_batch_id};
pub(crate) use client::is_loopback;
pub(crate) use summarizer::HttpSummarizer;
