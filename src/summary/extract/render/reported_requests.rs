//! Tells which requests the assistant reported as done, so that a finished one is not taken up again.

use super::repeated_requests::has_same_opening;
use super::sentence_worth::{TASKS, is_order};
use crate::summary::extract::facts::conversation_facts::ConversationFacts;
use crate::summary::extract::facts::request_log::UserRequest;
use crate::summary::extract::facts::standing_wishes::WISHES;
use crate::summary::extract::facts::user_messages::{UserMessageKind, classify_user_message};
use crate::summary::extract::labels::{ANSWERED, REPORTED_DONE};
use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lex::sentences::{QUESTION_MARKS, asks_at_end, split_sentences};
use crate::summary::extract::lexicon::assistant_words::{
    COMPLAINT_WORDS, DENIAL_WORDS, REPORTING_WORDS,
};
use crate::summary::extract::lexicon::request_words::{SOLVED_WORDS, UNSURE_WORDS};
use crate::transcript::Role;
use crate::transcript::view::ViewedTurn;
use std::sync::LazyLock;

static REPORTS: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[REPORTING_WORDS]));

/// Maximum length in bytes of a complaint. In a longer message, its words may be about anything.
const LONGEST_COMPLAINT: usize = 600;
/// Maximum length in bytes of a request that one report can be about. A longer one orders more than that.
const LONGEST_REPORTED: usize = 600;

static DENIALS: LazyLock<PhraseSearch> =
    LazyLock::new(|| PhraseSearch::new(&[COMPLAINT_WORDS, DENIAL_WORDS]));

static COMPLAINTS: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[COMPLAINT_WORDS]));

/// Returns true if the user may say that something is not done.
fn denies(text: &str) -> bool {
    DENIALS.has_words(text)
}

/// Returns the note behind a request that the assistant reported as done, or replied to, before the user asked for
/// something else. Empty for others.
pub(super) fn report_note(
    facts: &ConversationFacts<'_>,
    request: &UserRequest<'_>,
) -> &'static str {
    let has_note = [REPORTED_DONE, ANSWERED]
        .iter()
        .any(|note| request.text.ends_with(note.trim_start()));
    if has_note || facts.earlier.message == Some(request.message) || !asks_something(&request.text)
    {
        return "";
    }
    let Some(reply) = ClosingReply::find(facts, request.message) else {
        return "";
    };
    let is_anew = is_asked_anew(facts, request);
    let may_complain = reply.next.len() <= LONGEST_COMPLAINT;
    if may_complain && (COMPLAINTS.has_words(reply.next) || (denies(reply.next) && !is_anew)) {
        // A question has its answer, whatever the user says of it.
        return if asks_at_end(&request.text) {
            ANSWERED
        } else {
            ""
        };
    }
    let is_short = request.text.len() <= LONGEST_REPORTED || is_anew;
    if is_short && reply.reports_work {
        REPORTED_DONE
    } else if reply.follows_work || asks_at_end(&request.text) {
        ANSWERED
    } else {
        // Words alone do nothing: `I want to cycle to the lake` is what the talk is about.
        ""
    }
}

/// Returns true for a message with an order or a question. What only tells is never done.
fn asks_something(text: &str) -> bool {
    let mut sentences = text.lines().flat_map(split_sentences).map(str::trim);
    TASKS.has_words(text)
        || WISHES.has_words(text)
        || text.contains(QUESTION_MARKS)
        || sentences.any(is_order)
}

/// Returns the number of the last message in which the user says that it works now: complaints before it are over.
pub(super) fn settled_at(facts: &ConversationFacts<'_>) -> usize {
    let newest_first = facts.requests.current_task().iter().rev();
    let mut praises = newest_first.filter(|request| {
        let text = request.text.trim();
        text.len() <= LONGEST_PRAISE
            && PRAISES.has_words(text)
            && !denies(text)
            && !UNSURE.has_words(text)
            && !asks_something(text)
    });
    praises.next().map_or(0, |request| request.message)
}

/// Returns true if a user says that something does not work, and asks for nothing.
pub(super) fn only_complains(text: &str) -> bool {
    COMPLAINTS.has_words(text) && !asks_something(text)
}

/// Maximum length in bytes of such a message.
const LONGEST_PRAISE: usize = 48;
static PRAISES: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[SOLVED_WORDS]));
static UNSURE: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[UNSURE_WORDS]));

/// Returns true if the next request is the same form, filled in with something else: each is done before the next
/// is written.
fn is_asked_anew(facts: &ConversationFacts<'_>, request: &UserRequest<'_>) -> bool {
    let requests = facts.requests.current_task();
    let next = requests.partition_point(|other| other.message <= request.message);
    requests
        .get(next)
        .is_some_and(|next| has_same_opening(next, request))
}

/// The message in which the assistant ends its work for a request.
struct ClosingReply<'t> {
    /// Calls stand before it.
    follows_work: bool,
    /// It reports what these did.
    reports_work: bool,
    /// The next request.
    next: &'t str,
}

impl<'t> ClosingReply<'t> {
    /// Finds the reply to message number `message`: without calls, and without a question at its end, unless that
    /// stands behind much else. The next request may stand in the messages that stay.
    fn find(facts: &'t ConversationFacts<'_>, message: usize) -> Option<Self> {
        let later = facts.turns.get(message + 1..).unwrap_or_default();
        let is_request = |turn: &ViewedTurn<'_>| {
            turn.role == Role::User && classify_user_message(&turn.text) == UserMessageKind::Request
        };
        let next = later.iter().position(is_request);
        if next.is_none() && !facts.state.is_asked_later {
            return None;
        }
        let work = &later[..next.unwrap_or(later.len())];
        let is_said =
            |turn: &&ViewedTurn<'_>| turn.role == Role::Assistant && !turn.text.trim().is_empty();
        let reply = work.iter().rev().find(is_said)?;
        let is_last = work.last().is_some_and(|last| last.calls.is_empty());
        let only_asks = asks_at_end(&reply.text) && reply.text.len() < LONG_REPLY;
        if !is_last || !reply.calls.is_empty() || only_asks {
            return None;
        }
        let follows_work = work.iter().any(|turn| !turn.calls.is_empty());
        Some(Self {
            follows_work,
            reports_work: follows_work
                && REPORTS.has_words(&reply.text)
                && !asks_at_end(&reply.text),
            next: next.map_or("", |next| &later[next].text),
        })
    }
}

/// Length in bytes from which on a reply answers, whatever it asks at its end: `Shall I write it to a file?`
const LONG_REPLY: usize = 600;
