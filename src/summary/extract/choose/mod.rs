//! What decides between two lines: `choice.rs`. All lines compete in one currency, what a line is
//! worth for a token, by learnt weights (`weights.rs`) of what is known of it (`features.rs`).

pub(super) mod candidate;
mod choice;
pub(super) mod features;
pub(super) mod fixed;
mod weights;

pub(super) use candidate::{Candidate, KINDS, Kind, Signs};
pub(super) use choice::{Order, order_lines};
pub(super) use features::Measures;
pub(crate) use weights::Weights;

/// Returns the tokens of a text by the policy's counter.
pub(super) type TokenCount<'c> = &'c dyn Fn(&str) -> usize;
