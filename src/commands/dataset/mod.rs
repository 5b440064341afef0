//! `epitome dataset`: samples for fine-tuning that a trainer takes.

mod dataset_run;
mod options;
mod receiver;
mod table;

pub(crate) use dataset_run::run;
