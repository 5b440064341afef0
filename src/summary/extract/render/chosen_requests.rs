//! Chooses which requests of the current task stand as the goal, as the newest one, and as quotations.

use super::repeated_requests::{repeats_form, repeats_request, without_goal, without_sentences};
use super::reported_requests::{only_complains, settled_at};
use super::short_replies::{offer_before, reply_with_question};
use super::told_answers::only_tells;
use crate::summary::extract::ablation::SummaryRule;
use crate::summary::extract::facts::conversation_facts::ConversationFacts;
use crate::summary::extract::facts::request_log::{LEAST_REQUEST, UserRequest};
use crate::summary::extract::facts::request_notes::{with_commit_note, with_times_note};
use crate::summary::extract::facts::standing_wishes::{LASTING, WISHES, is_withdrawn};
use crate::summary::extract::labels::THEN;
use crate::summary::extract::lex::fold::fold_line;
use std::borrow::Cow;

/// Maximum number of short replies that stand behind the newest request.
const MOST_REPLIES: usize = 3;

/// The requests of the current task, by the place where they stand.
pub(super) struct ChosenRequests<'f, 'r> {
    pub(super) goal: &'f UserRequest<'r>,
    /// What the user asked for last, with notes and with short replies behind it.
    pub(super) newest: Option<Cow<'f, str>>,
    /// The same as it was made, if nothing stands behind it.
    pub(super) newest_request: Option<&'f UserRequest<'r>>,
    /// The others, newest first.
    pub(super) quoted: Vec<&'f UserRequest<'r>>,
}

impl<'f, 'r> ChosenRequests<'f, 'r> {
    /// Chooses among the requests of the current task. Returns `None` if there is none. Short replies stand
    /// `with_questions` that they answer.
    pub(super) fn of(facts: &'f ConversationFacts<'r>, with_questions: bool) -> Option<Self> {
        let (goal, later) = facts.requests.current_task().split_first()?;
        // An unanswered request stands in the final state and is not repeated.
        let unanswered = facts.state.unanswered.as_deref();
        let mut quoted: Vec<&UserRequest<'_>> = later
            .iter()
            .rev()
            .filter(|request| Some(request.text.as_ref()) != unanswered)
            .collect();
        let replies = take_replies(facts, &mut quoted, with_questions);
        // What the user only tells is no request, but is quoted.
        let asked =
            (quoted.iter()).position(|request| !request.is_past && !only_tells(facts, request));
        let newest = asked
            .filter(|&at| quoted[at].text.len() >= LEAST_REQUEST)
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
                || request.text.len() < LEAST_REQUEST
                || !(repeats_request(goal, request)
                    || newest.is_some_and(|newest| {
                        repeats_request(newest, request) || repeats_form(newest, request)
                    }))
        });
        let said_since = messages_said_since(&quoted, newest);
        quoted.retain(|request| !said_since.contains(&request.message));
        let settled = settled_at(facts);
        quoted.retain(|request| {
            let is_settled = request.message <= settled && only_complains(&request.text);
            let is_withdrawn = is_withdrawn(request.message, facts.requests.current_task())
                && !LASTING.has_words(&request.text);
            !is_settled && !is_withdrawn
        });
        let newest_request = newest.filter(|_| replies.is_none());
        let newest = newest.and_then(|newest| newest_text(facts, newest, goal));
        let newest = match (newest, replies) {
            (Some(text), Some(replies)) => Some(Cow::Owned(format!("{text}\n{THEN}{replies}"))),
            (None, Some(replies)) => Some(Cow::Owned(replies)),
            (newest, None) => newest,
        };
        Some(Self {
            goal,
            newest,
            newest_request,
            quoted,
        })
    }
}

/// Returns the messages of the requests that a newer one holds as a whole. `quoted` holds the newest first.
fn messages_said_since(
    quoted: &[&UserRequest<'_>],
    newest: Option<&UserRequest<'_>>,
) -> Vec<usize> {
    let mut newer: Vec<&str> = newest
        .into_iter()
        .map(|request| request.text.trim())
        .collect();
    let mut said_since = Vec::new();
    for request in quoted.iter().take(MOST_COMPARED) {
        let text = request.text.trim();
        if text.len() >= LEAST_REQUEST && newer.iter().any(|newer| newer.contains(text)) {
            said_since.push(request.message);
        }
        newer.push(text);
    }
    said_since
}

/// Number of requests, the newest, that are compared with each other.
const MOST_COMPARED: usize = 60;

/// Returns what the newest request says besides the goal, with notes of how often it was made and whether a
/// commit came since. Returns `None` if nothing is left.
fn newest_text<'f>(
    facts: &ConversationFacts<'_>,
    newest: &'f UserRequest<'_>,
    goal: &UserRequest<'_>,
) -> Option<Cow<'f, str>> {
    let text = if SummaryRule::RepeatedRequests.is_off() {
        Cow::Borrowed(newest.text.as_ref())
    } else {
        without_goal(&newest.text, &goal.text)?
    };
    let text = with_times_note(without_sentences(text, &goal.text), newest.times);
    let text = match offer_before(facts, newest) {
        Some(offer) => Cow::Owned(format!("{text} ({offer})")),
        None => text,
    };
    let mut commits = facts.exchanges.commits_since(newest.message);
    Some(with_commit_note(text, commits.next().is_some()))
}

/// Takes the short requests from the start of `quoted`, which holds the newest first: `yes, go on`
/// speaks of the one before it. Returns them in a line, oldest first, perhaps with the questions that
/// they answer. Takes none if all are short, and no limit: `never push` stays a request of its own.
fn take_replies(
    facts: &ConversationFacts<'_>,
    quoted: &mut Vec<&UserRequest<'_>>,
    with_questions: bool,
) -> Option<String> {
    let newest = (quoted.iter()).position(|request| request.text.len() >= LEAST_REQUEST)?;
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
            fold_line(&request.text, LEAST_REQUEST).into_owned()
        };
        line.insert_str(0, &reply);
    }
    (!line.is_empty()).then_some(line)
}
