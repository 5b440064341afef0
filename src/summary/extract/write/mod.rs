//! Writes the chosen lines under the headings of a template, and spends the budget: as many lines of
//! the order as fit by the counter in use, never more.

mod sections;

use super::choose::{Taken, TokenCount};
use super::mechanisms::calls::OUTCOME_MARK;
use crate::summary::extract::prelude::*;
use crate::summary::summarizer::SummaryRequest;
use sections::Writer;

/// The headings may cost a token of this many.
const HEADING_SHARE: usize = 5;
/// The tokens of headings.
const HEADING_TOKENS: usize = 24;

/// Writes the summary, which is never empty. It never costs more than the budget.
pub(super) fn write_lines(
    reading: &Reading<'_>,
    lines: &[Candidate<'_>],
    order: &[Taken],
    request: &SummaryRequest<'_>,
) -> String {
    let writer = Writer {
        lines,
        reading,
        template: request.template,
        has_headings: HEADING_TOKENS * HEADING_SHARE <= request.budget,
    };
    let (budget, count) = (request.budget, request.count);
    let first = || {
        let line = order.first()?.line;
        clip_to_budget(&lines[line].text, budget, count)
    };
    let silent =
        || clip_to_budget(&format!("{} messages, no text", request.turns.len()), budget, count);
    write_within(&writer, order, budget, count)
        .or_else(first)
        .or_else(silent)
        .unwrap_or_else(|| "…".to_owned())
}

/// The most attempts to come close to the budget.
const MOST_ATTEMPTS: usize = 16;
/// A summary that leaves a token of this many unspent is close enough.
const CLOSE: usize = 64;

/// Writes as many lines as fit. Returns `None` if none does.
fn write_within(
    writer: &Writer<'_, '_>,
    order: &[Taken],
    budget: usize,
    count: TokenCount<'_>,
) -> Option<String> {
    let mut best = Best { tokens: 0, text: None };
    let mut pick = Pick::new(order);
    let mut has_added = pick.add_fitting(budget);
    for _ in 0..MOST_ATTEMPTS {
        if !has_added {
            break;
        }
        let text = writer.render(&pick.lines, None);
        let spent = count(&text);
        // What is estimated line by line differs from what the whole text costs.
        let Some(left) = budget.checked_sub(spent) else {
            pick.drop_last(spent - budget);
            continue;
        };
        best.take(spent, text);
        has_added = left > budget / CLOSE && pick.add_fitting(left);
    }
    if (budget - best.tokens) * NEARLY > budget {
        add_beginning(writer, &pick, budget, count, &mut best);
    }
    best.text
}

/// A summary that leaves more than a token of this many unspent takes the beginning of one more line.
const NEARLY: usize = 33;
/// The least tokens of a beginning.
const LEAST_BEGINNING: usize = 8;
/// The most lines whose beginnings are tried.
const MOST_BEGINNINGS: usize = 4;

/// Adds the beginning of the first line of which enough fits. A constraint, a wish or a record is told whole
/// or not at all, and a call with its outcome.
fn add_beginning(
    writer: &Writer<'_, '_>,
    pick: &Pick<'_>,
    budget: usize,
    count: TokenCount<'_>,
    best: &mut Best,
) {
    let untried = pick.order.iter().zip(&pick.is_tried).filter(|(_, tried)| !**tried);
    let can_be_cut = |kind| matches!(kind, Kind::Call | Kind::Finding | Kind::Earlier);
    let lines = untried.map(|(next, _)| &writer.lines[next.line]);
    for line in lines.filter(|line| can_be_cut(line.kind)).take(MOST_BEGINNINGS) {
        let tokens = count(&line.text).max(1);
        let mut room = budget - best.tokens;
        while room >= LEAST_BEGINNING {
            let bytes = line.text.len() * room / tokens;
            let text = clip_text(&line.text, bytes);
            if line.text.contains(OUTCOME_MARK) && !text.contains(OUTCOME_MARK) {
                break;
            }
            let text = Cow::Owned(text.into_owned());
            let text = writer.render(&pick.lines, Some(&Candidate { text, ..line.clone() }));
            let spent = count(&text);
            if spent <= budget {
                return best.take(spent, text);
            }
            room = room.saturating_sub(spent - budget + 1);
        }
    }
}

/// The text that spends most of those within the budget.
struct Best {
    tokens: usize,
    text: Option<String>,
}

impl Best {
    fn take(&mut self, tokens: usize, text: String) {
        if !text.is_empty() && (self.text.is_none() || tokens > self.tokens) {
            (self.tokens, self.text) = (tokens, Some(text));
        }
    }
}

/// The lines of an order that are written.
struct Pick<'o> {
    order: &'o [Taken],
    /// The lines, as they were added, with their places in the order.
    lines: Vec<usize>,
    places: Vec<usize>,
    /// True for lines of the order that were added, and stay out if they are dropped.
    is_tried: Vec<bool>,
}

impl<'o> Pick<'o> {
    fn new(order: &'o [Taken]) -> Self {
        Self { order, lines: Vec::new(), places: Vec::new(), is_tried: vec![false; order.len()] }
    }

    /// Adds the first lines that fit, then those behind the first that does not.
    fn add_fitting(&mut self, room: usize) -> bool {
        let mut left = room;
        for (place, taken) in self.order.iter().enumerate() {
            if !self.is_tried[place] && taken.tokens <= left {
                left -= taken.tokens;
                self.is_tried[place] = true;
                self.lines.push(taken.line);
                self.places.push(place);
            }
        }
        left < room
    }

    /// Drops the lines that were added last, for so many tokens.
    fn drop_last(&mut self, tokens: usize) {
        let mut dropped = 0;
        while dropped < tokens
            && let Some(place) = self.places.pop()
        {
            self.lines.pop();
            dropped += self.order[place].tokens;
        }
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
