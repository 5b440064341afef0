//! The outcome of failed submissions: whether a batch may have been made shows in the variant.

use crate::summary::http::call_error::CallError;
use thiserror::Error;

/// The reason why a submission has no batch.
#[derive(Debug, Clone, PartialEq, Error)]
pub(crate) enum SubmissionError {
    /// The server made no batch.
    #[error(transparent)]
    Refused(#[from] CallError),
    /// The server may have made a batch: its answer did not arrive, or has no id.
    #[error("{0}")]
    Unclear(CallError),
}
