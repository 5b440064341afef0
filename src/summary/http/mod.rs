//! A model behind an HTTP interface, live and in batches.

mod batch_client;
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

pub use batch_client::{BatchClient, OpenUpload};
pub use batch_status::BatchStatus;
pub use call_error::CallError;
pub use setup_error::HttpSetupError;
pub use summarizer::HttpSummarizer;
