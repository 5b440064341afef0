//! Writes the summary, with headings if the budget has room for them.

use super::fact_pool::FactPool;
use super::reference_lines::render_references;
use super::section_bodies::{EMPTY_SECTION, SectionBodies};
use super::summary_draft::{ALL_KINDS, write_with_headings};
use super::token_budget::{
    SAMPLE_LENGTH, TokenCount, TokenRate, clip_lines_to_tokens, clip_to_tokens,
};
use crate::policy::SummaryTemplate;
use crate::summary::extract::facts::conversation_facts::ConversationFacts;
use crate::summary::extract::facts::ranking::ReferenceFloor;
use crate::summary::extract::labels::USER_QUOTE;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::frame::escape_heading;
use crate::summary::extract::lex::identifiers::{TextEncoding, scan_identifiers};

/// The headings may cost at most a token in this many.
const FRAME_SHARE: usize = 5;
/// Without headings, the number of messages up to which all requests stand before anything else, and
/// the length of each in bytes.
const FEW_MESSAGES: usize = 8;
const LONGEST_QUOTED: usize = 400;
/// Without headings, the share of the goal in hundredths.
const BARE_GOAL_SHARE: usize = 40;
/// Without headings, the budget in tokens below which the goal stands alone.
const BARE_GOAL_ONLY: usize = 16;

/// Writes the summary in at most `budget` tokens. It is never empty.
pub(crate) fn write_summary(
    facts: &mut ConversationFacts<'_>,
    template: SummaryTemplate,
    budget: usize,
    count: TokenCount<'_>,
) -> String {
    let frame_cost = count(&SectionBodies::default().render(template, EMPTY_SECTION));
    let has_room_for_frame = frame_cost.saturating_mul(FRAME_SHARE) <= budget;
    let text = if facts.is_silent() {
        None
    } else if has_room_for_frame {
        Some(write_with_headings(facts, template, budget, count))
    } else {
        Some(write_without_headings(facts, budget, count))
    };
    // Token counts need not add up, so the complete text is measured at the end.
    text.filter(|text| !text.is_empty())
        .and_then(|text| clip_lines_to_tokens(text, budget, count))
        .or_else(|| {
            let fallback = format!("{} messages, no text", facts.turns.len());
            clip_to_tokens(&fallback, budget, count)
        })
        .unwrap_or_else(|| "…".to_owned())
}

/// Writes the goal, the files and the references, or the state if there is nothing else.
fn write_without_headings(
    facts: &mut ConversationFacts<'_>,
    budget: usize,
    count: TokenCount<'_>,
) -> String {
    facts.references.weigh(false);
    let goal_budget = if budget < BARE_GOAL_ONLY {
        budget
    } else {
        (budget * BARE_GOAL_SHARE / 100).max(BARE_GOAL_ONLY / 2)
    };
    let goal = facts
        .requests
        .current_task()
        .first()
        .map(|request| request.text.as_ref())
        .or_else(|| facts.earlier.lines.first().map(|line| line.text))
        .and_then(|goal| {
            let line = fold_line(goal, goal_budget.saturating_mul(16));
            clip_to_tokens(&escape_heading(&line), goal_budget, count)
        });
    let mut lines: Vec<String> = goal.into_iter().collect();
    // Where little is replaced, most of it is what the user said.
    let is_short = facts.turns.len() <= FEW_MESSAGES;
    let requests = facts.requests.current_task().iter().skip(1).rev();
    for request in requests.filter(|_| is_short) {
        let line = format!("{USER_QUOTE}{}", fold_line(&request.text, LONGEST_QUOTED));
        let text = format!("{}\n{line}", lines.join("\n"));
        if count(&text) <= budget {
            lines.push(line);
        }
    }
    if lines.is_empty() || budget >= BARE_GOAL_ONLY {
        lines.extend(facts.files.render(budget * 2 / 3));
        let text = lines.join("\n");
        scan_identifiers(&text, TextEncoding::Plain, &mut |identifier, _, _| {
            facts.references.mark_told(identifier)
        });
        let rest = budget.saturating_sub(count(&text) + 1);
        let rate = TokenRate::measure(
            &facts.references.sample_text(SAMPLE_LENGTH),
            TokenRate::UNKNOWN,
            count,
        );
        let references =
            render_references(&facts.references, rest, ReferenceFloor::Any, rate, count);
        lines.extend((!references.is_empty()).then_some(references));
        if lines.is_empty() {
            lines.extend(facts.state.render(budget.saturating_mul(4), false));
        }
        if lines.is_empty() {
            let mut pool = FactPool::collect(facts, budget, count);
            pool.choose(ALL_KINDS, budget, &facts.references);
            lines.extend(pool.call_lines().into_iter().skip(1));
        }
    }
    lines.join("\n")
}
