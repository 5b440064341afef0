//! The embedded summarizer. It keeps what a later turn may need, in the conversation's own words. It
//! needs no model and no network, and writes the same summary for the same transcript every time.
//!
//! - `session` reads the messages once: requests, calls with results, replies, names.
//! - `mechanisms` offer lines of their kinds. Constraints are recognised in `session/binding.rs`, the
//!   outcome of a call is written in `mechanisms/outcomes.rs`.
//! - `choose` decides between lines (`choose/choice.rs`), with learnt weights.
//! - `write` puts the chosen lines under headings, within the budget.
//!
//! `docs/reference/summaries.md` says how well each of them does.

pub(crate) mod choose;
pub(crate) mod fit;
// Lists are easier to read as lines of words.
#[rustfmt::skip]
mod lexicon;
pub(crate) mod mechanisms;
mod prelude;
mod session;
mod text;
mod write;

#[cfg(test)]
mod tests;

use crate::summary::error::SummaryError;
use crate::summary::summarizer::{Summarizer, SummaryRequest};
use choose::{Chooser, Measures, TermsOfLines, Weights};
use mechanisms::collect_candidates;
use session::{read_session, read_texts};
use std::borrow::Cow;
use write::write_lines;

/// The tokens of lines that are ordered, in hundredths of the budget: short ones fill what longer ones
/// leave. Less than two budgets, so that all of them have room in a summary of twice the budget.
const ORDERED: usize = 190;
/// A smaller budget has room for few lines: they are chosen to fit, whatever a larger one would take.
const SMALL: usize = 100;

/// A summarizer that extracts lines of a conversation.
#[derive(Debug, Clone)]
pub(crate) struct Extract {
    weights: Cow<'static, Weights>,
}

impl Default for Extract {
    fn default() -> Self {
        Self { weights: Cow::Borrowed(Weights::embedded()) }
    }
}

impl Extract {
    /// Returns the summarizer with weights of one's own.
    pub(crate) fn with_weights(weights: Weights) -> Self {
        Self { weights: Cow::Owned(weights) }
    }
}

impl Summarizer for Extract {
    fn summarize(&self, request: &SummaryRequest<'_>) -> Result<String, SummaryError> {
        let session = read_session(request.turns);
        let reading = read_texts(&session, request.kept);
        let measures = Measures::new(&reading);
        let values = measures.name_values(&self.weights);
        let lines = collect_candidates(&reading, &values);
        let terms = TermsOfLines::read(&lines, &reading.glossary);
        let weighed = (&*lines, &terms, &*values);
        let chooser = Chooser::new(weighed, &measures, &self.weights, request.count);
        let is_small = request.budget < SMALL;
        let ordered = if is_small { 108 } else { ORDERED };
        let enough = request.budget.saturating_mul(ordered) / 100 + 1;
        let order = chooser.order(enough, is_small);
        Ok(write_lines(&reading, &lines, &order, request))
    }
}
