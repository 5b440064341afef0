//! The reasons why a run ends without a result.

use crate::files::output::WriteError;
use std::io;
use thiserror::Error;

/// A failure of a run as a whole. `Display` gives the outermost message only; the causes follow
/// through `source`.
#[derive(Debug, Error)]
pub(crate) enum RunError {
    /// The threads can't be started. Nothing is written.
    #[error("can't start threads")]
    StartThreads(#[source] rayon::ThreadPoolBuildError),
    /// Results, reports or archives can't be written.
    #[error("the run broke off")]
    BrokeOff(#[source] WriteError),
    /// The last text for stdout can't be written.
    #[error("the run broke off")]
    FinishStdout(#[source] io::Error),
    /// A fault of this program outside the work on a conversation.
    #[error("the run broke off: internal error: a worker panicked")]
    WorkerPanicked,
}

impl RunError {
    /// Returns true if something is in the way of a file, and the disk is sound.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(self, Self::BrokeOff(error) if error.is_refusal())
    }

    /// Returns true if something may be written already.
    pub(crate) fn may_have_written(&self) -> bool {
        !matches!(self, Self::StartThreads(_))
    }
}
