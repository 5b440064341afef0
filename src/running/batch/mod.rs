//! A batch: threads work on the units of an input side by side, and their results
//! are received in input order.

mod annotations;
mod error;
mod ordered_delivery;
mod parallel_map;
pub(crate) mod run_log;
mod ticket_gate;
mod unit_work;
mod worker_slots;
mod workers;

pub(crate) use error::RunError;
pub(crate) use parallel_map::ParallelMap;
pub(crate) use unit_work::{FindingsReceiver, ReceiveInOrder, UnitWork};
pub(crate) use worker_slots::WorkerSlot;
pub(crate) use workers::run_batch;
