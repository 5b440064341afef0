//! The batch: threads claim units in order, work on them side by side, get
//! names in order and write in order. What is in memory are the units in work:
//! one a job, or more of them while they are small.

mod delivery;
mod gate;
pub mod lines;
pub mod run_log;

mod slots;

use crate::archive::names::NameRegistry;
use crate::conversation::Found;
use crate::input::{BufferPool, InputClaim, InputSource, InputUnit};
use anyhow::{Context, Result};
use delivery::Delivery;
use gate::Gate;

use slots::Slots;
pub use slots::Turn;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What a command does with units.
pub trait Work: Sync {
    /// What is left of a unit when it is done.
    type Done: Send;

    /// Reads a unit. Runs on any thread.
    fn read<'u>(&self, unit: &'u InputUnit) -> Vec<Found<'u>>;

    /// Carries it out. Runs on any thread, after names were given out. While it only waits for others it may give `turn` to another unit.
    fn finish(&self, unit: &InputUnit, found: Vec<Found<'_>>, turn: &mut Turn<'_>) -> Self::Done;

    /// How many units may be waiting for others, beyond those in work.
    fn waits_for(&self) -> usize {
        0
    }

    /// Whether no further unit is to be begun.
    fn stopped(&self) -> bool {
        false
    }
}

/// What takes results, in input order.
pub trait Receive<D>: Send {
    /// A unit is done.
    ///
    /// # Errors
    /// What ends the run.
    fn receive(&mut self, unit: &InputUnit, done: D) -> Result<()>;

    /// A file can't be read (on).
    ///
    /// # Errors
    /// What ends the run.
    fn failed(&mut self, index: usize, name: &str, error: &anyhow::Error) -> Result<()>;

    /// So many bytes of input were read.
    fn progress(&mut self, bytes: u64);
}

/// The context of an error that ended a run which may have written already.
#[derive(Debug)]
pub struct BrokeOff;

impl fmt::Display for BrokeOff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the run broke off")
    }
}

/// What a worker hands in.
enum Handed<D> {
    Done {
        unit: InputUnit,
        done: D,
    },
    Failed {
        index: usize,
        name: String,
        error: anyhow::Error,
    },
}

struct Shared<'s, W: Work, R> {
    work: &'s W,
    slots: Slots,
    source: Mutex<(u64, InputSource)>,
    names: Gate<NameRegistry>,
    receiver: Delivery<Handed<W::Done>, R>,
    trouble: Mutex<Option<anyhow::Error>>,
    bytes_read: Arc<AtomicU64>,
    spares: BufferPool,
}

/// Runs `work` over `source` on `jobs` threads and gives the receiver back.
///
/// # Errors
/// What the receiver could not take, or a fault of ours in a worker: [`BrokeOff`].
pub fn run<W: Work, R: Receive<W::Done>>(
    source: InputSource,
    jobs: usize,
    work: &W,
    receiver: R,
) -> Result<R> {
    let slots = Slots::new(jobs, work.waits_for());
    let workers = slots.threads();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(workers)
        .build()
        .context("can't start threads")?;
    let shared = Shared {
        work,
        slots,
        bytes_read: Arc::clone(&source.bytes_read),
        spares: source.spares.clone(),
        source: Mutex::new((0, source)),
        names: Gate::new(NameRegistry::default(), workers),
        receiver: Delivery::new(receiver),
        trouble: Mutex::new(None),
    };
    pool.broadcast(|_| {
        let outcome = catch_unwind(AssertUnwindSafe(|| shared.worker()));
        if let Err(error) =
            outcome.unwrap_or_else(|_| Err(anyhow::anyhow!("internal error: a worker panicked")))
        {
            shared.give_up(error);
        }
    });
    match shared
        .trouble
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
    {
        Some(error) => Err(error.context(BrokeOff)),
        None => Ok(shared.receiver.into_state()),
    }
}

impl<W: Work, R: Receive<W::Done>> Shared<'_, W, R> {
    fn worker(&self) -> Result<()> {
        while let Some((ticket, claim, mut turn)) = self.claim() {
            let handed = match claim {
                InputClaim::Failed { index, name, error } => self
                    .names
                    .in_turn(ticket, &mut turn, |_| ())
                    .map(|()| Handed::Failed {
                        index,
                        name,
                        error: error.into(),
                    }),
                InputClaim::Unit(unit) => self.carry_out(ticket, unit, &mut turn),
            };
            let Some(handed) = handed else { return Ok(()) };
            self.receiver.give(ticket, handed, |receiver, handed| {
                self.receive(receiver, handed)
            })?;
        }
        Ok(())
    }

    /// None if the run stops meanwhile.
    fn carry_out(
        &self,
        ticket: u64,
        unit: InputUnit,
        turn: &mut Turn<'_>,
    ) -> Option<Handed<W::Done>> {
        let mut found = self.work.read(&unit);
        self.names.in_turn(ticket, turn, |names| {
            found.iter_mut().for_each(|one| one.take_names(names))
        })?;
        let done = self.work.finish(&unit, found, turn);
        Some(Handed::Done { unit, done })
    }

    fn receive(&self, receiver: &mut R, handed: Handed<W::Done>) -> Result<()> {
        match handed {
            Handed::Failed { index, name, error } => receiver.failed(index, &name, &error),
            Handed::Done { unit, done } => {
                receiver.progress(self.bytes_read.load(Ordering::Relaxed));
                receiver.receive(&unit, done)?;
                self.slots.ended(unit.bytes.len());
                self.spares.release(unit.bytes);
                Ok(())
            }
        }
    }

    fn claim(&self) -> Option<(u64, InputClaim, Turn<'_>)> {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.slots.wait_for_room() || self.work.stopped() {
            return None;
        }
        // A slot only now: who waits for room holds none that another could use.
        let turn = self.slots.turn();
        let claim = source.1.claim_next()?;
        if let InputClaim::Unit(unit) = &claim {
            self.slots.begun(unit.bytes.len());
        }
        let ticket = source.0;
        source.0 += 1;
        Some((ticket, claim, turn))
    }

    /// Ends the run; the first trouble is the one that is told.
    fn give_up(&self, error: anyhow::Error) {
        self.trouble
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert(error);
        self.slots.stop();
        self.names.wake();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format;
    use crate::input::{ReadOptions, collect_inputs};
    use proptest::prelude::*;
    use std::io::Write;
    use std::time::Duration;

    /// Takes as long over each unit as it is told, and waits for others in some.
    struct Slow {
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

    impl Work for Slow {
        type Done = u64;

        fn read<'u>(&self, unit: &'u InputUnit) -> Vec<Found<'u>> {
            let begun = self.begun.fetch_add(1, Ordering::SeqCst) + 1;
            // Looked at last: so it is never more than there were.
            let received = self.received.load(Ordering::SeqCst);
            self.most
                .fetch_max(begun.saturating_sub(received), Ordering::SeqCst);
            pause(self.steps[unit.records_before as usize][0]);
            Vec::new()
        }

        fn finish(&self, unit: &InputUnit, _: Vec<Found<'_>>, turn: &mut Turn<'_>) -> u64 {
            let [_, step, wait] = self.steps[unit.records_before as usize];
            pause(step);
            if self.waits > 0 && wait % 2 == 0 {
                turn.aside(|| pause(wait));
            }
            unit.records_before
        }

        fn waits_for(&self) -> usize {
            self.waits
        }

        fn stopped(&self) -> bool {
            self.stops_at
                .is_some_and(|at| self.begun.load(Ordering::Relaxed) >= at as u64)
        }
    }

    struct Gathering {
        got: Vec<u64>,
        fails_at: Option<usize>,
        received: Arc<AtomicU64>,
    }

    impl Receive<u64> for Gathering {
        fn receive(&mut self, _: &InputUnit, done: u64) -> Result<()> {
            self.got.push(done);
            self.received.fetch_add(1, Ordering::SeqCst);
            anyhow::ensure!(self.fails_at != Some(self.got.len()), "full");
            Ok(())
        }

        fn failed(&mut self, _: usize, _: &str, error: &anyhow::Error) -> Result<()> {
            anyhow::bail!("{error}")
        }

        fn progress(&mut self, _: u64) {}
    }

    proptest! {
        /// Also: it ends, however units and waits fall together, and few of them are in memory.
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
            let inputs = collect_inputs(&[file.path().to_owned()], &[]).unwrap().inputs;
            let source = InputSource::new(inputs, ReadOptions { format: format::format_by_name("openai"), max_record_bytes: 1 << 20, records_per_unit: 1 });
            let units = steps.len() as u64;
            let received = Arc::new(AtomicU64::new(0));
            let work = Slow { steps, waits, stops_at, begun: AtomicU64::new(0), received: Arc::clone(&received), most: AtomicU64::new(0) };
            let outcome = run(source, jobs, &work, Gathering { got: Vec::new(), fails_at, received });
            prop_assert!(work.most.into_inner() <= Slots::new(jobs, waits).most_units() as u64);
            match outcome {
                Ok(Gathering { got, .. }) => {
                    prop_assert_eq!(&got, &(0..got.len() as u64).collect::<Vec<_>>());
                    prop_assert!(got.len() as u64 == units.min(work.begun.into_inner()) && (stops_at.is_some() || got.len() as u64 == units));
                }
                Err(error) => prop_assert!(error.is::<BrokeOff>() && fails_at.is_some_and(|at| at as u64 <= units)),
            }
        }
    }
}
