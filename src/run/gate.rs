//! A state that workers reach one after the other, in the order of their
//! tickets: names are given out and results written in input order, whatever
//! finishes first.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// Guards `S`.
pub(super) struct Gate<S> {
    inner: Mutex<(u64, S)>,
    moved: Condvar,
}

impl<S> Gate<S> {
    pub(super) fn new(state: S) -> Self {
        Self { inner: Mutex::new((0, state)), moved: Condvar::new() }
    }

    /// Waits for the ticket's turn, then works on the state. None if the run stops meanwhile.
    pub(super) fn in_turn<R>(&self, ticket: u64, stop: &AtomicBool, work: impl FnOnce(&mut S) -> R) -> Option<R> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        while inner.0 != ticket {
            if stop.load(Ordering::SeqCst) {
                return None;
            }
            inner = self.moved.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
        let result = work(&mut inner.1);
        inner.0 += 1;
        drop(inner);
        self.moved.notify_all();
        Some(result)
    }

    /// Wakes all who wait, because the run stops.
    pub(super) fn wake(&self) {
        // Under the lock: nobody is between looking at the flag and waiting.
        drop(self.inner.lock().unwrap_or_else(PoisonError::into_inner));
        self.moved.notify_all();
    }

    pub(super) fn into_state(self) -> S {
        self.inner.into_inner().unwrap_or_else(PoisonError::into_inner).1
    }
}
