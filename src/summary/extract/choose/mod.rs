//! What decides between two lines: `choice.rs`. All lines compete in one currency, what a line is
//! worth for a token, by learnt weights (`weights.rs`) of what is known of it (`features.rs`).

pub(super) mod candidate;
mod choice;
pub(super) mod features;
mod terms;
pub(crate) mod weights;

pub(super) use candidate::{Candidate, KINDS, Kind, Signs};
pub(super) use choice::{PricedLines, Taken, TokenCount, order_lines};
pub(super) use features::Measures;
pub(super) use terms::TermsOfLines;
pub(crate) use weights::Weights;
