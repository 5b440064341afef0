//! Leaves out sentences about what stood before them and that they do not name: alone, they say nothing.

use super::sentence_worth::CONDITIONS;
use crate::summary::extract::facts::request_log::LEAST_REQUEST;
use crate::summary::extract::facts::standing_wishes::WISHES;
use crate::summary::extract::lex::sentences::split_sentences;
use crate::summary::extract::lexicon::wish_words::RETRACTIONS;

/// Returns a text without the sentences that point back. Returns `None` if it has none. One that points to the
/// sentence before it is understood: `The wheel is stuck. Oil it.`
pub(super) fn without_pointing(text: &str) -> Option<String> {
    let mut is_shorter = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut kept: Vec<&str> = Vec::new();
        for sentence in split_sentences(line) {
            let is_understood = kept
                .last()
                .is_some_and(|before| before.len() >= LEAST_REQUEST);
            if is_understood || !points_back(sentence) {
                kept.push(sentence.trim());
            } else {
                is_shorter = true;
            }
        }
        if !kept.is_empty() || line.is_empty() {
            lines.push(kept.join(" "));
        }
    }
    is_shorter.then(|| lines.join("\n"))
}

/// Returns true for a short sentence about what stood before it, which it does not name: `can you revert
/// that?`
pub(super) fn points_back(line: &str) -> bool {
    let names = |word: &str| {
        word.bytes()
            .any(|byte| byte.is_ascii_digit() || b"`/\\_\"".contains(&byte))
            || word.trim_end_matches(['.', ',', '!', '?']).contains('.')
    };
    let points = |word: &str| {
        let word = word.trim_end_matches(['.', ',', '!', '?']);
        POINTING_WORDS
            .iter()
            .any(|pointing| word.eq_ignore_ascii_case(pointing))
    };
    // `Verify that it works` joins two clauses.
    let words: Vec<&str> = line.split_whitespace().collect();
    let joins = |at: usize| {
        words[at] == JOINING_WORD
            && at > 0
            && WORDS_BEFORE_CLAUSES
                .iter()
                .any(|word| words[at - 1].eq_ignore_ascii_case(word))
    };
    !line.trim().is_empty()
        && line.len() <= LONGEST_POINTING
        && (0..words.len()).any(|at| points(words[at]) && !joins(at))
        && !line.split_whitespace().any(names)
        && !WISHES.has_words(line)
        && !CONDITIONS.has_words(line)
        && !RETRACTIONS
            .iter()
            .any(|words| line.to_ascii_lowercase().contains(words))
}

/// Maximum length in bytes of a line that points back, and the words that point.
const LONGEST_POINTING: usize = 48;
/// A word that points, unless it stands behind one of these.
const JOINING_WORD: &str = "that";
const WORDS_BEFORE_CLAUSES: [&str; 8] = [
    "verify", "ensure", "check", "sure", "confirm", "know", "say", "see",
];
const POINTING_WORDS: [&str; 7] = ["that", "this", "it", "them", "these", "those", "there"];
