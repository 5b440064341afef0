//! The worker threads of a batch. Each claims the next unit, reads it, claims the
//! names of its files in input order, works on it, and delivers its result, which
//! is received in input order. Memory holds only the units in work: a unit per
//! job, or more of them while they are small.

use crate::files::archive::names::{NameRegistry, NameRule};
use crate::files::input::{BufferPool, InputClaim, InputError, InputSource, InputUnit};
use crate::files::output::WriteError;
use crate::running::batch::ordered_delivery::OrderedDelivery;
use crate::running::batch::unit_work::{ReceiveInOrder, UnitWork};
use crate::running::batch::worker_slots::{WorkerSlot, WorkerSlots};
use crate::running::batch::{error::RunError, ticket_gate::TicketGate};
use crate::running::conversation::claim_content_names;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The result of a claim, which its worker delivers.
enum ClaimResult<T> {
    Finished { unit: InputUnit, result: T },
    Failed { index: usize, name: String, error: InputError },
}

/// The source of units, and the ticket of the next.
struct TicketedSource {
    next: u64,
    source: InputSource,
}

/// A claimed unit or file, with its ticket and the slot to work in.
struct ClaimedTicket<'s> {
    ticket: u64,
    claim: InputClaim,
    slot: WorkerSlot<'s>,
}

struct BatchState<'s, W: UnitWork, R> {
    work: &'s W,
    slots: WorkerSlots,
    source: Mutex<TicketedSource>,
    names: TicketGate<NameRegistry>,
    receiver: OrderedDelivery<ClaimResult<W::Output>, R>,
    first_error: Mutex<Option<RunError>>,
    bytes_read: Arc<AtomicU64>,
    buffers: BufferPool,
}

/// Runs `work` over `source` on `jobs` threads. Returns the receiver. Fails if the threads can't be
/// started, the receiver can't write, or a worker panics.
pub(crate) fn run_batch<W: UnitWork, R: ReceiveInOrder<W::Output>>(
    source: InputSource,
    jobs: usize,
    work: &W,
    receiver: R,
) -> Result<R, RunError> {
    let slots = WorkerSlots::new(jobs, work.units_waiting());
    let workers = slots.threads();
    let state = BatchState {
        work,
        slots,
        bytes_read: Arc::clone(&source.bytes_read),
        buffers: source.spares.clone(),
        source: Mutex::new(TicketedSource { next: 0, source }),
        names: TicketGate::new(NameRegistry::default(), workers),
        receiver: OrderedDelivery::new(receiver),
        first_error: Mutex::new(None),
    };
    let pool = start_threads(workers)?;
    pool.broadcast(|_| state.run_worker());
    let first_error = state.first_error.into_inner();
    match first_error.unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(state.receiver.into_state()),
    }
}

/// Starts `wanted` threads, or as many as memory and the limits of the system allow.
fn start_threads(wanted: usize) -> Result<ThreadPool, RunError> {
    let start = |threads| ThreadPoolBuilder::new().num_threads(threads).build();
    let fewer = (1..wanted).rev();
    start(wanted)
        .or_else(|error| fewer.map(start).find_map(Result::ok).ok_or(error))
        .map_err(RunError::StartThreads)
}

impl<W: UnitWork, R: ReceiveInOrder<W::Output>> BatchState<'_, W, R> {
    fn run_worker(&self) {
        let outcome = catch_unwind(AssertUnwindSafe(|| self.work_on_units()));
        let outcome = outcome.unwrap_or(Err(RunError::WorkerPanicked));
        if let Err(error) = outcome {
            self.give_up(error);
        }
    }

    fn work_on_units(&self) -> Result<(), RunError> {
        while let Some(claimed) = self.claim() {
            let ticket = claimed.ticket;
            let Some(claim_result) = self.finish_claim(claimed) else {
                return Ok(());
            };
            let delivered = self
                .receiver
                .deliver(ticket, claim_result, |receiver, item| self.receive(receiver, item));
            delivered.map_err(RunError::BrokeOff)?;
        }
        Ok(())
    }

    /// Works on a claimed unit. Returns `None` if the run stops meanwhile.
    fn finish_claim(&self, claimed: ClaimedTicket<'_>) -> Option<ClaimResult<W::Output>> {
        let ClaimedTicket { ticket, claim, mut slot } = claimed;
        match claim {
            InputClaim::Failed { index, name, error } => {
                if self.work.name_rule() == Some(NameRule::Order) {
                    self.names.work_in_turn(ticket, &mut slot, |_| ())?;
                }
                Some(ClaimResult::Failed { index, name, error })
            }
            InputClaim::Unit(unit) => {
                let mut records = self.work.read_records(&unit);
                match self.work.name_rule() {
                    Some(NameRule::Order) => {
                        self.names.work_in_turn(ticket, &mut slot, |names| {
                            for record in &mut records {
                                record.claim_names(names);
                            }
                        })?;
                    }
                    Some(NameRule::Content) => claim_content_names(&mut records),
                    None => {}
                }
                let result = self.work.finish_unit(&unit, records, &mut slot);
                Some(ClaimResult::Finished { unit, result })
            }
        }
    }

    fn receive(
        &self,
        receiver: &mut R,
        claim_result: ClaimResult<W::Output>,
    ) -> Result<(), WriteError> {
        match claim_result {
            ClaimResult::Failed { index, name, error } => {
                receiver.file_failed(index, &name, &error)
            }
            ClaimResult::Finished { unit, result } => {
                receiver.set_bytes_read(self.bytes_read.load(Ordering::Relaxed));
                receiver.receive(&unit, result)?;
                self.slots.end_unit(unit.bytes.len());
                self.buffers.release(unit.bytes);
                Ok(())
            }
        }
    }

    fn claim(&self) -> Option<ClaimedTicket<'_>> {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.slots.wait_for_room() || self.work.has_stopped() {
            return None;
        }
        // The slot comes last: a worker that waits for room holds none that another could use.
        let slot = self.slots.acquire();
        let claim = source.source.claim_next()?;
        if let InputClaim::Unit(unit) = &claim {
            self.slots.begin_unit(unit.bytes.len());
        }
        let ticket = source.next;
        source.next += 1;
        Some(ClaimedTicket { ticket, claim, slot })
    }

    /// Ends the run. The first error is the one that is reported.
    fn give_up(&self, error: RunError) {
        let first_error = self.first_error.lock();
        first_error.unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.slots.stop();
        self.names.wake_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::input::{NamedInputs, PathRules, ReadOptions, collect_inputs};
    use crate::reading::format;
    use crate::running::batch::run_log::RunLog;
    use crate::running::conversation::UnitRecord;
    use proptest::prelude::*;
    use std::io::{self, Write};
    use std::time::Duration;

    /// Takes as long over each unit as it is told, and waits for others in some.
    struct SlowWork {
        steps: Vec<[u8; 3]>,
        waits: usize,
        stops_at: Option<usize>,
        begun: AtomicU64,
        received: Arc<AtomicU64>,
        /// Most units that were in work, or waited to be received.
        most: AtomicU64,
    }

    fn pause(step: u8) {
        std::thread::sleep(Duration::from_micros(u64::from(step) * 10));
    }

    impl UnitWork for SlowWork {
        type Output = u64;

        fn read_records<'u>(&self, unit: &'u InputUnit) -> Vec<UnitRecord<'u>> {
            let begun = self.begun.fetch_add(1, Ordering::SeqCst) + 1;
            // Looked at last: so it is never more than there were.
            let received = self.received.load(Ordering::SeqCst);
            self.most.fetch_max(begun.saturating_sub(received), Ordering::SeqCst);
            pause(self.steps[unit.records_before as usize][0]);
            Vec::new()
        }

        fn finish_unit(
            &self,
            unit: &InputUnit,
            _: Vec<UnitRecord<'_>>,
            slot: &mut WorkerSlot<'_>,
        ) -> u64 {
            let [_, step, wait] = self.steps[unit.records_before as usize];
            pause(step);
            if self.waits > 0 && wait % 2 == 0 {
                slot.wait_without(|| pause(wait));
            }
            unit.records_before
        }

        fn units_waiting(&self) -> usize {
            self.waits
        }

        fn has_stopped(&self) -> bool {
            self.stops_at.is_some_and(|at| self.begun.load(Ordering::Relaxed) >= at as u64)
        }
    }

    struct CollectingReceiver {
        got: Vec<u64>,
        fails_at: Option<usize>,
        received: Arc<AtomicU64>,
    }

    impl ReceiveInOrder<u64> for CollectingReceiver {
        fn receive(&mut self, _: &InputUnit, number: u64) -> Result<(), WriteError> {
            self.got.push(number);
            self.received.fetch_add(1, Ordering::SeqCst);
            if self.fails_at == Some(self.got.len()) {
                return Err(io::Error::other("full").into());
            }
            Ok(())
        }

        fn file_failed(&mut self, _: usize, _: &str, error: &InputError) -> Result<(), WriteError> {
            Err(io::Error::other(error.to_string()).into())
        }

        fn set_bytes_read(&mut self, _: u64) {}

        fn log(&mut self) -> &mut RunLog {
            unreachable!("nothing is printed")
        }
    }

    proptest! {
        /// The run also ends, however units and waits fall together, and few of them are in memory.
        #[test]
        fn every_unit_is_received_in_order(
            steps in prop::collection::vec(any::<[u8; 3]>(), 1..40),
            jobs in 1_usize..5,
            waits in 0_usize..3,
            stops_at in prop::option::of(1_usize..40),
            fails_at in prop::option::of(1_usize..40),
        ) {
            let mut file = tempfile::NamedTempFile::with_suffix(".jsonl").unwrap();
            for _ in &steps {
                writeln!(file, "{{\"messages\": []}}").unwrap();
            }
            let paths = [file.path().to_owned()];
            let named = NamedInputs { paths: &paths, rules: PathRules::default() };
            let inputs = collect_inputs(&named, &[]).unwrap().inputs;
            let source = InputSource::new(inputs, ReadOptions { format: format::format_by_name("openai"), records_per_unit: 1, ..ReadOptions::default() });
            let units = steps.len() as u64;
            let received = Arc::new(AtomicU64::new(0));
            let work = SlowWork { steps, waits, stops_at, begun: AtomicU64::new(0), received: Arc::clone(&received), most: AtomicU64::new(0) };
            let outcome = run_batch(source, jobs, &work, CollectingReceiver { got: Vec::new(), fails_at, received });
            prop_assert!(work.most.into_inner() <= WorkerSlots::new(jobs, waits).max_units() as u64);
            match outcome {
                Ok(CollectingReceiver { got, .. }) => {
                    prop_assert_eq!(&got, &(0..got.len() as u64).collect::<Vec<_>>());
                    prop_assert!(got.len() as u64 == units.min(work.begun.into_inner()) && (stops_at.is_some() || got.len() as u64 == units));
                }
                Err(error) => prop_assert!(matches!(error, RunError::BrokeOff(_)) && fails_at.is_some_and(|at| at as u64 <= units)),
            }
        }
    }
}
