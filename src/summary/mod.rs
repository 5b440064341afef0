//! Summarizers, and what a model is asked for a summary.

pub(crate) mod answer_cache;
pub(crate) mod command;
pub(crate) mod conversation;
mod error;
pub(crate) mod extract;
pub(crate) mod http;
mod labelled;
pub(crate) mod model;
mod registry;
pub(crate) mod summarizer;

pub(crate) use error::SummaryError;
pub(crate) use registry::{
    SUMMARIZERS, build_summarizer, summarizer_by_name, summarizer_entry, summarizer_name,
};
pub(crate) use summarizer::{
    KEPT_TEXT_BYTES, LONG_TEXT_END_BYTES, PendingAnswer, Summarizer, SummaryAnswer, SummaryRequest,
    clean_summary,
};
