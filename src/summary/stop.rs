//! The flag that ends a run before its input ends. It is checked before every call.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// A flag that is set when the run can't go on.
#[derive(Debug, Default)]
pub(crate) struct StopFlag {
    /// The number of the signal that arrived, or 0. Set by a signal handler.
    signal: Arc<AtomicUsize>,
    failure: OnceLock<String>,
}

/// The reason why a run ends early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopCause<'s> {
    /// The user sent the signal with this number.
    Signal(usize),
    /// Every further call would fail, for this reason.
    Failed(&'s str),
}

impl StopFlag {
    /// Returns the number that a signal handler sets to the number of its signal.
    #[must_use]
    pub(crate) fn signal(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.signal)
    }

    /// Ends the run. Only the first reason is kept.
    pub(crate) fn set_failure(&self, reason: &str) {
        let _ = self.failure.set(reason.to_owned());
    }

    /// Returns the reason why the run ends, if it does.
    #[must_use]
    pub(crate) fn cause(&self) -> Option<StopCause<'_>> {
        match self.failure.get() {
            Some(reason) => Some(StopCause::Failed(reason)),
            None => Some(self.signal.load(Ordering::SeqCst))
                .filter(|signal| *signal > 0)
                .map(StopCause::Signal),
        }
    }
}
