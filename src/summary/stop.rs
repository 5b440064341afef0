//! Why a run ends before its input does. Whoever makes calls looks here first.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// Set once by whoever finds that the run can't go on.
#[derive(Debug, Default)]
pub struct StopFlag {
    /// The number of the signal that came; 0: none. Set from a signal handler.
    signal: Arc<AtomicUsize>,
    cause: OnceLock<String>,
}

/// Why a run ends early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopCause<'s> {
    /// This signal came: the user wants it.
    Signal(usize),
    /// Every further call would fail, too.
    Failed(&'s str),
}

impl StopFlag {
    /// What a signal handler sets, to the number of its signal.
    #[must_use]
    pub fn signal(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.signal)
    }

    /// Ends the run; the first cause is the one that is told.
    pub fn set_failure(&self, cause: &str) {
        // A second cause changes nothing.
        let _ = self.cause.set(cause.to_owned());
    }

    /// Why the run ends, if it does.
    #[must_use]
    pub fn cause(&self) -> Option<StopCause<'_>> {
        match self.cause.get() {
            Some(cause) => Some(StopCause::Failed(cause)),
            None => Some(self.signal.load(Ordering::SeqCst))
                .filter(|signal| *signal > 0)
                .map(StopCause::Signal),
        }
    }
}
