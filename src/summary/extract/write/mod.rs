//! Writes the chosen lines under the headings of a template, within the budget.

mod budget;
pub(super) mod labels;
mod sections;

use super::choose::{Candidate, Order};
use super::session::Reading;
use crate::summary::summarizer::SummaryRequest;
use budget::{clip_to_budget, write_within};
use sections::Writer;

/// The headings may cost a token of this many.
const HEADING_SHARE: usize = 5;
/// The tokens of headings.
const HEADING_TOKENS: usize = 24;

/// Writes the summary. It is never empty, and never costs more than the budget.
pub(super) fn write_summary(
    reading: &Reading<'_>,
    lines: &[Candidate<'_>],
    order: &Order,
    request: &SummaryRequest<'_>,
) -> String {
    let writer = Writer {
        lines,
        reading,
        template: request.template,
        has_headings: HEADING_TOKENS * HEADING_SHARE <= request.budget,
    };
    let first = || {
        order.0.first().and_then(|taken| {
            clip_to_budget(&lines[taken.line].text, request.budget, request.count)
        })
    };
    write_within(&writer, order, request.budget, request.count)
        .or_else(first)
        .or_else(|| {
            clip_to_budget(
                &format!("{} messages, no text", request.turns.len()),
                request.budget,
                request.count,
            )
        })
        .unwrap_or_else(|| "…".to_owned())
}
