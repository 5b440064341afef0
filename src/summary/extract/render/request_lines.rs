//! Renders what the user wants: the goal of the current task, the newest request, the other
//! requests, and a line of the tasks that are finished.

use super::long_requests::fold_request;
use super::repeated_requests::{repeats_form, repeats_request, without_goal, without_sentences};
use super::request_parts::WISHES;
use super::short_replies::{is_answer, reply_with_question};
use super::token_budget::SAMPLE_LENGTH;
use super::user_quotations::{LeastQuotation, Quotation, quotation_cost, render_quotations};
use crate::summary::extract::ablation::SummaryRule;
use crate::summary::extract::facts::conversation_facts::ConversationFacts;
use crate::summary::extract::facts::request_log::UserRequest;
use crate::summary::extract::labels::{
    ASKED_AGAIN, COMMITTED_SINCE, FINISHED, LATER_REQUEST, NEWEST_REQUEST, SAID_OFTEN, THEN,
    USER_HEADING,
};
use crate::summary::extract::lex::blocks::FoldedBlock;
use crate::summary::extract::lex::clip::clip_line;
use crate::summary::extract::lex::excerpt::first_line;
use crate::summary::extract::lex::fold::fold_line;
use std::borrow::Cow;

/// Minimum room in bytes in which a long goal has more than others.
const LEAST_FOR_LONG: usize = 360;
/// Minimum length in bytes of a newest request that stands beside the goal. Shorter ones, like
/// `yes, go on`, stand behind it, this many at most.
pub(super) const LEAST_NEWEST: usize = 24;
const MOST_REPLIES: usize = 3;
/// Minimum room in bytes in which they stand with the questions that they answer.
const LEAST_FOR_QUESTIONS: usize = 480;
/// Maximum length in bytes of a finished task, and of all of them as a part of the room.
const LONGEST_FINISHED: usize = 70;
const FINISHED_SHARE: usize = 8;
/// The room of the goal and the newest request, and that of the goal in it, in hundredths at least.
const GOAL_SHARES: (usize, usize) = (60, 50);
/// The same of a long goal.
const LONG_GOAL_SHARES: (usize, usize) = (80, 55);
/// The share of the goal beside a newest request that fits as a whole, where results are records and
/// where they are prose.
const LEAST_GOAL_SHARE: usize = 36;
const LEAST_GOAL_SHARE_OF_PROSE: usize = 24;
/// Before the further lines of a request.
pub(super) const INDENT: &str = "  ";

/// The rendered requests.
pub(crate) struct RequestLines {
    /// The goal and the newest request.
    pub(crate) goal: Vec<String>,
    pub(crate) quotations: Vec<String>,
    /// No part of a request was left out.
    pub(crate) is_complete: bool,
}

/// Returns some prose of the conversation, to measure its cost in tokens.
pub(crate) fn prose_sample(facts: &ConversationFacts<'_>) -> String {
    let mut sample = String::new();
    let requests = facts.requests.current_task().iter();
    let earlier = facts.earlier.lines.iter();
    for text in requests
        .map(|request| request.text.as_ref())
        .chain(earlier.map(|line| line.text))
    {
        if sample.len() >= SAMPLE_LENGTH {
            break;
        }
        sample.push_str(&fold_line(text, SAMPLE_LENGTH));
        sample.push(' ');
    }
    sample
}

/// Renders the requests in at most `room` bytes together. `is_tabular` is true if most results are
/// records.
pub(crate) fn render_requests(
    facts: &ConversationFacts<'_>,
    room: usize,
    is_tabular: bool,
) -> RequestLines {
    let mut lines = RequestLines {
        goal: Vec::new(),
        quotations: Vec::new(),
        is_complete: true,
    };
    let Some((goal, later)) = facts.requests.current_task().split_first() else {
        return lines;
    };
    // An unanswered request stands in the final state and is not repeated.
    let unanswered = facts.state.unanswered.as_deref();
    let mut quoted: Vec<&UserRequest<'_>> = later
        .iter()
        .rev()
        .filter(|request| Some(request.text.as_ref()) != unanswered)
        .collect();
    let replies = short_replies(facts, &mut quoted, room >= LEAST_FOR_QUESTIONS);
    // What the user only tells is no request, but is quoted.
    let asked = (quoted.iter()).position(|request| !is_answer(facts, request));
    let newest = asked
        .filter(|&at| quoted[at].text.len() >= LEAST_NEWEST)
        .map(|at| quoted.remove(at));
    let repeats = !SummaryRule::RepeatedRequests.is_off();
    // The whole goal said again with more around it is the goal.
    let restated = newest.filter(|newest| repeats && repeats_request(newest, goal));
    let (goal, newest) = match restated {
        Some(newest) => (newest, None),
        None => (goal, newest),
    };
    quoted.retain(|request| {
        !repeats
            || request.text.len() < LEAST_NEWEST
            || !(repeats_request(goal, request)
                || newest.is_some_and(|newest| {
                    repeats_request(newest, request) || repeats_form(newest, request)
                }))
    });
    let is_committed = newest.is_some_and(|request| {
        facts
            .exchanges
            .commits_since(request.message)
            .next()
            .is_some()
    });
    let times = newest.map_or(1, |request| request.times);
    let newest = newest.and_then(|request| match repeats {
        true => without_goal(&request.text, &goal.text),
        false => Some(Cow::Borrowed(request.text.as_ref())),
    });
    let newest = newest.map(|text| without_sentences(text, &goal.text));
    let newest = newest.map(|text| match times {
        1 => text,
        _ => Cow::Owned(format!("{text} {SAID_OFTEN}{times} times)")),
    });
    let newest = newest.map(|text| match is_committed {
        true => Cow::Owned(format!("{COMMITTED_SINCE}{text}")),
        false => text,
    });
    let newest = match (newest, replies) {
        (Some(text), Some(replies)) => Some(Cow::Owned(format!("{text}\n{THEN}{replies}"))),
        (None, Some(replies)) => Some(Cow::Owned(replies)),
        (newest, None) => newest,
    };
    let finished = finished_line(facts, room / FINISHED_SHARE);
    let mut left = room.saturating_sub(finished.as_ref().map_or(0, |line| line.len() + 1));
    // The goal and the newest request have the room that the others leave, and most of it at least.
    let others: usize = quoted.iter().map(|request| quotation_cost(request)).sum();
    let newest_label = if facts.state.is_asked_later {
        LATER_REQUEST
    } else {
        NEWEST_REQUEST
    };
    let newest_cost = (newest.as_ref()).map_or(0, |text| text.len() + newest_label.len() + 1);
    let is_long = !is_tabular && left >= LEAST_FOR_LONG && goal.text.len() > left;
    let (both_share, goal_share) = if is_long {
        LONG_GOAL_SHARES
    } else {
        GOAL_SHARES
    };
    let both_room = (left * both_share / 100).max(left.saturating_sub(others + USER_HEADING.len()));
    // The newest request is the one to answer: where it fits beside a part of the goal, it stays whole.
    let least_share = if is_tabular {
        LEAST_GOAL_SHARE
    } else {
        LEAST_GOAL_SHARE_OF_PROSE
    };
    let goal_share = if newest_cost * 100 <= both_room * (100 - least_share) {
        goal_share.min(least_share)
    } else {
        goal_share
    };
    let goal_room = both_room
        .saturating_sub(newest_cost)
        .max(both_room * goal_share / 100);
    let goal_room = with_small_rest(goal_room, goal.text.len() + 1);
    if let Some(block) = fold_request("", "", &goal.text, goal_room) {
        lines.push_goal(block, &mut left);
    }
    if facts.requests.is_asked_again {
        left = left.saturating_sub(ASKED_AGAIN.len() + 1);
        lines.goal.push(ASKED_AGAIN.to_owned());
    }
    if let Some(text) = newest {
        let newest_room = (left * 2 / 3)
            .max(left.saturating_sub(others))
            .max(newest_cost.min(left));
        // Beside a long request, a limit of an older one still holds.
        let holds_wish = quoted.iter().any(|request| WISHES.has_words(&request.text));
        let reserved = if holds_wish {
            (left / 3).min(WISH_ROOM)
        } else {
            0
        };
        let newest_room = newest_room.min(left.saturating_sub(reserved));
        let newest_room =
            with_small_rest(newest_room, newest_cost).min(left.saturating_sub(reserved));
        if let Some(block) = fold_request(newest_label, INDENT, &text, newest_room) {
            lines.push_goal(block, &mut left);
        }
    }
    if !SummaryRule::Quotations.is_off() {
        let least = LeastQuotation::of(is_tabular, is_long, left);
        // Where not all of them fit, of the older ones only the wishes stay.
        let is_tight = !is_tabular && others > left;
        let as_quoted = |(age, request): (usize, &&UserRequest<'_>)| {
            let is_short = request.text.len() < LEAST_NEWEST && !WISHES.has_words(&request.text);
            if is_short && left >= LEAST_FOR_QUESTIONS / 2 {
                return Quotation::of_reply(facts, request);
            }
            let text = without_sentences(Cow::Borrowed(&request.text), &goal.text);
            Quotation::of(&text, if is_tight { age } else { 0 })
        };
        let quoted = (quoted.iter().enumerate())
            .map(as_quoted)
            .filter(|quotation| is_tabular || quotation.says_something())
            .collect();
        let quotations = render_quotations(quoted, left, &least);
        lines.is_complete &= quotations.is_complete;
        lines.quotations = quotations.lines;
    }
    lines.quotations.extend(finished);
    lines
}

/// Returns the room of a request that costs `cost` bytes: where little of it would be left out, all of it
/// stays.
pub(super) fn with_small_rest(room: usize, cost: usize) -> usize {
    if cost <= room + SMALL_REST {
        room.max(cost)
    } else {
        room
    }
}

/// Room in bytes for an older wish beside a long request.
const WISH_ROOM: usize = 160;
/// Number of bytes that are not worth a gap in a request.
const SMALL_REST: usize = 48;

/// Takes the short requests from the start of `quoted`, which holds the newest first: `yes, go on`
/// speaks of the one before it. Returns them in a line, oldest first, perhaps with the questions that
/// they answer. Takes none if all are short, and no limit: `never push` stays a request of its own.
fn short_replies(
    facts: &ConversationFacts<'_>,
    quoted: &mut Vec<&UserRequest<'_>>,
    with_questions: bool,
) -> Option<String> {
    let newest = (quoted.iter()).position(|request| request.text.len() >= LEAST_NEWEST)?;
    let mut line = String::new();
    // A limit is quoted, however short it is.
    let (limits, replies): (Vec<_>, Vec<_>) = quoted
        .drain(..newest)
        .partition(|request| WISHES.has_words(&request.text));
    // The newest request stands first.
    quoted.splice(1..1, limits);
    for request in replies.into_iter().take(MOST_REPLIES) {
        let separator = if line.is_empty() { "" } else { " / " };
        line.insert_str(0, separator);
        let reply = if with_questions {
            reply_with_question(facts, request)
        } else {
            fold_line(&request.text, LEAST_NEWEST).into_owned()
        };
        line.insert_str(0, &reply);
    }
    (!line.is_empty()).then_some(line)
}

impl RequestLines {
    fn push_goal(&mut self, block: FoldedBlock, left: &mut usize) {
        *left = left.saturating_sub(block.text.len() + 1);
        self.is_complete &= block.is_complete;
        self.goal.push(block.text);
    }
}

/// Returns a line of the finished tasks, newest first, in at most `room` bytes.
fn finished_line(facts: &ConversationFacts<'_>, room: usize) -> Option<String> {
    let mut line = String::new();
    for request in facts.requests.finished_tasks().rev() {
        let first = fold_line(first_line(&request.text), LONGEST_FINISHED);
        let separator = if line.is_empty() { FINISHED } else { "; " };
        if first.is_empty() || line.len() + separator.len() + first.len() > room {
            break;
        }
        line.push_str(separator);
        line.push_str(&first);
    }
    clip_line(&line, room).map(Cow::into_owned)
}
