//! Results in input order, whatever finishes first. No worker waits to hand in a
//! result: one that comes before its turn is left to the worker that is busy with
//! those before it.

use anyhow::Result;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Takes items by ticket, and works them into `S` in the order of their tickets.
pub(super) struct OrderedDelivery<T, S> {
    queue: Mutex<DeliveryQueue<T>>,
    state: Mutex<S>,
}

struct DeliveryQueue<T> {
    next: u64,
    waiting: BTreeMap<u64, T>,
    /// A worker is busy with the items whose turn it is, or an error ended that for good.
    is_busy: bool,
}

impl<T, S> OrderedDelivery<T, S> {
    pub(super) fn new(state: S) -> Self {
        let queue = DeliveryQueue {
            next: 0,
            waiting: BTreeMap::new(),
            is_busy: false,
        };
        Self {
            queue: Mutex::new(queue),
            state: Mutex::new(state),
        }
    }

    fn lock_queue(&self) -> MutexGuard<'_, DeliveryQueue<T>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands in the item of a ticket, then works on all items whose turn it is, unless another
    /// worker is busy with them.
    ///
    /// # Errors
    /// Returns the first error of `work`; no item is worked on after it.
    pub(super) fn hand_in(
        &self,
        ticket: u64,
        item: T,
        mut work: impl FnMut(&mut S, T) -> Result<()>,
    ) -> Result<()> {
        let mut queue = self.lock_queue();
        queue.waiting.insert(ticket, item);
        if queue.is_busy {
            return Ok(());
        }
        queue.is_busy = true;
        loop {
            let next = queue.next;
            let Some(item) = queue.waiting.remove(&next) else {
                queue.is_busy = false;
                return Ok(());
            };
            drop(queue);
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            work(&mut state, item)?;
            drop(state);
            queue = self.lock_queue();
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
        let delivery = OrderedDelivery::new(Vec::new());
        for &ticket in tickets {
            let gathering = delivery.hand_in(ticket, ticket, |all, item| {
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
    fn an_early_item_does_not_wait() {
        let delivery = OrderedDelivery::new(Vec::new());
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
                delivery.hand_in(0, 0, work).unwrap();
            });
            has_begun.recv().unwrap();
            // The first item is in work until these are handed in.
            for ticket in [1, 2] {
                delivery
                    .hand_in(ticket, ticket, |_, _| panic!("left to the busy worker"))
                    .unwrap();
            }
            go_on.send(()).unwrap();
        });
        assert_eq!(delivery.into_state(), [0, 1, 2]);
    }
}
