//! Renders what the user wants: the goal of the current task, the newest request, the other
//! requests, and a line of the tasks that are finished.

use super::chosen_requests::ChosenRequests;
use super::long_requests::{INDENT, fold_request_about, with_small_rest};
use super::repeated_requests::without_sentences;
use super::reported_requests::report_note;
use super::request_sections::is_pasted;
use super::token_budget::SAMPLE_LENGTH;
use super::unclear_goals::understood_as;
use super::user_quotations::{LeastQuotation, Quotation, quotation_cost, render_quotations};
use crate::summary::extract::ablation::SummaryRule;
use crate::summary::extract::facts::conversation_facts::ConversationFacts;
use crate::summary::extract::facts::request_log::{LEAST_REQUEST, UserRequest};
use crate::summary::extract::facts::standing_wishes::WISHES;
use crate::summary::extract::labels::{
    ANSWERED, ASKED_AGAIN, FINISHED, LATER_REQUEST, NEWEST_REQUEST, USER_HEADING,
};
use crate::summary::extract::lex::blocks::{FoldedBlock, fold_block_ends};
use crate::summary::extract::lex::clip::{CLIP_MARK, clip_line};
use crate::summary::extract::lex::excerpt::first_line;
use crate::summary::extract::lex::fold::fold_line;
use std::borrow::Cow;

/// Minimum room in bytes in which a long goal has more than others.
const LEAST_FOR_LONG: usize = 360;
/// Minimum room in bytes in which short replies stand with the questions that they answer.
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
/// The least room of the goal in bytes: less than a sentence of it says nothing.
const LEAST_GOAL: usize = 200;
/// How long the newest request may be for that, with the goal's share, where results are prose: a few of its
/// sentences are missed less than those of a goal of long ago.
const MOST_OF_NEWEST: usize = 130;
/// The most of the goal in bytes beside a newest request of this length, where results are prose: most of it was
/// done before that was asked for.
const LONGEST_OLD_GOAL: usize = 560;
const LEAST_NEWEST: usize = 160;
/// The same as a part of the room of all requests, in hundredths.
const OLD_GOAL_SHARE: usize = 50;
/// The most of the goal in bytes beside a shorter newest request, if much else was asked for since.
const LONGEST_DISTANT_GOAL: usize = 440;
/// The most of the goal of an earlier summary beside a newest request of at least `LEAST_TASK` bytes: in bytes, or
/// in hundredths of the room of all requests, if that is more.
const LONGEST_GOAL_OVER: usize = 280;
const GOAL_OVER_SHARE: usize = 25;
const LEAST_TASK: usize = 48;
/// Maximum length in bytes of a goal that takes a line, and the minimum length of its first line for that.
const LONGEST_GOAL_LINE: usize = 140;
const LEAST_GOAL_LINE: usize = 32;
/// Length in bytes from which on the newest request is more of the task than the goal, where results are prose.
const LONG_NEWEST_REQUEST: usize = 400;
/// The most that a newest request has of the room which is what a program printed, in hundredths.
const PASTED_SHARE: usize = 45;
/// Room in bytes for an older wish beside a long request.
const WISH_ROOM: usize = 160;

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

/// Renders the requests in at most `room` bytes together, or in a few more where the goal then stays whole.
/// `is_tabular` is true if most results are records.
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
    let Some(requests) = ChosenRequests::of(facts, room >= LEAST_FOR_QUESTIONS) else {
        return lines;
    };
    let ChosenRequests { goal, quoted, .. } = &requests;
    let finished = finished_line(facts, room / FINISHED_SHARE);
    let mut left = room.saturating_sub(finished.as_ref().map_or(0, |line| line.len() + 1));
    let newest_label = if facts.state.is_asked_later {
        LATER_REQUEST
    } else {
        NEWEST_REQUEST
    };
    // Where results are records, what came of a request stands in them.
    let note_on = |request: &UserRequest<'_>| {
        if is_tabular {
            ""
        } else {
            report_note(facts, request)
        }
    };
    let goal_note = requests.newest.as_ref().map_or("", |_| note_on(goal));
    let costs = RequestCosts::of(facts, &requests, newest_label, goal_note);
    let is_long = !is_tabular && left >= LEAST_FOR_LONG && goal.text.len() > left;
    let goal_room = costs.goal_room(left, is_tabular, is_long);
    let goal_room = goal_room.saturating_sub(costs.goal_note.len());
    let goal_block = if costs.is_goal_line(goal_room) {
        fold_block_ends("", "", first_line(&goal.text), LONGEST_GOAL_LINE).map(|block| {
            FoldedBlock {
                text: format!("{}{CLIP_MARK}", block.text.trim_end_matches(CLIP_MARK)),
                is_complete: false,
            }
        })
    } else {
        fold_request_about("", "", &goal.text, goal_room, &facts.work_in_hand)
    };
    if let Some(mut block) = goal_block {
        note_first_line(&mut block.text, costs.goal_note);
        lines.push_goal(block, &mut left);
    }
    if let Some(line) = understood_as(facts, goal) {
        left = left.saturating_sub(line.len() + 1);
        lines.goal.push(line);
    }
    if facts.requests.is_asked_again {
        left = left.saturating_sub(ASKED_AGAIN.len() + 1);
        lines.goal.push(ASKED_AGAIN.to_owned());
    }
    if let Some(text) = &requests.newest {
        let holds_wish = quoted.iter().any(|request| WISHES.has_words(&request.text));
        let note = requests.newest_request.map_or("", note_on);
        let newest_room = costs.newest_room(left.saturating_sub(note.len()), holds_wish);
        if let Some(mut block) =
            fold_request_about(newest_label, INDENT, text, newest_room, &facts.work_in_hand)
        {
            note_first_line(&mut block.text, note);
            lines.push_goal(block, &mut left);
        }
    }
    if !SummaryRule::Quotations.is_off() {
        let least = LeastQuotation::of(is_tabular, is_long, left);
        // Where not all of them fit, of the older ones only the wishes stay.
        let is_tight = !is_tabular && costs.others > left;
        let as_quoted = |(age, request): (usize, &&UserRequest<'_>)| {
            let is_short = request.text.len() < LEAST_REQUEST && !WISHES.has_words(&request.text);
            if is_short && left >= LEAST_FOR_QUESTIONS / 2 {
                return Quotation::of_reply(facts, request);
            }
            let text = without_sentences(Cow::Borrowed(&request.text), &goal.text);
            if is_tabular {
                return if costs.others <= left {
                    Quotation::of(&text, 0)
                } else {
                    Quotation::of_told(&text)
                };
            }
            // An answer speaks of what was asked, whatever it points to.
            if request.is_past {
                return Quotation::of_answer(&text);
            }
            let note = report_note(facts, request);
            Quotation::of(&text, if is_tight { age } else { 0 }).with_note(note)
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

/// Writes a note behind the first line of a request that says something, unless that holds on: behind an item, it would
/// be about that.
fn note_first_line(text: &mut String, note: &str) {
    let mut ends = text.match_indices('\n').map(|(at, _)| at);
    let end = ends.find(|end| *end >= LEAST_REQUEST).unwrap_or(text.len());
    let start = text[..end].rfind('\n').map_or(0, |at| at + 1);
    let holds_on = note == ANSWERED && WISHES.has_words(&text[start..end]);
    if !holds_on {
        text.insert_str(end, note);
    }
}

impl RequestLines {
    fn push_goal(&mut self, block: FoldedBlock, left: &mut usize) {
        *left = left.saturating_sub(block.text.len() + 1);
        self.is_complete &= block.is_complete;
        self.goal.push(block.text);
    }
}

/// What the requests cost as a whole, in bytes.
struct RequestCosts {
    goal: usize,
    newest: usize,
    /// All quotations together.
    others: usize,
    /// The newest request is what a program printed.
    is_pasted: bool,
    /// The goal is that of an earlier summary, and something else was asked for since: much of it is done.
    is_goal_over: bool,
    /// What became of the goal before the newest request was made. Empty if nobody knows.
    goal_note: &'static str,
    /// The first line of the goal says what it is about, and nothing that holds on.
    has_telling_line: bool,
}

impl RequestCosts {
    fn of(
        facts: &ConversationFacts<'_>,
        requests: &ChosenRequests<'_, '_>,
        newest_label: &str,
        goal_note: &'static str,
    ) -> Self {
        let newest = requests.newest.as_ref();
        let is_inherited = facts.earlier.message == Some(requests.goal.message);
        let quoted = requests.quoted.iter();
        let first = first_line(&requests.goal.text);
        Self {
            goal: requests.goal.text.len() + 1,
            newest: newest.map_or(0, |text| text.len() + newest_label.len() + 1),
            others: quoted.map(|request| quotation_cost(request)).sum(),
            is_pasted: newest.is_some_and(|text| is_pasted(text)),
            is_goal_over: is_inherited && newest.is_some_and(|text| text.len() >= LEAST_TASK),
            goal_note,
            has_telling_line: first.len() >= LEAST_GOAL_LINE && !WISHES.has_words(first),
        }
    }

    /// Returns the room of the goal in `left` bytes. It and the newest request have the room that the others
    /// leave, and most of it at least.
    fn goal_room(&self, left: usize, is_tabular: bool, is_long: bool) -> usize {
        let (both_share, goal_share) = if is_long {
            LONG_GOAL_SHARES
        } else {
            GOAL_SHARES
        };
        let both_room =
            (left * both_share / 100).max(left.saturating_sub(self.others + USER_HEADING.len()));
        // The newest request is the one to answer: where it fits beside a part of the goal, it stays whole.
        let least_share = if is_tabular {
            LEAST_GOAL_SHARE
        } else {
            LEAST_GOAL_SHARE_OF_PROSE
        };
        let most = if is_tabular { 100 } else { MOST_OF_NEWEST };
        let is_open = !is_tabular && self.newest >= LONG_NEWEST_REQUEST && !self.is_pasted;
        let goal_share =
            if is_open || self.newest * 100 <= both_room * most.saturating_sub(least_share) {
                goal_share.min(least_share)
            } else {
                goal_share
            };
        let room = both_room
            .saturating_sub(self.newest)
            .max(both_room * goal_share / 100)
            .max(LEAST_GOAL.min(both_room / 2));
        let room = if is_tabular {
            room
        } else if self.is_goal_over {
            room.min(LONGEST_GOAL_OVER.max(left * GOAL_OVER_SHARE / 100))
        } else if self.newest < LEAST_NEWEST {
            // Much was asked for since: the goal of long ago leaves room for that.
            if self.newest > 0 && self.others * 2 > left {
                room.min(LONGEST_DISTANT_GOAL)
            } else {
                room
            }
        } else {
            // With more room for all, it has more, too.
            room.min(LONGEST_OLD_GOAL.max(left * OLD_GOAL_SHARE / 100))
        };
        // What is open is not cut before what is answered.
        let room = if self.is_goal_answered() {
            room.min(LONGEST_GOAL_OVER.max(left.saturating_sub(self.newest)))
        } else {
            room
        };
        with_small_rest(room, self.goal)
    }

    /// Returns true if the goal was answered, and the newest request says what is wanted now.
    fn is_goal_answered(&self) -> bool {
        !self.goal_note.is_empty() && !self.is_pasted
    }

    /// Returns true if the goal takes a line: it was answered, and beside a long newest request a part of it would
    /// read as if it were open.
    fn is_goal_line(&self, room: usize) -> bool {
        self.is_goal_answered()
            && self.has_telling_line
            && self.newest >= LONG_NEWEST_REQUEST
            && self.goal > room
    }

    /// Returns the room of the newest request in the `left` bytes behind the goal. Beside a long one, a limit
    /// of an older one still holds: for that some is kept if any other `holds_wish`.
    fn newest_room(&self, left: usize, holds_wish: bool) -> usize {
        let reserved = if holds_wish {
            (left / 3).min(WISH_ROOM)
        } else {
            0
        };
        let mut most = left.saturating_sub(reserved);
        if self.is_pasted {
            most = most.min(left * PASTED_SHARE / 100);
        }
        let room = (left * 2 / 3)
            .max(left.saturating_sub(self.others))
            .max(self.newest.min(left));
        with_small_rest(room.min(most), self.newest).min(most)
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
