//! The errors that leave out the calls of a thread.

use crate::base::error::describe_with_causes;
use crate::files::output::WriteError;
use std::io;
use thiserror::Error;

/// The reason why the calls of a thread can't be handed on.
#[derive(Debug, Error)]
pub(crate) enum ReplayError {
    /// The messages removed from the context can't be archived.
    #[error("{}", describe_with_causes(.0))]
    Archive(#[from] WriteError),
    /// The training samples can't be spooled to disk.
    #[error("can't put samples aside: {0}")]
    Spool(#[from] io::Error),
}

impl ReplayError {
    /// Returns the error if it ends the run: the next thread would meet it as well.
    pub(crate) fn into_fault(self) -> Option<WriteError> {
        match self {
            Self::Archive(error) => Some(error).filter(|error| !error.is_refusal()),
            Self::Spool(error) => Some(error.into()),
        }
    }
}
