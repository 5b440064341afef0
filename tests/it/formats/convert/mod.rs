//! Conversions of the story, from every dialect to every target: what comes out
//! is as its readers demand it, and every text is there or is listed.

mod check;
mod expectations;
mod reading;

pub(crate) use check::{check, check_compacted, check_round_trip};
