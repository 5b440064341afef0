//! The slots that workers need to work, and how far they may be ahead of the
//! writer. Where units wait for others, as for a model's answer, there are more
//! threads than jobs: a waiting worker gives its slot to another.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Threads for each unit that waits for others: a unit that is answered early waits until those
/// before it are written.
const THREADS_PER_WAIT: usize = 4;
/// Bytes of input per job that may be in work where they are more than a unit per job. A unit
/// counts as at most this many bytes: short units may be in work behind a long one.
const AHEAD_BYTES: usize = 4 << 20;
/// Units per job in work, however small they are: the result of a unit may be far longer than its
/// input.
const UNITS_PER_JOB: usize = 2;

struct SlotState {
    free: usize,
    units: usize,
    bytes: usize,
}

/// Slots to work in, and the amount of input that is in work.
pub(super) struct WorkerSlots {
    jobs: usize,
    /// Units that may be waiting for others, beyond those in work.
    waiting: usize,
    stop: AtomicBool,
    state: Mutex<SlotState>,
    freed: Condvar,
    room: Condvar,
}

/// A worker's slot, released while the worker waits.
pub(crate) struct WorkerSlot<'s> {
    slots: &'s WorkerSlots,
    is_held: bool,
}

impl WorkerSlots {
    pub(super) fn new(jobs: usize, waiting: usize) -> Self {
        let state = SlotState { free: jobs, units: 0, bytes: 0 };
        Self {
            jobs,
            waiting,
            stop: AtomicBool::new(false),
            state: Mutex::new(state),
            freed: Condvar::new(),
            room: Condvar::new(),
        }
    }

    /// Returns the number of threads that make use of the slots.
    pub(super) fn threads(&self) -> usize {
        self.jobs + self.waiting * THREADS_PER_WAIT
    }

    /// Returns the most units that are in work or wait to be written, however small they are.
    pub(super) fn max_units(&self) -> usize {
        self.jobs * UNITS_PER_JOB + self.waiting * THREADS_PER_WAIT
    }

    /// Waits for a slot.
    pub(super) fn acquire(&self) -> WorkerSlot<'_> {
        let mut slot = WorkerSlot { slots: self, is_held: false };
        slot.acquire();
        slot
    }

    /// Waits until another unit may be read. Returns false if the run stops.
    pub(super) fn wait_for_room(&self) -> bool {
        drop(self.wait_until(&self.room, |state| self.has_stopped() || self.has_room(state)));
        !self.has_stopped()
    }

    /// Returns true if another unit may be read: a unit per job always, more while they are small.
    fn has_room(&self, state: &SlotState) -> bool {
        let are_small = state.units < self.max_units() && state.bytes < self.jobs * AHEAD_BYTES;
        state.units < self.jobs + self.waiting || are_small
    }

    /// Notes that a unit of `bytes` was read.
    pub(super) fn begin_unit(&self, bytes: usize) {
        let mut state = self.lock();
        state.units += 1;
        state.bytes += bytes.min(AHEAD_BYTES);
    }

    /// Notes that a unit of `bytes` is written.
    pub(super) fn end_unit(&self, bytes: usize) {
        let mut state = self.lock();
        state.units -= 1;
        state.bytes -= bytes.min(AHEAD_BYTES);
        drop(state);
        self.room.notify_all();
    }

    /// Ends all waiting, because the run stops.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
        // Under the lock: no worker is between looking at the flag and waiting.
        drop(self.lock());
        self.room.notify_all();
    }

    pub(super) fn has_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    fn lock(&self) -> MutexGuard<'_, SlotState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_until(
        &self,
        condition: &Condvar,
        is_met: impl Fn(&SlotState) -> bool,
    ) -> MutexGuard<'_, SlotState> {
        let mut state = self.lock();
        while !is_met(&state) {
            state = condition.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state
    }
}

impl WorkerSlot<'_> {
    /// Waits for something that others do; meanwhile another unit may work.
    pub(crate) fn wait_without<R>(&mut self, wait: impl FnOnce() -> R) -> R {
        self.release();
        let result = wait();
        self.acquire();
        result
    }

    /// Waits for the slot, unless it is held.
    pub(super) fn acquire(&mut self) {
        if !self.is_held {
            let has_free_slot = |state: &SlotState| state.free > 0;
            let mut state = self.slots.wait_until(&self.slots.freed, has_free_slot);
            state.free -= 1;
            self.is_held = true;
        }
    }

    /// Gives the slot to another worker.
    pub(super) fn release(&mut self) {
        if std::mem::take(&mut self.is_held) {
            self.slots.lock().free += 1;
            self.slots.freed.notify_one();
        }
    }

    /// Returns true if the run stops.
    pub(super) fn has_stopped(&self) -> bool {
        self.slots.has_stopped()
    }
}

impl Drop for WorkerSlot<'_> {
    fn drop(&mut self) {
        self.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn no_more_than_the_jobs_work_at_once() {
        let slots = WorkerSlots::new(2, 0);
        let (working, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..slots.threads() {
                scope.spawn(|| {
                    for _ in 0..20 {
                        let _slot = slots.acquire();
                        most.fetch_max(
                            working.fetch_add(1, Ordering::SeqCst) + 1,
                            Ordering::SeqCst,
                        );
                        std::thread::yield_now();
                        working.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert!((1..=2).contains(&most.into_inner()));
    }

    #[test]
    fn a_waiting_worker_holds_no_slot() {
        let slots = WorkerSlots::new(1, 3);
        assert_eq!(slots.threads(), 1 + 3 * THREADS_PER_WAIT);
        slots.begin_unit(AHEAD_BYTES * 2);
        assert!(slots.wait_for_room(), "room for a unit that works while the first waits");
        let mut first = slots.acquire();
        // With the slot held this would never end.
        first.wait_without(|| {
            std::thread::scope(|scope| scope.spawn(|| drop(slots.acquire())).join().unwrap())
        });
    }

    /// Returns true if there is room only when a unit of `bytes` has ended.
    fn waits_until_end(slots: &WorkerSlots, bytes: usize) -> bool {
        let waiting = AtomicBool::new(true);
        let mut waited = false;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                assert!(slots.wait_for_room());
                waiting.store(false, Ordering::SeqCst);
            });
            std::thread::sleep(std::time::Duration::from_millis(20));
            waited = waiting.load(Ordering::SeqCst);
            slots.end_unit(bytes);
        });
        waited && !waiting.into_inner()
    }

    #[test]
    fn large_units_are_read_a_unit_per_job() {
        let slots = WorkerSlots::new(2, 0);
        slots.begin_unit(AHEAD_BYTES * 2);
        for short in [AHEAD_BYTES / 2, AHEAD_BYTES / 4] {
            assert!(slots.wait_for_room(), "short units may follow");
            slots.begin_unit(short);
            slots.end_unit(short);
        }
        slots.begin_unit(AHEAD_BYTES * 3);
        assert!(waits_until_end(&slots, AHEAD_BYTES * 2));
        slots.stop();
        assert!(!slots.wait_for_room());
    }

    #[test]
    fn small_units_are_not_read_without_end() {
        for (slots, most) in [(WorkerSlots::new(2, 0), 4), (WorkerSlots::new(1, 3), 14)] {
            for _ in 0..most {
                assert!(slots.wait_for_room());
                slots.begin_unit(0);
            }
            assert!(waits_until_end(&slots, 0));
        }
    }
}
