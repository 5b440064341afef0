//! Who may work, and how far ahead of the writer. Where units wait for others,
//! as for a model's answer, there are more threads than jobs: one that waits gives
//! its slot to another.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Threads for each unit that waits for others: what is answered first waits for what is written first.
const THREADS_A_WAIT: usize = 4;
/// Bytes of input a job that may be in work where that is more than one unit a job. A unit counts as so many at most: short
/// ones may be in work behind a long one.
const AHEAD_BYTES: usize = 4 << 20;
/// Units a job in work, however small they are: what becomes of one may be far more than its bytes.
const UNITS_A_JOB: usize = 2;

struct State {
    free: usize,
    units: usize,
    bytes: usize,
}

/// Slots to work in, and what is in work.
pub(super) struct Slots {
    jobs: usize,
    /// Units that may be waiting for others, beyond those in work.
    waiting: usize,
    stop: AtomicBool,
    state: Mutex<State>,
    freed: Condvar,
    room: Condvar,
}

/// A worker's slot, given up while it waits.
pub struct Turn<'s> {
    slots: &'s Slots,
    working: bool,
}

impl Slots {
    pub(super) fn new(jobs: usize, waiting: usize) -> Self {
        let state = Mutex::new(State {
            free: jobs,
            units: 0,
            bytes: 0,
        });
        Self {
            jobs,
            waiting,
            stop: AtomicBool::new(false),
            state,
            freed: Condvar::new(),
            room: Condvar::new(),
        }
    }

    /// Threads that make use of the slots.
    pub(super) fn threads(&self) -> usize {
        self.jobs + self.waiting * THREADS_A_WAIT
    }

    /// Units in work, or waiting to be written, however small they are.
    pub(super) fn most_units(&self) -> usize {
        self.jobs * UNITS_A_JOB + self.waiting * THREADS_A_WAIT
    }

    /// Waits for a slot.
    pub(super) fn turn(&self) -> Turn<'_> {
        let mut turn = Turn {
            slots: self,
            working: false,
        };
        turn.work();
        turn
    }

    /// Waits until another unit may be read: one a job always, more while they are small. False if the run stops.
    pub(super) fn wait_for_room(&self) -> bool {
        let is_room = |state: &State| {
            let has_small =
                state.units < self.most_units() && state.bytes < self.jobs * AHEAD_BYTES;
            state.units < self.jobs + self.waiting || has_small
        };
        drop(self.wait(&self.room, |state| self.stopped() || is_room(state)));
        !self.stopped()
    }

    /// A unit of so many bytes was read.
    pub(super) fn begun(&self, bytes: usize) {
        let mut state = self.lock();
        state.units += 1;
        state.bytes += bytes.min(AHEAD_BYTES);
    }

    /// It is written.
    pub(super) fn ended(&self, bytes: usize) {
        let mut state = self.lock();
        state.units -= 1;
        state.bytes -= bytes.min(AHEAD_BYTES);
        drop(state);
        self.room.notify_all();
    }

    /// Ends all waiting, because the run stops.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
        // Under the lock: nobody is between looking at the flag and waiting.
        drop(self.lock());
        self.room.notify_all();
    }

    pub(super) fn stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, moved: &Condvar, until: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        while !until(&state) {
            state = moved.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state
    }
}

impl Turn<'_> {
    /// Waits for something that others do; meanwhile another unit may work.
    pub fn aside<R>(&mut self, wait: impl FnOnce() -> R) -> R {
        self.rest();
        let result = wait();
        self.work();
        result
    }

    /// Waits for a slot, if it has none.
    pub(super) fn work(&mut self) {
        if !self.working {
            self.slots
                .wait(&self.slots.freed, |state| state.free > 0)
                .free -= 1;
            self.working = true;
        }
    }

    /// Gives its slot to another.
    pub(super) fn rest(&mut self) {
        if std::mem::take(&mut self.working) {
            self.slots.lock().free += 1;
            self.slots.freed.notify_one();
        }
    }

    /// Whether the run stops.
    pub(super) fn stopped(&self) -> bool {
        self.slots.stopped()
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.rest();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn no_more_than_the_jobs_work_at_once() {
        let slots = Slots::new(2, 0);
        let (working, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..slots.threads() {
                scope.spawn(|| {
                    for _ in 0..20 {
                        let _turn = slots.turn();
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
    fn who_waits_for_others_holds_no_slot() {
        let slots = Slots::new(1, 3);
        assert_eq!(slots.threads(), 1 + 3 * THREADS_A_WAIT);
        slots.begun(AHEAD_BYTES * 2);
        assert!(
            slots.wait_for_room(),
            "room for one that works while the first waits"
        );
        let mut first = slots.turn();
        // With the slot held this would never end.
        first.aside(|| {
            std::thread::scope(|scope| scope.spawn(|| drop(slots.turn())).join().unwrap())
        });
    }

    /// Whether there is room only when a unit of so many bytes has ended.
    fn waits_for(slots: &Slots, bytes: usize) -> bool {
        let waiting = AtomicBool::new(true);
        let mut waited = false;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                assert!(slots.wait_for_room());
                waiting.store(false, Ordering::SeqCst);
            });
            std::thread::sleep(std::time::Duration::from_millis(20));
            waited = waiting.load(Ordering::SeqCst);
            slots.ended(bytes);
        });
        waited && !waiting.into_inner()
    }

    #[test]
    fn large_units_are_read_one_a_job() {
        let slots = Slots::new(2, 0);
        slots.begun(AHEAD_BYTES * 2);
        for short in [AHEAD_BYTES / 2, AHEAD_BYTES / 4] {
            assert!(slots.wait_for_room(), "short ones may follow");
            slots.begun(short);
            slots.ended(short);
        }
        slots.begun(AHEAD_BYTES * 3);
        assert!(waits_for(&slots, AHEAD_BYTES * 2));
        slots.stop();
        assert!(!slots.wait_for_room());
    }

    #[test]
    fn small_units_are_not_read_without_end() {
        for (slots, most) in [(Slots::new(2, 0), 4), (Slots::new(1, 3), 14)] {
            for _ in 0..most {
                assert!(slots.wait_for_room());
                slots.begun(0);
            }
            assert!(waits_for(&slots, 0));
        }
    }
}
