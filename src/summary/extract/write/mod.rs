//! Writes the chosen lines under the headings of a template, and spends the budget: as many lines of
//! the order as fit by the counter in use, never more.

pub(super) mod labels;
mod sections;

use super::choose::{Candidate, Order, TokenCount};
use super::session::Reading;
use super::text::clip_text;
use crate::summary::summarizer::SummaryRequest;
use sections::Writer;

/// The headings may cost a token of this many.
const HEADING_SHARE: usize = 5;
/// The tokens of headings.
const HEADING_TOKENS: usize = 24;

/// A summary.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// The text; never empty.
    pub text: String,
    /// Its tokens.
    pub tokens: usize,
}

impl Written {
    /// Returns true if hardly anything of the budget is left.
    pub(super) fn fills(&self, budget: usize) -> bool {
        (budget.saturating_sub(self.tokens)) * ENOUGH <= budget
    }
}

/// A summary that leaves a token of this many unspent spends its budget.
const ENOUGH: usize = 40;

/// Writes the summary. It never costs more than the budget.
pub(super) fn write_lines(
    reading: &Reading<'_>,
    lines: &[Candidate<'_>],
    order: &Order,
    request: &SummaryRequest<'_>,
) -> Written {
    let writer = Writer {
        lines,
        reading,
        template: request.template,
        has_headings: HEADING_TOKENS * HEADING_SHARE <= request.budget,
    };
    let (budget, count) = (request.budget, request.count);
    let first = || {
        let line = order.taken.first()?.line;
        clip_to_budget(&lines[line].text, budget, count)
    };
    let silent = || {
        clip_to_budget(
            &format!("{} messages, no text", request.turns.len()),
            budget,
            count,
        )
    };
    let text = write_within(&writer, order, budget, count)
        .or_else(first)
        .or_else(silent)
        .unwrap_or_else(|| "…".to_owned());
    Written {
        tokens: count(&text),
        text,
    }
}

/// The most attempts to come close to the budget.
const MOST_ATTEMPTS: usize = 16;
/// A summary that leaves a token of this many unspent is close enough.
const CLOSE: i64 = 64;

/// Writes as many lines as fit. Returns `None` if none does.
fn write_within(
    writer: &Writer<'_, '_>,
    order: &Order,
    budget: usize,
    count: TokenCount<'_>,
) -> Option<String> {
    let mut best: Option<(usize, String)> = None;
    // What is estimated line by line differs from what the whole text costs.
    let mut room = budget;
    let mut left = 0_i64;
    let mut tried: Vec<Vec<usize>> = Vec::new();
    for _ in 0..MOST_ATTEMPTS {
        let chosen = order.fitting(room);
        if tried.contains(&chosen) {
            let step = (left / 2).unsigned_abs() as usize + 1;
            room = if left < 0 {
                room.saturating_sub(step)
            } else {
                room + step
            };
            continue;
        }
        let text = writer.render(&chosen);
        let spent = count(&text);
        let is_last = chosen.len() == order.taken.len();
        tried.push(chosen);
        left = budget as i64 - spent as i64;
        room = (room as i64 + left).max(1) as usize;
        if left >= 0 && !text.is_empty() && best.as_ref().is_none_or(|(most, _)| spent > *most) {
            best = Some((spent, text));
        }
        if is_last && left >= 0 || (0..=budget as i64 / CLOSE).contains(&left) {
            break;
        }
    }
    best.map(|(_, text)| text)
}

impl Order {
    /// Returns the first lines that fit, then those behind the first that does not.
    fn fitting(&self, room: usize) -> Vec<usize> {
        let mut left = room;
        let mut chosen = Vec::new();
        for taken in &self.taken {
            if taken.tokens <= left {
                left -= taken.tokens;
                chosen.push(taken.line);
            }
        }
        chosen
    }
}

/// Returns the beginning of a text that costs at most `budget` tokens. Returns `None` if no word fits.
fn clip_to_budget(text: &str, budget: usize, count: TokenCount<'_>) -> Option<String> {
    let mut room = text.len();
    let mut cost = count(text);
    if cost <= budget {
        return (!text.is_empty()).then(|| text.to_owned());
    }
    for _ in 0..MOST_ATTEMPTS {
        room = (room * budget / cost.max(1)).min(room.saturating_sub(1));
        let kept = clip_text(text, room);
        if !kept.chars().any(char::is_alphanumeric) {
            return None;
        }
        cost = count(&kept);
        if cost <= budget {
            return Some(kept.into_owned());
        }
    }
    None
}
