//! A state that workers reach one after the other, in the order of their
//! tickets: names are given out in input order, whatever is read first.

use super::slots::Turn;
use std::sync::{Condvar, Mutex, PoisonError};

/// Guards `S`.
pub(super) struct Gate<S> {
    /// The ticket that is next. Its own lock, so that looking at it never waits for work on the state.
    next: Mutex<u64>,
    /// One for each worker that may wait, by ticket: only the one whose turn it is wakes.
    moved: Vec<Condvar>,
    state: Mutex<S>,
}

impl<S> Gate<S> {
    /// For so many workers.
    pub(super) fn new(state: S, workers: usize) -> Self {
        Self {
            next: Mutex::new(0),
            moved: std::iter::repeat_with(Condvar::new).take(workers).collect(),
            state: Mutex::new(state),
        }
    }

    fn moved(&self, ticket: u64) -> &Condvar {
        &self.moved[(ticket % self.moved.len() as u64) as usize]
    }

    /// Works on the state when it is the ticket's turn; waits for that without a slot.
    /// None if the run stops meanwhile.
    pub(super) fn in_turn<R>(
        &self,
        ticket: u64,
        turn: &mut Turn<'_>,
        work: impl FnOnce(&mut S) -> R,
    ) -> Option<R> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        while *next != ticket {
            turn.rest();
            if turn.stopped() {
                return None;
            }
            next = self
                .moved(ticket)
                .wait(next)
                .unwrap_or_else(PoisonError::into_inner);
        }
        drop(next);
        let result = work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
        *self.next.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.moved(ticket + 1).notify_all();
        turn.work();
        Some(result)
    }

    /// Wakes all who wait, because the run stops.
    pub(super) fn wake(&self) {
        // Under the lock: nobody is between looking at the flag and waiting.
        drop(self.next.lock().unwrap_or_else(PoisonError::into_inner));
        self.moved.iter().for_each(Condvar::notify_all);
    }
}
