//! Writes the summary: each section gets a share of the budget. Room that a
//! section leaves goes to the references, and from them to the user's requests and
//! the final state.

use super::reference_groups::ReferenceGroups;
use super::request_lines::{prose_sample, render_requests, request_byte_demand};
use super::section_bodies::{EMPTY_SECTION, SectionBodies};
use super::token_budget::{
    SAMPLE_LENGTH, TokenCount, TokenRate, clip_lines_to_tokens, clip_to_tokens,
};
use super::tool_line::render_tools;
use crate::policy::SummaryTemplate;
use crate::summary::extract::facts::conversation_facts::ConversationFacts;
use crate::summary::extract::facts::references::References;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::frame::escape_heading;
use crate::summary::extract::lex::identifiers::{TextEncoding, scan_identifiers};
use crate::summary::extract::lex::quotations::scan_quotations;

/// The headings may cost at most a token in this many.
const FRAME_SHARE: usize = 5;
/// Shares of the bytes that the headings leave, in hundredths. The references have the rest. Chosen
/// so that the recall of the references reaches its target by exact counters too: by those, an
/// identifier costs twice as much as prose.
const REQUESTS_SHARE: usize = 22;
const ERRORS_SHARE: usize = 8;
const FILES_SHARE: usize = 11;
const STATE_SHARE: usize = 8;
const TOOLS_SHARE: usize = 3;
const PROSE_SHARE: usize = REQUESTS_SHARE + ERRORS_SHARE + FILES_SHARE + STATE_SHARE + TOOLS_SHARE;
/// Minimum room in bytes of the final state, the requests, the files and the tools. With less, the
/// state and the requests say nothing that an agent could go on from.
const LEAST_STATE: usize = 80;
const LEAST_REQUESTS: usize = 150;
const LEAST_FILES: usize = 40;
const LEAST_TOOLS: usize = 64;
/// Without headings, the share of the goal in hundredths.
const BARE_GOAL_SHARE: usize = 40;
/// Without headings, the budget in tokens below which the goal stands alone.
const BARE_GOAL_ONLY: usize = 16;
/// Maximum number of drafts of the references. A draft is corrected if its cost is off.
const MOST_DRAFTS: usize = 5;

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
            let fallback = format!("{} messages, no text", facts.message_count);
            clip_to_tokens(&fallback, budget, count)
        })
        .unwrap_or_else(|| "…".to_owned())
}

/// Returns a share of `total`.
fn hundredths_of(total: usize, hundredths: usize) -> usize {
    total * hundredths / 100
}

fn write_with_headings(
    facts: &mut ConversationFacts<'_>,
    template: SummaryTemplate,
    budget: usize,
    count: TokenCount<'_>,
) -> String {
    let left = budget.saturating_sub(count(&SectionBodies::default().render(template, "")));
    let prose_rate = TokenRate::measure(&prose_sample(facts), TokenRate::UNKNOWN, count);
    // Identifiers cost more than prose by most counters. The shares are of a mix of both.
    let reference_rate = TokenRate::measure(
        &facts.references.sample_text(SAMPLE_LENGTH),
        prose_rate,
        count,
    );
    let total = prose_rate
        .mix_with(PROSE_SHARE, reference_rate)
        .bytes_for(left);
    let errors = facts.errors.render(hundredths_of(total, ERRORS_SHARE));
    let files = facts
        .files
        .render(hundredths_of(total, FILES_SHARE).max(LEAST_FILES));
    let tools: Vec<String> = render_tools(
        facts.tools.as_slice(),
        hundredths_of(total, TOOLS_SHARE).max(LEAST_TOOLS),
    )
    .into_iter()
    .collect();
    let used: usize = errors
        .iter()
        .chain(&files)
        .chain(&tools)
        .map(|line| line.len() + 1)
        .sum();
    // Room that all references together would leave goes to the requests and the state.
    let reference_bytes = reference_rate.convert_bytes(facts.references.byte_demand(), prose_rate);
    let spare = prose_rate
        .bytes_for(left)
        .saturating_sub(used)
        .saturating_sub(reference_bytes);
    let spare_for_state = (spare / 3).max(spare.saturating_sub(request_byte_demand(facts)));
    let state_room = hundredths_of(total, STATE_SHARE)
        .max(LEAST_STATE)
        .max(facts.state.byte_demand().min(spare_for_state));
    let requests_room = hundredths_of(total, REQUESTS_SHARE)
        .max(LEAST_REQUESTS)
        .max(spare.saturating_sub(state_room));
    let requests = render_requests(facts, requests_room);
    let mut bodies = SectionBodies {
        goal: requests.goal.into_iter().collect(),
        requests: requests.quotations,
        tools,
        errors,
        references: Vec::new(),
        files,
        state: facts.state.render(state_room),
    };
    let text = bodies.render(template, EMPTY_SECTION);
    mark_told_references(&mut facts.references, &text);
    let rest = budget.saturating_sub(count(&text) + 1);
    let references = render_references(&mut facts.references, rest, reference_rate, count);
    if references.is_empty() {
        return text;
    }
    bodies.references.push(references);
    bodies.render(template, EMPTY_SECTION)
}

/// Marks the references that a text names.
fn mark_told_references(references: &mut References<'_>, text: &str) {
    scan_identifiers(text, TextEncoding::Plain, &mut |identifier, _, _| {
        references.mark_told(identifier)
    });
    scan_quotations(text, &mut |quoted, _| references.mark_told(quoted));
}

/// Renders the references in at most `tokens` tokens. Drafts them at the expected `rate`, counts
/// the tokens, and corrects the draft.
fn render_references(
    references: &mut References<'_>,
    tokens: usize,
    rate: TokenRate,
    count: TokenCount<'_>,
) -> String {
    let mut best = String::new();
    let mut room = rate.bytes_for(tokens);
    // A reference costs at least a token.
    let ranked = references.ranked_indices(tokens, count);
    let mut groups = ReferenceGroups::new(references, &ranked);
    for _ in 0..MOST_DRAFTS {
        let draft = groups.render(room);
        let cost = count(&draft.text);
        if cost > tokens {
            room = (draft.text.len() * tokens / cost).min(room - 1) * 49 / 50;
            continue;
        }
        let is_enough =
            draft.is_complete || cost * 100 >= tokens * 98 || draft.text.len() <= best.len();
        if draft.text.len() >= best.len() {
            best = draft.text;
        }
        if is_enough {
            break;
        }
        room = (room * tokens / cost.max(1)).min(room * 4);
    }
    best
}

/// Writes the goal, the files and the references, or the state if there is nothing else.
fn write_without_headings(
    facts: &mut ConversationFacts<'_>,
    budget: usize,
    count: TokenCount<'_>,
) -> String {
    let goal_budget = if budget < BARE_GOAL_ONLY {
        budget
    } else {
        (budget * BARE_GOAL_SHARE / 100).max(BARE_GOAL_ONLY / 2)
    };
    let goal = facts
        .goal
        .as_deref()
        .or_else(|| facts.earlier_prose.first().map(AsRef::as_ref))
        .and_then(|goal| {
            let line = fold_line(goal, goal_budget.saturating_mul(16));
            clip_to_tokens(&escape_heading(&line), goal_budget, count)
        });
    let mut lines: Vec<String> = goal.into_iter().collect();
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
        let references = render_references(&mut facts.references, rest, rate, count);
        lines.extend((!references.is_empty()).then_some(references));
        if lines.is_empty() {
            lines.extend(facts.state.render(budget.saturating_mul(4)));
        }
    }
    lines.join("\n")
}
