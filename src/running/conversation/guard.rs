//! A panic costs the conversation that it hit, never the run.

use crate::base::error::RecordError;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A panic that was caught: a fault of this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("internal error: {during} panicked; please report it")]
pub(crate) struct Panicked {
    /// The work that panicked.
    during: &'static str,
}

impl Panicked {
    /// A panic in a format or a counter.
    pub(super) const WHILE_READING: Self = Self { during: "reading it" };

    /// Runs `work`. Returns its error, or this one.
    fn guard<T, E: From<Self>>(self, work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(self.into()))
    }
}

impl From<Panicked> for RecordError {
    fn from(panicked: Panicked) -> Self {
        Self::new(panicked.to_string())
    }
}

/// Runs `work`, a decision about a conversation or its execution. Returns the error of `work`, or
/// [`Panicked`].
pub(crate) fn catch_panic<T, E: From<Panicked>>(
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    Panicked { during: "working on it" }.guard(work)
}

/// Runs `work`, which reads a record. Returns the error of `work`, or [`Panicked`].
pub(super) fn catch_panic_while_reading<T, E: From<Panicked>>(
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    Panicked::WHILE_READING.guard(work)
}
