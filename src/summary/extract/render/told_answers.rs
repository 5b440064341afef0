//! Tells whether a message of the user only tells what the assistant asked for: `My number is 7.`

use super::sentence_worth::{CONDITIONS, TASKS};
use crate::summary::extract::facts::conversation_facts::ConversationFacts;
use crate::summary::extract::facts::request_log::UserRequest;
use crate::summary::extract::facts::standing_wishes::WISHES;
use crate::summary::extract::lex::clip::floor_char;
use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lex::sentences::{QUESTION_MARKS, split_sentences};
use crate::summary::extract::lexicon::assistant_words::{ANYTHING_ELSE, PROVIDE_WORDS};
use crate::summary::extract::lexicon::request_words::{
    COURTESIES, DOING_WORDS, PLEAS, TELLING_OPENINGS,
};
use crate::transcript::Role;
use std::sync::LazyLock;

/// Maximum length in bytes of a message that only tells something.
const LONGEST_TOLD: usize = 160;
/// Maximum length in bytes of the name of what is told: `my number is`.
const LONGEST_NAME: usize = 40;

static ASKING_FOR: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[PROVIDE_WORDS]));

/// Returns true if a request only tells what the assistant asked for: `My number is 7.`
pub(super) fn only_tells(facts: &ConversationFacts<'_>, request: &UserRequest<'_>) -> bool {
    if request.text.len() > LONGEST_TOLD {
        return false;
    }
    // `Can you help with that?` asks for nothing else.
    let sentences = split_sentences(&request.text);
    let is_plea = |sentence: &&str| {
        sentence.contains('?') && PLEAS.iter().any(|plea| sentence.contains(plea))
    };
    let told: Vec<&str> = sentences.filter(|sentence| !is_plea(sentence)).collect();
    let text = told.join("");
    let asks = text.contains(QUESTION_MARKS)
        || [&*TASKS, &*WISHES, &*CONDITIONS]
            .iter()
            .any(|words| words.has_words(&text));
    if asks || orders(&text) || !tells(&text) {
        return false;
    }
    let before = facts.turns[..request.message.min(facts.turns.len())].last();
    before.is_some_and(|turn| {
        turn.role == Role::Assistant
            && turn.calls.is_empty()
            && !turn.text.to_ascii_lowercase().contains(ANYTHING_ELSE)
            && (turn.text.trim_end().ends_with(QUESTION_MARKS) || ASKING_FOR.has_words(&turn.text))
    })
}

/// Returns true if a text holds a word that asks for something to be done.
fn orders(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    words.any(|word| {
        DOING_WORDS
            .iter()
            .any(|doing| word.eq_ignore_ascii_case(doing))
    })
}

/// Returns true if a text says what something is: `Sure, my number is 7`.
fn tells(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let mut rest = lower.trim_start();
    for courtesy in COURTESIES {
        rest = rest.strip_prefix(courtesy).unwrap_or(rest);
        rest = rest.trim_start_matches([',', '.', '!', ' ']);
    }
    let is_verb = |words: &str| words.contains(" is ") || words.contains(" are ");
    TELLING_OPENINGS
        .iter()
        .any(|opening| rest.starts_with(opening))
        || (rest.starts_with("my ") && is_verb(&rest[..floor_char(rest, LONGEST_NAME)]))
}
