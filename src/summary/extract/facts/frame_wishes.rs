//! Finds the wishes that a harness puts around the user's words: `make minimal changes to files that
//! are no tests`.

use super::findings::sentences_of;
use crate::summary::extract::ablation::SummaryRule;
use crate::summary::extract::lex::excerpt::both_ends;
use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lexicon::speech_words::{FRAME_LIMITS, LIMITED_WORDS};
use std::sync::LazyLock;

/// Maximum number of wishes of a conversation.
const MOST_WISHES: usize = 2;

static LIMITS: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[FRAME_LIMITS]));
static LIMITED: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[LIMITED_WORDS]));

/// Adds the sentence of a frame that limits most what may be changed.
pub(super) fn add_frame_wish<'r>(frame: &'r str, wishes: &mut Vec<&'r str>) {
    if SummaryRule::FrameWishes.is_off() {
        return;
    }
    let (head, tail) = both_ends(frame);
    let wish = sentences_of(head)
        .chain(sentences_of(tail))
        .filter(|sentence| LIMITED.has_words(sentence))
        .filter_map(|sentence| Some((strongest_limit(sentence)?, sentence)))
        .min_by_key(|(limit, _)| *limit);
    if let Some((_, wish)) = wish
        && wishes.len() < MOST_WISHES
        && !wishes.contains(&wish)
    {
        wishes.push(wish);
    }
}

/// Returns the index in `FRAME_LIMITS` of the strongest limit in a sentence.
fn strongest_limit(sentence: &str) -> Option<usize> {
    let mut strongest = None;
    LIMITS.visit(sentence, &mut |limit, stands_as_words| {
        if stands_as_words {
            strongest = Some(strongest.map_or(limit, |other: usize| other.min(limit)));
        }
    });
    strongest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_not_be_changed_is_found() {
        let frame = "I wrote the tests, so you DON'T have to modify them in any way! Can you help me?\nMake the minimal changes to other files in /srv.\nFollow these steps:\n1. Look at the code.\nYou can only enter one command at a time.";
        let mut wishes = Vec::new();
        add_frame_wish(frame, &mut wishes);
        add_frame_wish(frame, &mut wishes);
        assert_eq!(wishes, ["Make the minimal changes to other files in /srv."]);
    }
}
