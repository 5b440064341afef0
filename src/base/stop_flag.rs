//! A flag that ends a run early: after a signal such as Ctrl-C, or when no further model call can
//! succeed. Workers check it before they claim a unit, and before each model call.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use thiserror::Error;

/// A flag that tells all threads of a run to stop, and why.
#[derive(Debug, Default)]
pub(crate) struct StopFlag {
    /// The number of the signal that arrived, or 0 as long as none did. A signal handler writes it.
    signal: Arc<AtomicUsize>,
    failure: OnceLock<String>,
    /// The number of model calls in flight.
    calls: AtomicUsize,
}

/// A model call in flight. Its answer will be kept, so that a run which stops waits for it.
#[derive(Debug)]
pub(crate) struct CallInFlight<'s>(&'s StopFlag);

impl Drop for CallInFlight<'_> {
    fn drop(&mut self) {
        self.0.calls.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The reason why a run stops early. Files that are not whole by then fail with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum StopCause<'s> {
    /// The user sent the signal with this number.
    #[error("the run was interrupted")]
    Signal(usize),
    /// Every further call would fail, for this reason.
    #[error("{0}")]
    Failed(&'s str),
}

impl StopFlag {
    /// Returns the variable that a signal handler sets to the number of the signal that arrived.
    pub(crate) fn signal_variable(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.signal)
    }

    /// Stops the run for this reason, unless it was stopped for another already.
    pub(crate) fn set_failure(&self, reason: &str) {
        let _ = self.failure.set(reason.to_owned());
    }

    /// Notes a model call as in flight, as long as the returned value lives.
    pub(crate) fn begin_call(&self) -> CallInFlight<'_> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        CallInFlight(self)
    }

    /// Returns true if model calls are in flight.
    pub(crate) fn has_calls(&self) -> bool {
        self.calls.load(Ordering::SeqCst) > 0
    }

    /// Returns the reason to stop, or `None` as long as the run may go on.
    pub(crate) fn cause(&self) -> Option<StopCause<'_>> {
        match self.failure.get() {
            Some(reason) => Some(StopCause::Failed(reason)),
            None => Some(self.signal.load(Ordering::SeqCst))
                .filter(|signal| *signal > 0)
                .map(StopCause::Signal),
        }
    }
}
