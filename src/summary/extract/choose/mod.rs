//! What decides between two lines: `choice.rs`. All lines compete in one currency, what a line is
//! worth for a token, by learnt weights (`weights.rs`) of what is known of it (`features.rs`).

pub(super) mod candidate;
mod choice;
pub(super) mod features;
pub(crate) mod weights;

pub(super) use candidate::{Candidate, Kind, Signs, TermsOfLines};
pub(super) use choice::{Chooser, Taken, TokenCount};
pub(super) use features::Measures;
pub(crate) use weights::Weights;
