//! Tells which requests the assistant reported as done, so that a finished one is not taken up again.

use crate::summary::extract::facts::conversation_facts::ConversationFacts;
use crate::summary::extract::facts::request_log::UserRequest;
use crate::summary::extract::facts::user_messages::{UserMessageKind, classify_user_message};
use crate::summary::extract::labels::REPORTED_DONE;
use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lex::sentences::asks_at_end;
use crate::summary::extract::lexicon::assistant_words::{
    COMPLAINT_WORDS, DENIAL_WORDS, REPORTING_WORDS,
};
use crate::transcript::Role;
use crate::transcript::view::ViewedTurn;
use std::sync::LazyLock;

static REPORTS: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[REPORTING_WORDS]));

/// Maximum length in bytes of a request that one report can be about. A longer one orders more than that.
const LONGEST_REPORTED: usize = 600;

static DENIALS: LazyLock<PhraseSearch> =
    LazyLock::new(|| PhraseSearch::new(&[COMPLAINT_WORDS, DENIAL_WORDS]));

/// Returns true if the user may say that something is not done.
fn denies(text: &str) -> bool {
    DENIALS.has_words(text)
}

/// Returns the note behind a request that the assistant reported as done before the user asked for something
/// else. Empty for others.
pub(super) fn report_note(
    facts: &ConversationFacts<'_>,
    request: &UserRequest<'_>,
) -> &'static str {
    let is_reported = facts.earlier.message != Some(request.message)
        && request.text.len() <= LONGEST_REPORTED
        && !request.text.ends_with(REPORTED_DONE.trim_start())
        && is_reported_done(facts.turns, request.message);
    if is_reported { REPORTED_DONE } else { "" }
}

/// Returns true if calls and a report without a question follow message number `message`, and then a request
/// that does not say that it still does not work.
fn is_reported_done(turns: &[ViewedTurn<'_>], message: usize) -> bool {
    let later = turns.get(message + 1..).unwrap_or_default();
    let is_request = |turn: &ViewedTurn<'_>| {
        turn.role == Role::User && classify_user_message(&turn.text) == UserMessageKind::Request
    };
    let Some(next) = later.iter().position(is_request) else {
        return false;
    };
    let work = &later[..next];
    let is_said =
        |turn: &&ViewedTurn<'_>| turn.role == Role::Assistant && !turn.text.trim().is_empty();
    let Some(report) = work.iter().rev().find(is_said) else {
        return false;
    };
    report.calls.is_empty()
        && work.iter().any(|turn| !turn.calls.is_empty())
        && !asks_at_end(&report.text)
        && REPORTS.has_words(&report.text)
        && !denies(&later[next].text)
}
