//! Leaves out sentences about what stood before them and that they do not name: alone, they say nothing.

use super::sentence_worth::CONDITIONS;
use crate::summary::extract::facts::request_log::LEAST_REQUEST;
use crate::summary::extract::facts::standing_wishes::WISHES;
use crate::summary::extract::lex::clip::{CLIP_MARK, GAP_BEFORE};
use crate::summary::extract::lex::sentences::split_sentences;
use crate::summary::extract::lexicon::wish_words::RETRACTIONS;

/// Returns a text without the sentences that point back, with a mark in place of each. Returns `None` if it has none.
/// One that points to the sentence before it is understood: `The wheel is stuck. Oil it.`
pub(super) fn without_pointing(text: &str) -> Option<String> {
    let mut is_shorter = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut kept = KeptSentences::default();
        for sentence in split_sentences(line).map(str::trim) {
            let is_understood = (kept.last).is_some_and(|before| before.len() >= LEAST_REQUEST);
            let is_kept = is_understood || !points_back(sentence);
            is_shorter |= !is_kept;
            kept.observe(sentence, is_kept, " ");
        }
        let kept = kept.finish();
        if !kept.is_empty() || line.is_empty() {
            lines.push(kept);
        }
    }
    is_shorter.then(|| lines.join("\n"))
}

/// The sentences of a text that are kept, with a mark in place of those between them.
#[derive(Debug, Default)]
pub(super) struct KeptSentences<'t> {
    text: String,
    /// The sentence that was kept last.
    last: Option<&'t str>,
    /// Sentences were left out behind it.
    is_gap: bool,
}

impl<'t> KeptSentences<'t> {
    /// Takes note of the next sentence, which stands behind `separator` if it is kept.
    pub(super) fn observe(&mut self, sentence: &'t str, is_kept: bool, separator: &str) {
        if sentence.is_empty() {
            return;
        }
        if !is_kept {
            self.is_gap = true;
            return;
        }
        if self.last.is_some() {
            self.mark_gap();
            self.text.push_str(separator);
        } else if self.is_gap {
            self.text.push_str(GAP_BEFORE);
        }
        self.text.push_str(sentence);
        self.last = Some(sentence);
        self.is_gap = false;
    }

    /// Returns the text. Empty if nothing was kept.
    pub(super) fn finish(mut self) -> String {
        if self.last.is_some() {
            self.mark_gap();
        }
        self.text
    }

    fn mark_gap(&mut self) {
        if self.is_gap && !self.text.ends_with(CLIP_MARK) {
            self.text.push_str(CLIP_MARK);
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_has_one_mark() {
        let joined = |sentences: &[&'static str]| {
            let mut kept = KeptSentences::default();
            for sentence in sentences {
                kept.observe(sentence, !sentence.starts_with("It"), " ");
            }
            kept.finish()
        };
        let all = [
            "Oil it.",
            "It is old.",
            "Open it …",
            "It is red.",
            "Never drop it.",
        ];
        assert_eq!(joined(&all), "Oil it. … Open it … Never drop it.");
        assert_eq!(joined(&all[..1]), "Oil it.");
        assert_eq!(joined(&all[1..4]), "… Open it …");
        assert_eq!(joined(&all[1..2]), "");
    }

    #[test]
    fn what_points_back_leaves_a_mark() {
        assert_eq!(
            without_pointing("The wheel is stuck in the mud. Oil it."),
            None
        );
        assert_eq!(
            without_pointing("can you revert that? Then paint the wheel red.").as_deref(),
            Some("… Then paint the wheel red.")
        );
        assert_eq!(
            without_pointing("can you revert that?").as_deref(),
            Some("")
        );
    }
}
