//! Running sums over a list of messages that grows call by call. They give the
//! numbers that [`plan`](super::plan) would find in constant time a call, as long
//! as nothing is summarized. [`Outlook::needs_planner`] is true where `plan` must
//! be asked. A property test compares the two at every call.

mod clearing;
mod numbered_results;
mod outlook;
mod sums;

pub(crate) use numbered_results::ListChange;
pub(crate) use sums::{ClearedResult, MessageCut, Meter, Reach};

#[cfg(test)]
mod tests;
