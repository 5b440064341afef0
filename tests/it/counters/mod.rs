//! Counters by name and by model, and the error of an estimate.

mod counts;
mod reports;
mod support;
mod tokenizers;
