//! Phrases of the lexicon in a text.

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use std::sync::LazyLock;

/// Searches for phrases.
pub(crate) type PhraseSearch = LazyLock<Option<AhoCorasick>>;

/// Builds a search for phrases in any case. A DFA, because a search is built once and reads all texts.
pub(crate) fn build_search(phrases: &[&str]) -> Option<AhoCorasick> {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostLongest)
        .kind(Some(AhoCorasickKind::DFA))
        .build(phrases)
        .ok()
}

/// Returns true if a text has a phrase between the boundaries of words. Scripts without blanks have no
/// such boundaries.
pub(crate) fn has_phrase(search: &PhraseSearch, text: &str) -> bool {
    let Some(search) = search.as_ref() else {
        return false;
    };
    search.find_iter(text).any(|hit| {
        let found = &text[hit.range()];
        if !found.starts_with(is_spaced) {
            return true;
        }
        let before = text[..hit.start()].chars().next_back();
        let after = text[hit.end()..].chars().next();
        !before.is_some_and(is_spaced) && (!after.is_some_and(is_spaced) || found.ends_with('\''))
    })
}

/// Returns true for a letter of a script that puts blanks between words.
fn is_spaced(c: char) -> bool {
    c.is_alphanumeric()
        && !('\u{2e80}'..='\u{9fff}').contains(&c)
        && !('\u{ac00}'..='\u{d7af}').contains(&c)
}
