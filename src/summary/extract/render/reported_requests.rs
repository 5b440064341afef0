//! Tells which requests the assistant reported as done, so that a finished one is not taken up again.

use super::repeated_requests::has_same_opening;
use super::sentence_worth::{TASKS, is_order};
use crate::summary::extract::facts::closing_words::SETBACKS;
use crate::summary::extract::facts::conversation_facts::ConversationFacts;
use crate::summary::extract::facts::finding_sentences::begins_with_intent;
use crate::summary::extract::facts::request_log::LEAST_REQUEST;
use crate::summary::extract::facts::request_log::UserRequest;
use crate::summary::extract::facts::standing_wishes::WISHES;
use crate::summary::extract::facts::user_messages::{UserMessageKind, classify_user_message};
use crate::summary::extract::labels::{ANSWERED, REPORTED_DONE};
use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lex::sentences::{QUESTION_MARKS, asks_at_end, split_sentences};
use crate::summary::extract::lexicon::assistant_words::{
    ASKING_BACK_WORDS, COMPLAINT_WORDS, DENIAL_WORDS, INTENT_WORDS, PUTTING_OFF_WORDS,
    REPORTING_WORDS, UNABLE_WORDS,
};
use crate::summary::extract::lexicon::request_words::{
    POLITE_OPENINGS, SOLVED_WORDS, UNSURE_WORDS,
};
use crate::transcript::Role;
use crate::transcript::view::ViewedTurn;
use std::sync::LazyLock;

static REPORTS: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[REPORTING_WORDS]));

static UNABLE: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[UNABLE_WORDS]));
/// Searches for words of what is still to come.
static TO_COME: LazyLock<PhraseSearch> =
    LazyLock::new(|| PhraseSearch::new(&[ASKING_BACK_WORDS, INTENT_WORDS]));

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
/// something else. Empty for others, and in doubt: what is open and reads as done misleads most.
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
        return "";
    }
    let is_short = request.text.len() <= LONGEST_REPORTED || is_anew;
    if is_short && reply.reports_work() {
        REPORTED_DONE
    } else if !reply.puts_off() && (is_pure_question(&request.text) || reply.ends_work()) {
        ANSWERED
    } else {
        // Words alone do nothing: `I want to cycle to the lake` is what the talk is about.
        ""
    }
}

/// Returns true for a text that ends with a question which is no order in polite words: `can you mend it?`
fn is_pure_question(text: &str) -> bool {
    let line = text.trim_end().lines().next_back().unwrap_or_default();
    let Some(last) = split_sentences(line).last().map(str::trim) else {
        return false;
    };
    let lower = last.to_lowercase();
    let is_polite = POLITE_OPENINGS.iter().any(|words| lower.contains(words));
    last.ends_with(QUESTION_MARKS) && !is_polite && !is_order(last) && !WISHES.has_words(text)
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
    text: &'t str,
    /// Calls stand before it.
    follows_work: bool,
    /// The next request.
    next: &'t str,
}

impl<'t> ClosingReply<'t> {
    /// Finds the reply to message number `message`: the last message before the next request, without calls, and
    /// without a question at its end. The next request may stand in the messages that stay.
    fn find(facts: &'t ConversationFacts<'_>, message: usize) -> Option<Self> {
        let later = facts.turns.get(message + 1..).unwrap_or_default();
        // `go on` belongs to the work.
        let is_request = |turn: &ViewedTurn<'_>| {
            turn.role == Role::User
                && turn.text.trim().len() >= LEAST_REQUEST
                && classify_user_message(&turn.text) == UserMessageKind::Request
        };
        let at = later.iter().position(is_request);
        let next = match at {
            Some(at) => &*later[at].text,
            None => facts.state.kept_request.as_deref()?,
        };
        let work = &later[..at.unwrap_or(later.len())];
        let reply = work.last()?;
        let text = reply.text.trim();
        let is_closing = reply.role == Role::Assistant
            && reply.calls.is_empty()
            && !text.is_empty()
            && !text.ends_with([':', '：'])
            && !text.starts_with(API_ERROR)
            && !asks_at_end(text);
        let complains = |turn: &ViewedTurn<'_>| turn.role == Role::User && denies(&turn.text);
        if !is_closing || work.iter().any(complains) {
            return None;
        }
        Some(Self {
            text,
            follows_work: work.iter().any(|turn| !turn.calls.is_empty()),
            next,
        })
    }

    /// Returns true if it reports what calls did.
    fn reports_work(&self) -> bool {
        let first = split_sentences(self.text).next().unwrap_or_default();
        self.follows_work && REPORTS.has_words(self.text) && !UNABLE.has_words(first)
    }

    /// Returns true for a short reply that answers nothing: `one moment please`.
    fn puts_off(&self) -> bool {
        let begins = |sentence| begins_with_intent(sentence) || UNABLE.has_words(sentence);
        self.text.len() <= LONGEST_PUTTING_OFF
            && (begins(self.text) || PUTTING_OFF.has_words(self.text))
    }

    /// Returns true if it ends work that it need not report: its first and its last sentence tell of no setback,
    /// and of nothing to come.
    fn ends_work(&self) -> bool {
        let last_line = self.text.lines().next_back().unwrap_or_default();
        let first = split_sentences(self.text).next().unwrap_or_default();
        let last = split_sentences(last_line).last().unwrap_or_default();
        let is_open = |sentence: &str| {
            let sentence = sentence.trim();
            SETBACKS.has_words(sentence)
                || begins_with_intent(sentence)
                || TO_COME.has_words(sentence)
        };
        self.follows_work && !is_open(first) && !is_open(last)
    }
}

/// Maximum length in bytes of a reply that puts off.
const LONGEST_PUTTING_OFF: usize = 160;
static PUTTING_OFF: LazyLock<PhraseSearch> =
    LazyLock::new(|| PhraseSearch::new(&[PUTTING_OFF_WORDS]));

/// What a harness writes in place of a reply.
const API_ERROR: &str = "API Error";
