//! Searches a text for many phrases in one pass, without regard to the case of ASCII letters.

use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// A search for the phrases of a list.
#[derive(Debug)]
pub(crate) struct PhraseSearch {
    phrases: Vec<&'static str>,
    /// `None` if it cannot be built. Then nothing is found.
    search: Option<AhoCorasick>,
}

impl PhraseSearch {
    /// Creates a search for the phrases of several lists, numbered in their order.
    pub(crate) fn new(lists: &[&[&'static str]]) -> Self {
        let phrases = lists.concat();
        let search = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .kind(Some(AhoCorasickKind::DFA))
            .build(&phrases)
            .ok();
        Self { phrases, search }
    }

    /// Returns true if a text holds any of the phrases.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.search
            .as_ref()
            .is_some_and(|search| search.is_match(text))
    }

    /// Calls `found` with the number of each phrase in a text, each time that it occurs, and with
    /// true if it stands there as words: not within a longer word.
    pub(crate) fn visit(&self, text: &str, found: &mut dyn FnMut(usize, bool)) {
        let Some(search) = &self.search else { return };
        let bytes = text.as_bytes();
        let is_letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        for hit in search.find_overlapping_iter(text) {
            let phrase = hit.pattern().as_usize();
            let before = hit.start().checked_sub(1).map(|at| &bytes[at]);
            // Scripts without spaces have no bounds of words.
            let stands_as_words = !self.phrases[phrase].is_ascii()
                || (!is_letter(before) && !is_letter(bytes.get(hit.end())));
            found(phrase, stands_as_words);
        }
    }

    /// Returns true if a text holds any of the phrases as words.
    pub(crate) fn has_words(&self, text: &str) -> bool {
        let mut has_words = false;
        self.visit(text, &mut |_, stands_as_words| has_words |= stands_as_words);
        has_words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_words() {
        let search = PhraseSearch::new(&[&["not", "only"], &["因为"]]);
        assert!(search.has_words("It is NOT so") && search.has_words("not"));
        assert!(!search.has_words("a notice, a knot") && search.is_match("a notice"));
        assert!(search.has_words("是因为它"));
    }

    #[test]
    fn phrases_within_phrases_are_found() {
        let search = PhraseSearch::new(&[&["cause", "caused", "because"]]);
        let mut found = Vec::new();
        search.visit("because it caused", &mut |phrase, is_words| {
            found.push((phrase, is_words));
        });
        assert_eq!(found, [(2, true), (0, false), (0, false), (1, true)]);
    }
}
