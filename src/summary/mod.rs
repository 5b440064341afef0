//! Summarizers, and what a model is asked for a summary.

pub mod cache;
pub mod command;
mod command_error;
pub mod conversation;
mod error;
pub mod extract;
pub mod http;
pub mod model;
pub mod prompt;
mod registry;
pub mod stop;
mod summarizer;
mod validation;

pub use command_error::{CommandError, CommandFailure};
pub use error::{NotAskedReason, SummaryError};
pub use prompt::SummaryPrompt;
pub use registry::{SUMMARIZERS, SummarizerEntry, build_summarizer, summarizer_by_name};
pub use summarizer::{
    KEPT_TEXT_BYTES, LONG_TEXT_END_BYTES, PendingAnswer, Summarizer, SummaryAnswer, SummaryRequest,
};
pub use validation::clean_summary;
