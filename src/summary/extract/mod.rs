//! The embedded summarizer. It keeps what a later turn may need, in the
//! conversation's own words. It needs no model and no network, and writes the same
//! summary for the same transcript every time.
//!
//! The unit is the fact: a request, a call with its outcome, a record with its newest
//! state, a sentence in which the assistant finds something. A list of identifiers alone
//! is hard to go on from. `facts` reads the conversation once with the help of `lex`, and
//! `render` spends the budget. `docs/reference/summaries.md` has the rules.

pub(crate) mod ablation;
pub(crate) mod facts;
mod labels;
pub(crate) mod lex;
pub(crate) mod lexicon;
mod render;

#[cfg(test)]
mod tests;

use crate::summary::error::SummaryError;
use crate::summary::summarizer::{Summarizer, SummaryRequest};
use crate::transcript::view::ViewedTurn;
use facts::collector::collect_facts;
use render::sections::write_summary;

pub(crate) use facts::weights::{FEATURE_NAMES, FULL_FEATURE, Features};

/// A reference with the features that its weight is learnt from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ObservedReference {
    /// The reference as the conversation spells it.
    pub text: String,
    /// The features, in the order of `FEATURE_NAMES`.
    pub features: Features,
}

/// Returns all references that a summary of `turns` could name. `kept` holds the messages that stay
/// beside the summary.
#[must_use]
pub(crate) fn observe(turns: &[ViewedTurn<'_>], kept: &[ViewedTurn<'_>]) -> Vec<ObservedReference> {
    let mut references = collect_facts(turns, kept).references;
    references.weigh(false);
    references
        .untold()
        .map(|reference| ObservedReference {
            text: reference.text.to_owned(),
            features: references.features_of(reference),
        })
        .collect()
}

/// A summarizer that extracts the facts of a conversation.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Extract;

impl Summarizer for Extract {
    fn summarize(&self, request: &SummaryRequest<'_>) -> Result<String, SummaryError> {
        Ok(write_summary(
            &mut collect_facts(request.turns, request.kept),
            request.template,
            request.budget,
            request.count,
        ))
    }
}
