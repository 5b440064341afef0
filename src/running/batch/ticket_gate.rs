//! A state that workers reach one after the other, in the order of their
//! tickets: names are given out in input order, whatever is read first.

use crate::running::batch::worker_slots::WorkerSlot;
use std::sync::{Condvar, Mutex, PoisonError};

/// Guards a state `S`.
pub(super) struct TicketGate<S> {
    /// The ticket that is next. Its own lock, so that looking at it never waits for work on the
    /// state.
    next: Mutex<u64>,
    /// A condition for each worker that may wait, by ticket: only the worker whose turn it is
    /// wakes.
    turns: Vec<Condvar>,
    state: Mutex<S>,
}

impl<S> TicketGate<S> {
    pub(super) fn new(state: S, workers: usize) -> Self {
        Self {
            next: Mutex::new(0),
            turns: std::iter::repeat_with(Condvar::new).take(workers).collect(),
            state: Mutex::new(state),
        }
    }

    fn turn_of(&self, ticket: u64) -> &Condvar {
        &self.turns[(ticket % self.turns.len() as u64) as usize]
    }

    /// Works on the state when it is the ticket's turn. Waits for the turn without a worker slot.
    /// Returns `None` if the run stops meanwhile.
    pub(super) fn work_in_turn<R>(
        &self,
        ticket: u64,
        slot: &mut WorkerSlot<'_>,
        work: impl FnOnce(&mut S) -> R,
    ) -> Option<R> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        while *next != ticket {
            slot.release();
            if slot.has_stopped() {
                return None;
            }
            let turn = self.turn_of(ticket);
            next = turn.wait(next).unwrap_or_else(PoisonError::into_inner);
        }
        drop(next);
        let result = work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
        *self.next.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.turn_of(ticket + 1).notify_all();
        slot.acquire();
        Some(result)
    }

    /// Wakes all waiting workers, because the run stops.
    pub(super) fn wake_all(&self) {
        // Under the lock: no worker is between looking at the stop flag and waiting.
        drop(self.next.lock().unwrap_or_else(PoisonError::into_inner));
        self.turns.iter().for_each(Condvar::notify_all);
    }
}
