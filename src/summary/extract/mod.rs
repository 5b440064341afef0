//! The embedded summarizer. It keeps what a later turn may need, in the conversation's own words. It
//! needs no model and no network, and writes the same summary for the same transcript every time.
//!
//! - `session` reads the messages once: requests, calls with results, replies, names.
//! - `mechanisms` offer lines of their kinds. Constraints are recognised in `mechanisms/constraints.rs`,
//!   the outcome of a call is written in `mechanisms/outcomes.rs`.
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
mod session;
mod text;
mod write;

#[cfg(test)]
mod tests;

use crate::summary::error::SummaryError;
use crate::summary::summarizer::{Summarizer, SummaryRequest};
use choose::{Measures, PricedLines, Weights, order_lines};
use mechanisms::collect_candidates;
use session::{Reading, read_session};
use std::borrow::Cow;
use write::{Written, write_lines};

/// The tokens of lines that are ordered, in hundredths of the budget: lines are estimated one by one,
/// which differs from what the whole text costs.
const ESTIMATES: [usize; 8] = [104, 98, 93, 101, 112, 95, 108, 88];

/// A summarizer that extracts lines of a conversation.
#[derive(Debug, Clone)]
pub(crate) struct Extract {
    weights: Cow<'static, Weights>,
}

impl Default for Extract {
    fn default() -> Self {
        Self {
            weights: Cow::Borrowed(Weights::embedded()),
        }
    }
}

impl Extract {
    /// Returns the summarizer with weights of one's own.
    pub(crate) fn with_weights(weights: Weights) -> Self {
        Self {
            weights: Cow::Owned(weights),
        }
    }
}

impl Summarizer for Extract {
    fn summarize(&self, request: &SummaryRequest<'_>) -> Result<String, SummaryError> {
        let session = read_session(request.turns, request.kept);
        let reading = Reading::new(&session);
        let measures = Measures::new(&reading);
        let values = measures.name_values(&self.weights);
        let lines = collect_candidates(&reading, &values);
        let priced = PricedLines::new(&lines, &measures, &self.weights, &values, request.count);
        let mut best = Written::default();
        for estimate in ESTIMATES {
            let enough = request.budget.saturating_mul(estimate) / 100 + 1;
            let order = order_lines(&priced, enough);
            let written = write_lines(&reading, &lines, &order, request);
            if written.tokens > best.tokens || best.text.is_empty() {
                best = written;
            }
            if best.fills(request.budget) || order.has_all {
                break;
            }
        }
        Ok(best.text)
    }
}
