//! Puts results into input order, whichever is ready first. No worker waits: it
//! leaves a result whose turn has not come in a queue, and goes on with its next
//! unit. The worker that brings the result whose turn it is also processes all that
//! directly follow it in the queue.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A queue of items that are processed in the order of their tickets: 0, 1, 2 and so on. `S` is the
/// state that processing an item changes.
pub(super) struct OrderedDelivery<T, S> {
    queue: Mutex<DeliveryQueue<T>>,
    state: Mutex<S>,
}

struct DeliveryQueue<T> {
    /// The ticket whose turn it is.
    next: u64,
    /// Items that are not processed yet, by their tickets.
    waiting: BTreeMap<u64, T>,
    status: DeliveryStatus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DeliveryStatus {
    /// No worker processes items: the item whose turn it is has not come yet.
    Idle,
    /// A worker processes items. It goes on until the next item is missing.
    Delivering,
    /// An item could not be processed. No other item will be.
    Failed,
}

impl<T, S> OrderedDelivery<T, S> {
    pub(super) fn new(state: S) -> Self {
        let queue =
            DeliveryQueue { next: 0, waiting: BTreeMap::new(), status: DeliveryStatus::Idle };
        Self { queue: Mutex::new(queue), state: Mutex::new(state) }
    }

    fn lock_queue(&self) -> MutexGuard<'_, DeliveryQueue<T>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues the item of a ticket. Then calls `process` for every item whose turn has come, unless
    /// another worker does so already. Returns the error of `process`. After it no item is
    /// processed.
    pub(super) fn deliver<E>(
        &self,
        ticket: u64,
        item: T,
        mut process: impl FnMut(&mut S, T) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut queue = self.lock_queue();
        queue.waiting.insert(ticket, item);
        if queue.status != DeliveryStatus::Idle {
            return Ok(());
        }
        queue.status = DeliveryStatus::Delivering;
        loop {
            let next = queue.next;
            let Some(item) = queue.waiting.remove(&next) else {
                queue.status = DeliveryStatus::Idle;
                return Ok(());
            };
            drop(queue);
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let processed = process(&mut state, item);
            drop(state);
            queue = self.lock_queue();
            if processed.is_err() {
                queue.status = DeliveryStatus::Failed;
                return processed;
            }
            queue.next += 1;
        }
    }

    pub(super) fn into_state(self) -> S {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;
    use std::sync::mpsc;

    fn delivered_items(tickets: &[u64]) -> Vec<u64> {
        let delivery = OrderedDelivery::new(Vec::new());
        for &ticket in tickets {
            let delivered = delivery.deliver(ticket, ticket, |all, item| {
                all.push(item);
                if item == 7 { Err("seven") } else { Ok(()) }
            });
            assert_eq!(
                delivered.is_err(),
                ticket <= 7 && delivery.state.lock().unwrap().last() == Some(&7),
                "{ticket}"
            );
        }
        delivery.into_state()
    }

    #[test]
    fn items_are_processed_in_order_and_none_before_its_turn() {
        assert_eq!(delivered_items(&[2, 1, 4, 0, 3, 6]), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn nothing_follows_an_error() {
        assert_eq!(delivered_items(&[6, 5, 4, 3, 2, 1, 0, 7, 8, 9]), [0, 1, 2, 3, 4, 5, 6, 7]);
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
                        begun.send(()).unwrap();
                        may_go_on.recv()?;
                    }
                    all.push(item);
                    Ok::<(), mpsc::RecvError>(())
                };
                delivery.deliver(0, 0, work).unwrap();
            });
            has_begun.recv().unwrap();
            // The first item is being processed until these are delivered.
            for ticket in [1, 2] {
                delivery
                    .deliver(ticket, ticket, |_, _| -> Result<(), Infallible> {
                        panic!("left to the busy worker")
                    })
                    .unwrap();
            }
            go_on.send(()).unwrap();
        });
        assert_eq!(delivery.into_state(), [0, 1, 2]);
    }
}
