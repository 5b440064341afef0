//! Phrases of the lexicon in a text.

use crate::base::unspaced::is_unspaced;
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use std::sync::LazyLock;

/// Searches for phrases of several lists at once.
#[derive(Debug)]
pub(crate) struct PhraseSearch {
    search: Option<AhoCorasick>,
    /// The bit of the list that each phrase is in.
    lists: Vec<u8>,
}

/// A search that is built when it is first needed.
pub(crate) type LazySearch = LazyLock<PhraseSearch>;

impl PhraseSearch {
    /// Builds a search for phrases in any case. A DFA, because a search is built once and reads all texts.
    pub(crate) fn new(lists: &[&[&str]]) -> Self {
        let phrases = lists.iter().flat_map(|list| list.iter());
        let bits = lists.iter().enumerate();
        let bits = bits.flat_map(|(bit, list)| list.iter().map(move |_| 1 << bit));
        let mut builder = AhoCorasick::builder();
        builder.ascii_case_insensitive(true).match_kind(MatchKind::Standard);
        builder.kind(Some(AhoCorasickKind::DFA));
        Self { search: builder.build(phrases).ok(), lists: bits.collect() }
    }

    /// Returns the bits of the lists of which a text has a phrase between the boundaries of words, and
    /// of those that have one in its first `opening` bytes. Scripts without blanks have no such
    /// boundaries.
    pub(crate) fn find_lists(&self, text: &str, opening: usize) -> FoundLists {
        let mut found = FoundLists::default();
        let Some(search) = &self.search else {
            return found;
        };
        for hit in search.find_overlapping_iter(text) {
            let list = self.lists[hit.pattern().as_usize()];
            let is_new =
                found.anywhere & list == 0 || found.in_opening & list == 0 && hit.end() <= opening;
            if is_new && stands_alone(text, hit.start(), hit.end()) {
                found.anywhere |= list;
                found.in_opening |= if hit.end() <= opening { list } else { 0 };
            }
        }
        found
    }

    /// Returns where the phrases end that are in a text.
    pub(crate) fn ends_in<'h>(&'h self, text: &'h str) -> impl Iterator<Item = usize> + 'h {
        let hits = self.search.iter().flat_map(move |search| search.find_overlapping_iter(text));
        hits.map(|hit| hit.end())
    }

    /// Returns true if a text has a phrase of the list with this bit, wherever it stands.
    pub(crate) fn has_any_of(&self, text: &str, list: u8) -> bool {
        let Some(search) = &self.search else {
            return false;
        };
        let mut hits = search.find_overlapping_iter(text);
        hits.any(|hit| self.lists[hit.pattern().as_usize()] == list)
    }
}

/// The bits of lists of which a text has a phrase.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct FoundLists {
    pub anywhere: u8,
    /// In its first bytes.
    pub in_opening: u8,
}

/// Returns true if a phrase begins and ends at boundaries of words.
fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let found = &text[start..end];
    if !found.starts_with(is_spaced) {
        return true;
    }
    let before = text[..start].chars().next_back();
    let after = text[end..].chars().next();
    !before.is_some_and(is_spaced) && (!after.is_some_and(is_spaced) || found.ends_with('\''))
}

/// Returns true for a letter of a script that puts blanks between words. Korean does, but between
/// words and what is appended to them.
fn is_spaced(c: char) -> bool {
    c.is_alphanumeric() && !is_unspaced(c) && !('\u{ac00}'..='\u{d7af}').contains(&c)
}
