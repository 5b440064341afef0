//! The batch: threads claim units in order, work on them side by side, get
//! names in order and write in order. What is in memory are the units in work:
//! one a thread.

mod conversation;
mod gate;

pub use conversation::{Conversation, Found, place, read_unit};

use crate::archive::names::Registry;
use crate::input::{Claim, Source, Unit};
use anyhow::{Context, Result};
use gate::Gate;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What a command does with units.
pub trait Work: Sync {
    /// What is left of a unit when it is done.
    type Done: Send;

    /// Reads a unit. Runs on any thread.
    fn read<'u>(&self, unit: &'u Unit) -> Vec<Found<'u>>;

    /// Carries it out. Runs on any thread, after names were given out.
    fn finish(&self, unit: &Unit, found: Vec<Found<'_>>) -> Self::Done;
}

/// What takes results, in input order.
pub trait Receive<D>: Send {
    /// A unit is done.
    ///
    /// # Errors
    /// What ends the run.
    fn receive(&mut self, done: D) -> Result<()>;

    /// A file can't be read (on).
    ///
    /// # Errors
    /// What ends the run.
    fn failed(&mut self, index: usize, name: &str, error: &anyhow::Error) -> Result<()>;

    /// So many bytes of input were read.
    fn progress(&mut self, bytes: u64);
}

struct Shared<'s, W: Work, R> {
    work: &'s W,
    source: Mutex<(u64, Source)>,
    names: Gate<Registry>,
    receiver: Gate<R>,
    stop: AtomicBool,
    trouble: Mutex<Option<anyhow::Error>>,
    bytes_read: Arc<AtomicU64>,
}

/// Runs `work` over `source` on `jobs` threads and gives the receiver back.
///
/// # Errors
/// What the receiver could not take, or a fault of ours in a worker.
pub fn run<W: Work, R: Receive<W::Done>>(source: Source, jobs: usize, work: &W, receiver: R) -> Result<R> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build().context("can't start threads")?;
    let shared = Shared {
        work,
        bytes_read: Arc::clone(&source.bytes_read),
        source: Mutex::new((0, source)),
        names: Gate::new(Registry::default()),
        receiver: Gate::new(receiver),
        stop: AtomicBool::new(false),
        trouble: Mutex::new(None),
    };
    pool.broadcast(|_| {
        let outcome = catch_unwind(AssertUnwindSafe(|| shared.worker()));
        if let Err(error) = outcome.unwrap_or_else(|_| Err(anyhow::anyhow!("internal error: a worker panicked"))) {
            shared.give_up(error);
        }
    });
    match shared.trouble.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(shared.receiver.into_state()),
    }
}

impl<W: Work, R: Receive<W::Done>> Shared<'_, W, R> {
    fn worker(&self) -> Result<()> {
        while let Some((ticket, claim)) = self.claim() {
            let received = match claim {
                Claim::Failed { index, name, error } => {
                    if self.names.in_turn(ticket, &self.stop, |_| ()).is_none() {
                        return Ok(());
                    }
                    self.receiver.in_turn(ticket, &self.stop, |receiver| receiver.failed(index, &name, &error))
                }
                Claim::Unit(unit) => {
                    let mut found = self.work.read(&unit);
                    let named = self.names.in_turn(ticket, &self.stop, |names| found.iter_mut().for_each(|one| one.take_names(names)));
                    if named.is_none() {
                        return Ok(());
                    }
                    let done = self.work.finish(&unit, found);
                    self.receiver.in_turn(ticket, &self.stop, |receiver| {
                        receiver.progress(self.bytes_read.load(Ordering::Relaxed));
                        receiver.receive(done)
                    })
                }
            };
            match received {
                Some(result) => result?,
                None => return Ok(()),
            }
        }
        Ok(())
    }

    fn claim(&self) -> Option<(u64, Claim)> {
        if self.stop.load(Ordering::SeqCst) {
            return None;
        }
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        let claim = source.1.claim()?;
        let ticket = source.0;
        source.0 += 1;
        Some((ticket, claim))
    }

    /// Ends the run; the first trouble is the one that is told.
    fn give_up(&self, error: anyhow::Error) {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.stop.store(true, Ordering::SeqCst);
        self.names.wake();
        self.receiver.wake();
    }
}
