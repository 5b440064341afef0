//! Renders what the user wants: the goal of the current task, the newest request, the other
//! requests, and a line of the tasks that are finished.

use super::long_requests::{WISHES, fold_request};
use super::short_replies::reply_with_question;
use super::token_budget::SAMPLE_LENGTH;
use crate::summary::extract::ablation::SummaryRule;
use crate::summary::extract::facts::conversation_facts::ConversationFacts;
use crate::summary::extract::facts::request_log::UserRequest;
use crate::summary::extract::labels::{FINISHED, NEWEST_REQUEST, THEN, USER_HEADING, USER_QUOTE};
use crate::summary::extract::lex::blocks::{FoldedBlock, fold_block_ends};
use crate::summary::extract::lex::clip::clip_line;
use crate::summary::extract::lex::excerpt::first_line;
use crate::summary::extract::lex::fold::fold_line;
use std::borrow::Cow;

/// Minimum room in bytes in which a long goal has more than others.
const LEAST_FOR_LONG: usize = 360;
/// Minimum length in bytes of a newest request that stands beside the goal. Shorter ones, like
/// `yes, go on`, stand behind it, this many at most.
const LEAST_NEWEST: usize = 24;
const MOST_REPLIES: usize = 3;
/// Minimum room in bytes in which they stand with the questions that they answer.
const LEAST_FOR_QUESTIONS: usize = 480;
/// Maximum length in bytes of a request that is searched for a wish.
const LONGEST_WISH: usize = 400;
/// Maximum length in bytes of a finished task, and of all of them as a part of the room.
const LONGEST_FINISHED: usize = 70;
const FINISHED_SHARE: usize = 8;
/// The room of the goal and the newest request, and that of the goal in it, in hundredths at least.
const GOAL_SHARES: (usize, usize) = (60, 50);
/// The same of a long goal.
const LONG_GOAL_SHARES: (usize, usize) = (80, 55);
/// Maximum length in bytes of a request that is searched for others.
const LONGEST_REPEATING: usize = 8 * 1024;
/// Before the further lines of a quotation.
const INDENT: &str = "  ";

/// The least bytes of a quotation with its label: half a sentence says nothing to go on from.
struct LeastQuotation {
    /// Of a wish that holds for all that follows.
    wish: usize,
    other: usize,
}

impl LeastQuotation {
    /// Returns the least bytes beside results that are records or not, and beside a long goal or not.
    fn of(is_tabular: bool, beside_long: bool) -> Self {
        let (wish, other) = match (is_tabular, beside_long) {
            (true, _) => (60, 60),
            (false, false) => (120, 100),
            // Beside a long goal only a few quotations say something, but these are whole.
            (false, true) => (120, 160),
        };
        Self { wish, other }
    }
}

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
    let newest = (quoted.first())
        .is_some_and(|request| request.text.len() >= LEAST_NEWEST)
        .then(|| quoted.remove(0));
    let repeats = !SummaryRule::RepeatedRequests.is_off();
    quoted.retain(|request| {
        !repeats
            || request.text.len() < LEAST_NEWEST
            || !(repeats_request(goal, request)
                || newest.is_some_and(|newest| repeats_request(newest, request)))
    });
    let newest = newest.and_then(|request| match repeats {
        true => without_goal(&request.text, &goal.text),
        false => Some(Cow::Borrowed(request.text.as_ref())),
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
    let newest_cost = (newest.as_ref()).map_or(0, |text| text.len() + NEWEST_REQUEST.len() + 1);
    let is_long = !is_tabular && left >= LEAST_FOR_LONG && goal.text.len() > left;
    let (both_share, goal_share) = if is_long {
        LONG_GOAL_SHARES
    } else {
        GOAL_SHARES
    };
    let both_room = (left * both_share / 100).max(left.saturating_sub(others + USER_HEADING.len()));
    let goal_room = both_room
        .saturating_sub(newest_cost)
        .max(both_room * goal_share / 100);
    if let Some(block) = fold_request("", "", &goal.text, goal_room) {
        lines.push_goal(block, &mut left);
    }
    if let Some(text) = newest {
        let newest_room = (left * 2 / 3).max(left.saturating_sub(others));
        if let Some(block) = fold_request(NEWEST_REQUEST, INDENT, &text, newest_room) {
            lines.push_goal(block, &mut left);
        }
    }
    if !SummaryRule::Quotations.is_off() {
        let least = LeastQuotation::of(is_tabular, is_long);
        lines.push_quotations(facts, quoted, left, &least);
    }
    lines.quotations.extend(finished);
    lines
}

/// Takes the short requests from the start of `quoted`, which holds the newest first: `yes, go on`
/// speaks of the one before it. Returns them in a line, oldest first, perhaps with the questions that they
/// answer. Takes none if all are short.
fn short_replies(
    facts: &ConversationFacts<'_>,
    quoted: &mut Vec<&UserRequest<'_>>,
    with_questions: bool,
) -> Option<String> {
    let newest = (quoted.iter()).position(|request| request.text.len() >= LEAST_NEWEST)?;
    let mut line = String::new();
    for request in quoted.drain(..newest).take(MOST_REPLIES) {
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

/// Returns true if a request of moderate length holds another.
fn repeats_request(holder: &UserRequest<'_>, request: &UserRequest<'_>) -> bool {
    holder.text.len() <= LONGEST_REPEATING && holder.text.contains(request.text.as_ref())
}

/// Returns a request without the goal, which harnesses repeat with instructions around it. Returns
/// `None` if nothing else is left.
fn without_goal<'t>(request: &'t str, goal: &str) -> Option<Cow<'t, str>> {
    if goal.contains(request) {
        return None;
    }
    if goal.len() < LEAST_NEWEST {
        return Some(Cow::Borrowed(request));
    }
    let Some(at) = memchr::memmem::find(request.as_bytes(), goal.as_bytes()) else {
        return Some(Cow::Borrowed(request));
    };
    let (before, after) = (request[..at].trim_end(), &request[at + goal.len()..]);
    let rest = format!("{before}\n{}", after.trim_start());
    (rest.trim().len() >= LEAST_NEWEST).then(|| Cow::Owned(rest.trim().to_owned()))
}

impl RequestLines {
    fn push_goal(&mut self, block: FoldedBlock, left: &mut usize) {
        *left = left.saturating_sub(block.text.len() + 1);
        self.is_complete &= block.is_complete;
        self.goal.push(block.text);
    }

    /// Adds the quotations that `room` bytes have a sentence for each.
    fn push_quotations(
        &mut self,
        facts: &ConversationFacts<'_>,
        quoted: Vec<&UserRequest<'_>>,
        room: usize,
        least: &LeastQuotation,
    ) {
        let count = quoted.len();
        let selected = select_quotations(quoted, room, least);
        self.is_complete &= selected.len() == count;
        let with_question = |request: &UserRequest<'_>| -> String {
            if request.text.len() < LEAST_NEWEST && room >= LEAST_FOR_QUESTIONS / 2 {
                reply_with_question(facts, request)
            } else {
                request.text.to_string()
            }
        };
        let selected: Vec<String> = selected.into_iter().map(with_question).collect();
        let costs = selected.iter().map(|text| quotation_length(text));
        let mut left = room.saturating_sub(USER_HEADING.len() + 1);
        let most = equal_share(costs.collect(), left);
        for text in selected {
            let Some(block) = fold_block_ends(USER_QUOTE, INDENT, &text, most.min(left)) else {
                continue;
            };
            if self.quotations.is_empty() {
                self.quotations.push(USER_HEADING.to_owned());
            }
            left = left.saturating_sub(block.text.len() + 1);
            self.is_complete &= block.is_complete;
            self.quotations.push(block.text);
        }
    }
}

/// Returns the number of bytes of a quotation with its line end.
fn quotation_cost(request: &UserRequest<'_>) -> usize {
    quotation_length(&request.text)
}

fn quotation_length(text: &str) -> usize {
    text.len() + USER_QUOTE.len() + 1
}

/// Returns the requests to quote, newest first: those with a wish that holds for all that follows
/// have the first claim on half of the room, then the newest. Each has at least the bytes of `least`, or
/// all that it needs. Leaves out repetitions.
fn select_quotations<'f, 'r>(
    mut quoted: Vec<&'f UserRequest<'r>>,
    room: usize,
    least: &LeastQuotation,
) -> Vec<&'f UserRequest<'r>> {
    let mut seen = hashbrown::HashSet::new();
    quoted.retain(|request| seen.insert(request.text.as_ref()));
    let mut left = room.saturating_sub(USER_HEADING.len() + 1);
    let mut is_selected = vec![false; quoted.len()];
    for only_wishes in [true, false] {
        let least_left = if only_wishes { left / 2 } else { 0 };
        for (request, is_selected) in quoted.iter().zip(&mut is_selected) {
            if *is_selected || (only_wishes && !holds_wish(&request.text)) {
                continue;
            }
            let room = if only_wishes { least.wish } else { least.other };
            let room = quotation_cost(request).min(room);
            if least_left + room > left {
                break;
            }
            left -= room;
            *is_selected = true;
        }
    }
    let selected = quoted.into_iter().zip(is_selected);
    selected
        .filter_map(|(request, is_selected)| is_selected.then_some(request))
        .collect()
}

/// Returns true if a short request holds a wish or a limit.
fn holds_wish(text: &str) -> bool {
    text.len() <= LONGEST_WISH && WISHES.has_words(text)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_that_a_request_repeats_is_written_once() {
        let goal = "Build the dashboard of the design.";
        let request = format!("You are an engineer.\nRoot: /srv\n\n{goal}\nNever push.");
        assert_eq!(
            without_goal(&request, goal).as_deref(),
            Some("You are an engineer.\nRoot: /srv\nNever push.")
        );
        assert_eq!(
            without_goal("Now test all of it, please", goal).as_deref(),
            Some("Now test all of it, please")
        );
        assert_eq!(without_goal(goal, goal), None);
        assert_eq!(without_goal("dashboard", goal), None);
    }
}
