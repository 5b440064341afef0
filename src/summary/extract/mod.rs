//! The embedded summarizer: it writes nothing of its own, but keeps what a
//! later turn may need. No model, no network, the same summary for the same
//! transcript every time.
//!
//! The unit is the fact (an identifier and its key), not the sentence: next to
//! the user's own words, identifiers are what an agent can't guess again.
//! `notes` reads the conversation once, `sections` spends the budget.

mod facts;
mod lex;
mod render;

#[cfg(test)]
mod tests;

use super::{Summarizer, SummaryError, SummaryRequest};
use crate::transcript::view::ViewedTurn;

pub use facts::weights::{Features, NAMES as FEATURE_NAMES, ONE as FULL_FEATURE};

/// An identifier and what is known of it: what its weight is learnt from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedReference {
    /// As it is spelled.
    pub text: String,
    /// By `FEATURE_NAMES`.
    pub features: Features,
}

/// All identifiers that a summary of `turns` could name, beside messages that stay.
#[must_use]
pub fn observe(turns: &[ViewedTurn<'_>], kept: &[ViewedTurn<'_>]) -> Vec<ObservedReference> {
    let mut notes = facts::collector::ConversationFacts::take(turns, kept);
    notes.references.count_keys();
    let references = notes
        .references
        .all
        .iter()
        .filter(|reference| !reference.said);
    references
        .map(|reference| ObservedReference {
            text: reference.text.to_owned(),
            features: notes.references.features(reference),
        })
        .collect()
}

/// Writes a summary from the transcript's own words and identifiers.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extract;

impl Summarizer for Extract {
    fn summarize(&self, request: &SummaryRequest<'_>) -> Result<String, SummaryError> {
        Ok(render::sections::write(
            &mut facts::collector::ConversationFacts::take(request.turns, request.kept),
            request.template,
            request.budget,
            request.count,
        ))
    }
}
