//! Results in input order, whatever finishes first. Nobody waits to hand one
//! in: who comes before its turn leaves the result to the one that is at work
//! on those before it.

use anyhow::Result;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Takes items by ticket, to be worked into `S` one after the other.
pub(super) struct Delivery<T, S> {
    queue: Mutex<Queue<T>>,
    state: Mutex<S>,
}

struct Queue<T> {
    next: u64,
    waiting: BTreeMap<u64, T>,
    /// Somebody works on the items whose turn it is, or an error ended that for good.
    is_taken: bool,
}

impl<T, S> Delivery<T, S> {
    pub(super) fn new(state: S) -> Self {
        Self {
            queue: Mutex::new(Queue {
                next: 0,
                waiting: BTreeMap::new(),
                is_taken: false,
            }),
            state: Mutex::new(state),
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue<T>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands in the item of a ticket, and works on all whose turn it is, unless another does so already.
    ///
    /// # Errors
    /// The first of `work`; no item is worked on after it.
    pub(super) fn give(
        &self,
        ticket: u64,
        item: T,
        mut work: impl FnMut(&mut S, T) -> Result<()>,
    ) -> Result<()> {
        let mut queue = self.queue();
        queue.waiting.insert(ticket, item);
        if queue.is_taken {
            return Ok(());
        }
        queue.is_taken = true;
        loop {
            let next = queue.next;
            let Some(item) = queue.waiting.remove(&next) else {
                queue.is_taken = false;
                return Ok(());
            };
            drop(queue);
            work(
                &mut self.state.lock().unwrap_or_else(PoisonError::into_inner),
                item,
            )?;
            queue = self.queue();
            queue.next += 1;
        }
    }

    pub(super) fn into_state(self) -> S {
        self.state
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    fn gathered(tickets: &[u64]) -> Vec<u64> {
        let delivery = Delivery::new(Vec::new());
        for &ticket in tickets {
            let gathering = delivery.give(ticket, ticket, |all, item| {
                all.push(item);
                if item == 7 {
                    anyhow::bail!("seven")
                } else {
                    Ok(())
                }
            });
            assert_eq!(
                gathering.is_err(),
                ticket <= 7 && delivery.state.lock().unwrap().last() == Some(&7),
                "{ticket}"
            );
        }
        delivery.into_state()
    }

    #[test]
    fn items_are_worked_on_in_order_and_none_before_its_turn() {
        assert_eq!(gathered(&[2, 1, 4, 0, 3, 6]), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn nothing_follows_an_error() {
        assert_eq!(
            gathered(&[6, 5, 4, 3, 2, 1, 0, 7, 8, 9]),
            [0, 1, 2, 3, 4, 5, 6, 7]
        );
    }

    #[test]
    fn who_comes_early_does_not_wait() {
        let delivery = Delivery::new(Vec::new());
        let (begun, has_begun) = mpsc::channel();
        let (go_on, may_go_on) = mpsc::channel();
        std::thread::scope(|scope| {
            let delivery = &delivery;
            scope.spawn(move || {
                let work = |all: &mut Vec<u64>, item| {
                    if item == 0 {
                        begun.send(())?;
                        may_go_on.recv()?;
                    }
                    all.push(item);
                    Ok(())
                };
                delivery.give(0, 0, work).unwrap();
            });
            has_begun.recv().unwrap();
            // The first one is in work until these are in.
            for ticket in [1, 2] {
                delivery
                    .give(ticket, ticket, |_, _| panic!("left to the one at work"))
                    .unwrap();
            }
            go_on.send(()).unwrap();
        });
        assert_eq!(delivery.into_state(), [0, 1, 2]);
    }
}
