//! A model behind an HTTP interface, live and in batches.

mod batch_client;
mod batch_list;
mod batch_search;
mod batch_status;
mod call_budget;
mod call_error;
mod call_threads;
mod caller;
mod causes;
mod client;
mod connection;
mod pacing;
mod pause;
mod response;
mod setup_error;
mod summarizer;
mod tls;

pub(crate) use batch_client::{BatchClient, DownloadError, SubmissionError};
pub(crate) use batch_list::{ListedBatch, NewestBatch};
pub(crate) use batch_status::BatchStatus;
pub(crate) use client::is_loopback;
pub(crate) use summarizer::HttpSummarizer;
