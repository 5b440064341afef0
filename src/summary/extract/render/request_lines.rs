//! Renders the user's goal and later requests, and the prose of earlier summaries.

use crate::summary::extract::facts::conversation_facts::ConversationFacts;
use crate::summary::extract::labels::{EARLIER, USER_HEADING, USER_QUOTE};
use crate::summary::extract::lex::blocks::fold_block;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::render::token_budget::SAMPLE_LENGTH;

/// Minimum number of bytes of a quotation, including its label.
const LEAST_QUOTATION: usize = 60;
/// Bytes by which folding can lengthen the goal.
const GOAL_MARGIN: usize = 64;

/// A text to quote, with the label before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Quotation<'f> {
    label: &'static str,
    text: &'f str,
}

impl Quotation<'_> {
    /// Returns the number of bytes of the quotation with its line end.
    fn byte_cost(self) -> usize {
        self.text.len() + self.label.len() + 1
    }
}

/// The rendered goal and quotations.
pub(crate) struct RequestLines {
    pub(crate) goal: Option<String>,
    pub(crate) quotations: Vec<String>,
}

/// Returns the texts to quote besides the goal, the most important first.
fn quotations_of<'f>(facts: &'f ConversationFacts<'_>) -> Vec<Quotation<'f>> {
    // An unanswered request stands in the final state and is not repeated.
    let unanswered = facts.state.unanswered;
    let requests = facts
        .requests
        .iter()
        .rev()
        .map(AsRef::as_ref)
        .skip_while(|request| Some(*request) == unanswered)
        .map(|text| Quotation {
            label: USER_QUOTE,
            text,
        });
    let prose = facts.earlier_prose.iter().map(|text| Quotation {
        label: EARLIER,
        text: text.as_ref(),
    });
    requests.chain(prose).collect()
}

/// Returns the number of bytes that the complete goal and all quotations take.
pub(crate) fn request_byte_demand(facts: &ConversationFacts<'_>) -> usize {
    facts.goal.as_ref().map_or(0, |goal| goal.len() + 1) + byte_cost_of(&quotations_of(facts))
}

fn byte_cost_of(quotations: &[Quotation<'_>]) -> usize {
    quotations
        .iter()
        .map(|quotation| quotation.byte_cost())
        .sum()
}

/// Returns some prose of the conversation, to measure its cost in tokens.
pub(crate) fn prose_sample(facts: &ConversationFacts<'_>) -> String {
    let mut sample = String::new();
    for text in facts
        .goal
        .iter()
        .chain(facts.requests.iter().rev())
        .chain(&facts.earlier_prose)
        .map(AsRef::as_ref)
        .chain(facts.state.unanswered)
    {
        if sample.len() >= SAMPLE_LENGTH {
            break;
        }
        sample.push_str(&fold_line(text, SAMPLE_LENGTH));
        sample.push(' ');
    }
    sample
}

/// Renders the goal and the quotations in at most `room` bytes together.
pub(crate) fn render_requests(facts: &ConversationFacts<'_>, room: usize) -> RequestLines {
    let all = quotations_of(facts);
    // The goal gets the room that the quotations leave, and at least half.
    let goal_room = (room / 2).max(room.saturating_sub(byte_cost_of(&all) + USER_HEADING.len()));
    let goal = facts
        .goal
        .as_deref()
        .and_then(|goal| fold_block("", "", goal, goal_room))
        .map(|block| block.text);
    let goal_length = facts.goal.as_ref().map_or(0, |goal| goal.len());
    let goal_cost = goal
        .as_ref()
        .map_or(0, String::len)
        .min(goal_length + GOAL_MARGIN)
        + 1;
    let mut left = room.saturating_sub(goal_cost);
    let selected = select_quotations(all, left);
    let most = equal_share(
        selected
            .iter()
            .map(|quotation| quotation.byte_cost())
            .collect(),
        left.saturating_sub(USER_HEADING.len() + 1),
    );
    let mut lines = Vec::new();
    for Quotation { label, text } in selected {
        if let Some(block) = fold_block(label, "  ", text, most.min(left)) {
            if label == USER_QUOTE && lines.is_empty() {
                lines.push(USER_HEADING.to_owned());
                left = left.saturating_sub(USER_HEADING.len() + 1);
            }
            left = left.saturating_sub(block.text.len() + 1);
            lines.push(block.text);
        }
    }
    RequestLines {
        goal,
        quotations: lines,
    }
}

/// Returns the first quotations, as many as `room` has a sentence for each. Leaves out repetitions.
fn select_quotations(all: Vec<Quotation<'_>>, room: usize) -> Vec<Quotation<'_>> {
    let mut selected: Vec<Quotation<'_>> = Vec::new();
    let mut least = USER_HEADING.len() + 1;
    for quotation in all {
        least += quotation.byte_cost().min(LEAST_QUOTATION);
        if least > room {
            break;
        }
        if !selected.contains(&quotation) {
            selected.push(quotation);
        }
    }
    selected
}

/// Returns the largest limit for each length so that all lengths together have at most `room`.
fn equal_share(mut lengths: Vec<usize>, room: usize) -> usize {
    lengths.sort_unstable();
    let mut left = room;
    for (number, length) in lengths.iter().enumerate() {
        let share = left / (lengths.len() - number);
        if *length > share {
            return share;
        }
        left -= length;
    }
    usize::MAX
}
